package claim

import (
	"iter"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// InUse returns the allotments that give tenants just what their applications use, by
// tenant. Where an ingress has the class of the cluster, no list can name it, and all
// classes stay allowed.
func InUse(specs iter.Seq[*Names]) (all []model.Allotment) {
	tenants := map[string]*model.Allotment{}
	unnamed := map[string]bool{}
	for n := range specs {
		own := tenants[n.App.Tenant]
		if own == nil {
			own = &model.Allotment{Name: n.App.Tenant}
			tenants[own.Name] = own
		}
		switch n.Namespace {
		case "":
		case own.Name:
			own.Namespaces = append(own.Namespaces, own.Name)
		default: // each application has one of its own, and so will the next
			own.Namespaces = append(own.Namespaces, own.Name+"-*")
		}
		for _, h := range n.Hosts {
			own.Hosts = append(own.Hosts, h.Name)
		}
		for _, s := range n.Services {
			own.Services = append(own.Services, s.Type)
		}
		for _, r := range n.Routes {
			own.Annotations = append(own.Annotations, r.Annotations...)
			if r.HasClass {
				own.Classes = append(own.Classes, r.Class)
				unnamed[own.Name] = unnamed[own.Name] || r.Class == ""
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tenants)) {
		own := tenants[name]
		if unnamed[name] {
			own.Classes = nil
		}
		used := 0
		for _, list := range []*[]string{&own.Namespaces, &own.Hosts, &own.Classes, &own.Annotations, &own.Services} {
			slices.Sort(*list)
			*list = slices.Compact(*list)
			used += len(*list)
		}
		if used > 0 {
			all = append(all, *own)
		}
	}
	return all
}
