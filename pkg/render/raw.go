package render

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// maxObjects bounds the objects of one component.
const maxObjects = 1000

// raw renders a raw component: objects as its owner wrote them, as far as policy
// lets them pass.
func (w *workload) raw() error {
	var p struct {
		Objects []json.RawMessage `json:"objects"`
	}
	if err := w.properties(&p); err != nil {
		return err
	}
	objects := make([]*unstructured.Unstructured, len(p.Objects))
	for i, encoded := range p.Objects {
		objects[i] = &unstructured.Unstructured{}
		if err := objects[i].UnmarshalJSON(encoded); err != nil {
			return faultf(CodeUnreadable, at("properties.objects", i), "is not an object: it has no kind, or is not JSON")
		}
		if objects[i].GroupVersionKind().GroupKind().String() == "Secret" {
			// Specs are written to the status branch, and there only secret
			// components are known to hold secrets.
			return faultf(CodeKind, at("properties.objects", i), "is a Secret; a component of type secret keeps its values out of the status branch")
		}
	}
	return w.manifests("properties.objects", objects)
}

// manifests takes over objects that a tenant wrote. While the component may not
// run, only what runs nothing is there.
func (w *workload) manifests(path string, objects []*unstructured.Unstructured) error {
	if len(objects) > maxObjects {
		return faultf(CodeSize, path, "brings %d objects, at most %d are taken", len(objects), maxObjects)
	}
	for i, u := range objects {
		if err := w.admit(at(path, i), u); err != nil {
			return err
		}
	}
	if w.run > 0 {
		if err := w.admitUsage(path, objects); err != nil {
			return err
		}
	}
	for _, u := range objects {
		kind := u.GroupVersionKind().GroupKind().String()
		if _, runs := workloads[kind]; w.run > 0 || !runs && kind != autoscaler {
			w.out.objects = append(w.out.objects, u)
		}
	}
	return nil
}
