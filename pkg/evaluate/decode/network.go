package decode

import (
	"fmt"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// network returns what the platform says of traffic, or what is wrong with its addresses
// and those of its policy.
func (d *platformDoc) network(exits []string, own *layer.Layer) (n model.Network, problems []model.Problem) {
	bad := func(path string, i int, why string) {
		problems = append(problems, own.Blame(catalogue.Address, fmt.Sprintf("platform.%s.%d", path, i), why))
	}
	for i, o := range d.Ingress.From {
		_, err := model.ParseCIDR(o.CIDR)
		switch {
		case (o.CIDR == "") == (len(o.Namespaces) == 0) || o.CIDR != "" && o.Pods != nil:
			bad("ingress.from", i, "names either labels of namespaces, with or without those of pods, or a cidr")
		case o.CIDR != "" && err != nil:
			bad("ingress.from", i, err.Error())
		}
	}
	for i, text := range exits {
		if _, err := model.ParseExit(text); err != nil {
			bad("policy.network.egress", i, err.Error())
		}
	}
	n.Ingress = d.Ingress.From
	for _, tenant := range slices.Sorted(maps.Keys(d.Allotments)) {
		for _, other := range sorted(d.Allotments[tenant].Peers) {
			if tenant < other && slices.Contains(d.Allotments[other].Peers, tenant) {
				n.Links = append(n.Links, [2]string{tenant, other})
			}
		}
	}
	return n, problems
}
