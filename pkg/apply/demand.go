package apply

import (
	"errors"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/render"
)

// demand is what must hold for the API server to carry out a request. So nothing is
// overwritten that appears, or takes the place of another object, at the same moment.
type demand struct {
	uid   string // of the object to change; "": there is none, and it is to be created
	force bool   // fields that others hold are taken over

	adopted string // value of render.AnnotationAdopted of the object to change, "" if it is not adopted
}

// noVersion is a version that no object has: the store counts from 2. A server-side apply
// that names it creates an object or fails.
const noVersion = "1"

// The fields of the metadata of an object that body writes.
var (
	ownerField   = "annotations." + gjson.Escape(render.AnnotationOwner)
	adoptedField = "annotations." + gjson.Escape(render.AnnotationAdopted)
)

// body returns an encoded object for a request, with its owner and the demand.
func (d demand) body(object []byte, owner string) ([]byte, error) {
	at := gjson.GetBytes(object, "metadata")
	if !at.IsObject() {
		return nil, errors.New("the object has no metadata")
	}
	meta, err := sjson.Set(at.Raw, ownerField, owner)
	if err == nil && d.adopted != "" {
		meta, err = sjson.Set(meta, adoptedField, d.adopted)
	}
	switch {
	case err != nil:
		return nil, err
	case d.uid == "":
		meta, err = sjson.Set(meta, "resourceVersion", noVersion)
	default:
		meta, err = sjson.Set(meta, "uid", d.uid)
	}
	return slices.Concat(object[:at.Index], []byte(meta), object[at.Index+len(at.Raw):]), err
}

// unmet reports whether the API server refused a request because its demand did not hold:
// there is an object, there is none, or there is another one.
func (d demand) unmet(err error) bool {
	if apierrors.IsConflict(err) {
		return d.uid == "" || len(heldFields(err)) == 0
	}
	var status apierrors.APIStatus
	if d.uid == "" || !apierrors.IsInvalid(err) || !errors.As(err, &status) {
		return false
	}
	s := status.Status()
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			if c.Field == "metadata.uid" {
				return true
			}
		}
	}
	return false
}

// heldFields returns the fields that an apply without force was refused for, and the
// managers that hold them.
func heldFields(err error) (held []Difference) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	for _, c := range status.Status().Details.Causes {
		if c.Type != metav1.CauseTypeFieldManagerConflict {
			continue
		}
		_, manager, _ := strings.Cut(c.Message, `conflict with "`)
		manager, _, _ = strings.Cut(manager, `"`)
		held = append(held, Difference{Path: strings.TrimPrefix(c.Field, "."), Manager: manager})
	}
	return held
}
