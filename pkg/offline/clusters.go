package offline

import (
	"context"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// Cluster is a cluster that is looked at.
type Cluster struct {
	Name string // that pools give it, "" of the first
	// Others returns sentences about the objects of sets that others made.
	Others func(ctx context.Context, sets []render.Set) ([]string, error)
}

// In returns the sets with the objects that a cluster is to have.
func (a *Accepted) In(cluster string) []render.Set {
	return inCluster(a.sets, a.platform, a.ledger, cluster)
}

// Away are notes about the clusters of the platform that are not among those that are looked at.
func (a *Accepted) Away(looked []string) (notes []string) {
	for _, name := range clusterNames(a.platform) {
		if !slices.Contains(looked, name) {
			notes = append(notes, fmt.Sprintf("what cluster %s has is not compared: name it with --cluster %s=FILE", name, name))
		}
	}
	return notes
}

// inCluster returns sets with the objects that one of the clusters of a platform is to have: what tenants share, and
// the components whose pools are in it. Configuration is where components of its application are.
func inCluster(sets []render.Set, platform *model.Platform, ledger *model.Ledger, cluster string) []render.Set {
	list := slices.Clone(sets)
	for i := range list {
		inst, ok := ledger.Find(list[i].App)
		if !ok || inst.Spec == nil || list[i].App.Name == "" {
			continue
		}
		at := clustersOf(inst, platform)
		list[i].Objects = slices.DeleteFunc(slices.Clone(list[i].Objects), func(o render.Object) bool { return !slices.Contains(at[o.Component], cluster) })
	}
	return list
}

// clustersOf returns the clusters of each component of an instance, and under "" those of all of them. Where nothing
// runs it is the first cluster.
func clustersOf(inst *model.Instance, platform *model.Platform) map[string][]string {
	at, all := map[string][]string{}, []string(nil)
	for i := range inst.Components {
		g := &inst.Components[i].Grant
		c, declared := inst.Spec.Component(g.Component)
		if pool, ok := model.Find(platform.Pools, g.Pool); ok && (!declared || c.Runs()) {
			at[g.Component] = []string{pool.Cluster}
			all = append(all, pool.Cluster)
		}
	}
	if all == nil {
		all = []string{""}
	}
	for i := range inst.Spec.Components {
		if c := &inst.Spec.Components[i]; at[c.Name] == nil {
			at[c.Name] = all
		}
	}
	at[""] = all
	return at
}

// clusterNames returns the clusters beside the first one in which a platform has pools, in order.
func clusterNames(platform *model.Platform) (names []string) {
	for i := range platform.Pools {
		if name := platform.Pools[i].Cluster; name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
