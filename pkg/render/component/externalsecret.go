package component

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// ExternalSecret is the kind of which External Secrets Operator makes Secrets.
const ExternalSecret = "ExternalSecret.external-secrets.io"

// externalSecretProperties has the properties of an external-secret component.
type externalSecretProperties struct {
	Store struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	} `json:"store"`
	Data            map[string]remoteKey `json:"data"`
	DataFrom        []remoteKey          `json:"dataFrom"`
	RefreshInterval string               `json:"refreshInterval"`
}

// remoteKey says where in a store a value is.
type remoteKey struct {
	Key      string `json:"key"`
	Property string `json:"property"`
	Version  string `json:"version"`
}

func (r remoteKey) ref() map[string]any {
	ref := declared.Given(map[string]any{"property": r.Property, "version": r.Version})
	ref["key"] = r.Key
	return ref
}

// externalSecret renders an external-secret component. The Secret has the name that one of
// a secret component has. It gets a template: without one the operator copies our labels
// and annotations to it.
func externalSecret(in Input, p externalSecretProperties) (out Output, err error) {
	var data, from []any
	for _, key := range slices.Sorted(maps.Keys(p.Data)) {
		data = append(data, map[string]any{"secretKey": key, "remoteRef": p.Data[key].ref()})
	}
	for _, remote := range p.DataFrom {
		from = append(from, map[string]any{"extract": remote.ref()})
	}
	spec := declared.Given(map[string]any{
		"secretStoreRef": map[string]any{"kind": p.Store.Kind, "name": p.Store.Name},
		"target":         map[string]any{"name": in.Name, "template": map[string]any{"type": "Opaque"}},
		"data":           data, "dataFrom": from, "refreshInterval": p.RefreshInterval,
	})
	out.Objects = append(out.Objects, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
		"metadata": map[string]any{"name": in.Name}, "spec": spec,
	}})
	return out, nil
}
