package apply

import (
	"errors"
	"strings"

	"github.com/tidwall/gjson"
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

// body returns an encoded object for a request, with its owner and the demand.
func (d demand) body(object []byte, owner string) ([]byte, error) {
	meta := gjson.GetBytes(object, "metadata")
	if !meta.IsObject() {
		return nil, errors.New("the object has no metadata")
	}
	demanded, value := "uid", d.uid
	if d.uid == "" {
		demanded, value = "resourceVersion", noVersion
	}
	out := make([]byte, 0, len(object)+256)
	out = append(out, object[:meta.Index]...)
	begin := len(out)
	var annotations gjson.Result
	meta.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "annotations":
			annotations = v
		case demanded:
		default:
			out = appendField(out, k, v)
		}
		return true
	})
	out = append(appendText(out, demanded, value), `,"annotations":`...)
	within := len(out)
	annotations.ForEach(func(k, v gjson.Result) bool {
		if annotations.IsObject() && k.Str != render.AnnotationOwner && (d.adopted == "" || k.Str != render.AnnotationAdopted) {
			out = appendField(out, k, v)
		}
		return true
	})
	if out = appendText(out, render.AnnotationOwner, owner); d.adopted != "" {
		out = appendText(out, render.AnnotationAdopted, d.adopted)
	}
	out[begin], out[within] = '{', '{' // in place of the first commas
	return append(append(out, "}}"...), object[meta.Index+len(meta.Raw):]...), nil
}

// appendField and appendText append a field of a JSON object, with a comma before it.
func appendField(out []byte, name, value gjson.Result) []byte {
	return append(append(append(append(out, ','), name.Raw...), ':'), value.Raw...)
}

func appendText(out []byte, name, text string) []byte {
	return gjson.AppendJSONString(append(gjson.AppendJSONString(append(out, ','), name), ':'), text)
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
