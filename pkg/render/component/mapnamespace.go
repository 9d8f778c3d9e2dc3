package component

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// moved are the objects that named a namespace of their owner and land in that of the
// application.
type moved struct {
	from    string
	objects []*unstructured.Unstructured
}

// mapNamespace moves objects from the one namespace that they name to that of the
// application, and leaves out the Namespace of that name.
func mapNamespace(objects []*unstructured.Unstructured, to string) (kept []*unstructured.Unstructured, m moved, err error) {
	for _, u := range objects {
		switch ns := u.GetNamespace(); {
		case ns == "" || ns == to:
		case m.from != "" && ns != m.from:
			return nil, moved{}, declared.Faultf(declared.CodeNamespace, "properties.mapNamespace", "has objects in namespaces %s and %s; objects of one namespace can be mapped", m.from, ns)
		default:
			m.from, m.objects = ns, append(m.objects, u)
		}
	}
	if m.from == "" {
		return objects, m, nil
	}
	for _, u := range m.objects {
		u.SetNamespace(to)
	}
	kept = slices.DeleteFunc(objects, func(u *unstructured.Unstructured) bool {
		return u.GroupVersionKind().GroupKind().String() == "Namespace" && u.GetName() == m.from
	})
	for _, u := range kept {
		for _, subject := range declared.Elements(u.Object["subjects"]) { // of a RoleBinding
			if subject["namespace"] == m.from {
				subject["namespace"] = to
			}
		}
	}
	return kept, m, nil
}

// note writes on the objects which namespace they named, for those who look for them there.
func (m moved) note() {
	for _, u := range m.objects {
		u.SetAnnotations(declared.Merge(u.GetAnnotations(), map[string]string{AnnotationNamespace: m.from}))
	}
}
