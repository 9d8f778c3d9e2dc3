package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// TestInCluster: a cluster is to have what tenants share, the components whose pools are in it, and
// the configuration of applications that have such components.
func TestInCluster(t *testing.T) {
	platform := &model.Platform{Pools: []model.PoolSpec{{Name: "far", Cluster: "west"}, {Name: "general"}, {Name: "lab", Cluster: "lab"}, {Name: "old", Cluster: "lab"}}}
	component := func(name, of string) model.Component { return model.Component{Name: name, Type: of} }
	state := func(name, pool string) model.ComponentState {
		return model.ComponentState{Grant: model.Grant{Component: name, Pool: pool}}
	}
	shop, docs, tenant := model.AppID{Tenant: "acme", Name: "shop"}, model.AppID{Tenant: "acme", Name: "docs"}, model.AppID{Tenant: "acme"}
	ledger := &model.Ledger{Instances: []model.Instance{
		{App: docs, Spec: &model.Application{Components: []model.Component{component("settings", "config")}}, Components: []model.ComponentState{state("settings", "")}},
		{App: shop, Spec: &model.Application{Components: []model.Component{component("db", "store"), component("settings", "config"), component("web", "worker")}},
			Components: []model.ComponentState{state("db", "general"), state("settings", ""), state("web", "far")}},
	}}
	object := func(component string) render.Object { return render.Object{Component: component} }
	sets := []render.Set{
		{App: tenant, Objects: []render.Object{object("")}},
		{App: docs, Objects: []render.Object{object("settings")}},
		{App: shop, Objects: []render.Object{object(""), object("db"), object("settings"), object("web")}},
	}
	for cluster, want := range map[string][][]string{
		"":     {{""}, {"settings"}, {"", "db", "settings"}},
		"west": {{""}, {}, {"", "settings", "web"}},
		"lab":  {{""}, {}, {}},
	} {
		for i, set := range inCluster(sets, platform, ledger, cluster) {
			has := []string{}
			for _, o := range set.Objects {
				has = append(has, o.Component)
			}
			require.Equal(t, want[i], has, "%s of %q", set.App, cluster)
		}
	}
	require.Len(t, sets[2].Objects, 4, "the sets stay as they are")
	require.Equal(t, []string{"lab", "west"}, clusterNames(platform))
}
