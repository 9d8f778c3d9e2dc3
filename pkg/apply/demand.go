package apply

import (
	"errors"
	"slices"
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
	annotations := []branch{{render.AnnotationOwner, quoted(owner)}}
	if d.adopted != "" {
		annotations = append(annotations, branch{render.AnnotationAdopted, quoted(d.adopted)})
	}
	demanded := branch{"uid", quoted(d.uid)}
	if d.uid == "" {
		demanded = branch{"resourceVersion", quoted(noVersion)}
	}
	out := make([]byte, 0, len(object)+256)
	out = append(out, object[:meta.Index]...)
	out = appendWith(out, meta, demanded, branch{"annotations", string(appendWith(nil, at(meta, "annotations"), annotations...))})
	return append(out, object[meta.Index+len(meta.Raw):]...), nil
}

// appendWith appends a JSON object, or an empty one in place of anything else, in which some fields have the given values.
func appendWith(out []byte, object gjson.Result, given ...branch) []byte {
	begin := len(out)
	object.ForEach(func(k, v gjson.Result) bool {
		if object.IsObject() && !slices.ContainsFunc(given, func(g branch) bool { return g.name == k.Str }) {
			out = append(append(append(append(out, ','), k.Raw...), ':'), v.Raw...)
		}
		return true
	})
	for _, g := range given {
		out = append(append(gjson.AppendJSONString(append(out, ','), g.name), ':'), g.value...)
	}
	out[begin] = '{'
	return append(out, '}')
}

func quoted(s string) string { return string(gjson.AppendJSONString(nil, s)) }

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
