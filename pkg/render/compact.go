package render

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Compact returns a set whose objects have no more than their identity, labels and annotations in Object: Whole reads the
// rest from JSON. It is for sets that wait: as maps, an object takes some three times the memory of its encoding.
func (s Set) Compact() Set {
	objects := make([]Object, len(s.Objects))
	for i, o := range s.Objects {
		o.Object, o.compact = identified(o.Object), true
		objects[i] = o
	}
	s.Objects = objects
	return s
}

func identified(u *unstructured.Unstructured) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": u.Object["apiVersion"], "kind": u.Object["kind"], "metadata": u.Object["metadata"]}}
}

// Whole returns all of an object, as it is sent. Callers must not change it.
func (o *Object) Whole() *unstructured.Unstructured {
	if !o.compact {
		return o.Object
	}
	u := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(o.JSON, &u.Object); err != nil {
		panic(fmt.Sprintf("render: decode %s %s: %v", o.Object.GetKind(), o.Object.GetName(), err))
	}
	return u
}
