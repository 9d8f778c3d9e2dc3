package component

import (
	"cmp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// ofAllowedGateways reports whether a route that an owner wrote is for Gateways alone that policy lets components name. Only
// such a route lets clients in: it opens what the trait gateway may, and no more.
func (in Input) ofAllowedGateways(route *unstructured.Unstructured) bool {
	parents := declared.Items(declared.Below(route.Object, "spec")["parentRefs"])
	for _, parent := range parents {
		p, _ := parent.(map[string]any)
		group, kind := p["group"], p["kind"]
		if group != nil && group != "gateway.networking.k8s.io" || kind != nil && kind != "Gateway" {
			return false
		}
		gateway := cmp.Or(declared.Word(p["namespace"]), in.App.Namespace) + "/" + declared.Word(p["name"])
		if !model.Matches(in.App.Spec.Policy.Existing.Gateways, gateway) {
			return false
		}
	}
	return len(parents) > 0
}

// routed returns the ports of pods that a route leads to by Services among the objects.
func (in Input) routed(route *unstructured.Unstructured, objects []*unstructured.Unstructured) (all []Listening) {
	for _, rule := range declared.Elements(declared.Below(route.Object, "spec")["rules"]) {
		for _, to := range declared.Elements(rule["backendRefs"]) {
			if ns := declared.Word(to["namespace"]); ns != "" && ns != in.App.Namespace {
				continue
			}
			port, _ := to["port"].(int64)
			for _, u := range objects {
				for _, p := range servicePorts(u) {
					switch {
					case u.GetName() != declared.Word(to["name"]) || int64(p.Port) != port:
					case p.TargetPort.Type == intstr.String:
						for _, of := range podPorts(objects) {
							if of.Name == p.TargetPort.StrVal {
								all = append(all, valid(of.ContainerPort, of.Protocol)...)
							}
						}
					default:
						all = append(all, valid(cmp.Or(p.TargetPort.IntVal, p.Port), p.Protocol)...)
					}
				}
			}
		}
	}
	return all
}
