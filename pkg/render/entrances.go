package render

import (
	"fmt"
	"net/netip"

	"github.com/d-aros/d-aros/pkg/claim"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// entrances are the ports of all nodes and the address of a load balancer that a Service asks
// for. A cluster has each of them once, like an object without a namespace.
func entrances(o Object) (all []claim.Object) {
	spec := declared.Below(o.Object.Object, "spec")
	ports := []any{spec["healthCheckNodePort"]}
	for _, p := range declared.Elements(spec["ports"]) {
		ports = append(ports, p["nodePort"])
	}
	for _, port := range ports {
		if number := fmt.Sprint(port); port != nil && number != "0" {
			all = append(all, claim.Object{Name: "NodePort " + number, Component: o.Component})
		}
	}
	if address := declared.Word(spec["loadBalancerIP"]); address != "" {
		if ip, err := netip.ParseAddr(address); err == nil {
			address = ip.Unmap().String()
		}
		all = append(all, claim.Object{Name: "LoadBalancer " + address, Component: o.Component})
	}
	return all
}
