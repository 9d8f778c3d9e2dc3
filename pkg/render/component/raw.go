package component

import (
	"encoding/json"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// maxObjects bounds the objects of one component.
const maxObjects = 1000

// raw renders a raw component: the objects that its owner wrote, if policy allows them.
func raw(in Input, p struct {
	Objects []json.RawMessage `json:"objects"`
}) (out Output, err error) {
	objects := make([]*unstructured.Unstructured, len(p.Objects))
	for i, encoded := range p.Objects {
		objects[i] = &unstructured.Unstructured{}
		if err := objects[i].UnmarshalJSON(encoded); err != nil {
			return out, declared.Faultf(declared.CodeUnreadable, at("properties.objects", i), "is not an object: it has no kind, or is not JSON")
		}
		if objects[i].GroupVersionKind().GroupKind().String() == "Secret" {
			// Specs are written to the status branch, and there only secret
			// components are known to hold secrets.
			return out, declared.Faultf(declared.CodeKind, at("properties.objects", i), "is a Secret; a component of type secret keeps its values out of the status branch")
		}
	}
	return in.manifests("properties.objects", objects)
}

// manifests adds objects that a tenant wrote to the component. While it may not run,
// workloads and autoscalers are left out.
func (in Input) manifests(path string, objects []*unstructured.Unstructured) (out Output, err error) {
	if len(objects) > maxObjects {
		return out, declared.Faultf(declared.CodeSize, path, "brings %d objects, at most %d are taken", len(objects), maxObjects)
	}
	admission := in.admission(manifest.Accounts(objects))
	for i, u := range objects {
		if err := admission.Admit(at(path, i), u); err != nil {
			return out, err
		}
	}
	if in.Run > 0 {
		if err := admission.AdmitUsage(path, objects); err != nil {
			return out, err
		}
	}
	out.Listens, out.Entries = in.manifested(objects)
	for _, u := range objects {
		kind := u.GroupVersionKind().GroupKind().String()
		if _, runs := manifest.Workloads[kind]; in.Run > 0 || !runs && kind != manifest.Autoscaler {
			out.Objects = append(out.Objects, u)
		}
	}
	return out, nil
}

// admission returns the rules for objects that the tenant wrote for this component, which
// brings service accounts of some names.
func (in Input) admission(accounts []string) manifest.Admission {
	labels := maps.Clone(in.Labels)
	for _, key := range []string{LabelName, LabelPartOf, LabelManagedBy} {
		delete(labels, key) // the tenant's selectors may use these
	}
	return manifest.Admission{
		Policy: in.App.Spec.Policy, Namespace: in.App.Namespace, Labels: labels, Nodes: in.placement().nodes, Grant: in.Grant,
		Standard: in.App.Standard, Accounts: accounts,
	}
}

// at returns the path of the object with an index.
func at(component string, i int) string { return fmt.Sprintf("%s.%d", component, i) }
