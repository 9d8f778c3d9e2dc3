package apply

import (
	"errors"
	"maps"
	"strings"

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

// body encodes an object for a request, with its owner and the demand.
func (d demand) body(object map[string]any, owner string) []byte {
	sent := maps.Clone(object)
	m, _ := object["metadata"].(map[string]any)
	meta := maps.Clone(m)
	a, _ := m["annotations"].(map[string]any)
	annotations := maps.Clone(a)
	if annotations == nil {
		annotations = map[string]any{}
	}
	annotations[render.AnnotationOwner] = owner
	if d.adopted != "" {
		annotations[render.AnnotationAdopted] = d.adopted
	}
	meta["annotations"] = annotations
	if d.uid == "" {
		meta["resourceVersion"] = noVersion
	} else {
		meta["uid"] = d.uid
	}
	sent["metadata"] = meta
	return encode(sent)
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
