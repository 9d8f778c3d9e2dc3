package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos"
)

// planned is a fleet with two tenants in a pool, and one in another.
func planned() *model.Ledger {
	instance := func(tenant, name string, components ...model.ComponentState) model.Instance {
		spec := &model.Application{Policy: &model.Policy{}, ID: model.AppID{Tenant: tenant, Name: name}, Priority: 300, Commit: "8f3c"}
		for i := range components {
			g := &components[i].Grant
			kind := map[string]string{"db": "store", "web": "webservice", "log": "daemon", "objects": "raw"}[g.Component]
			spec.Components = append(spec.Components, model.Component{Name: g.Component, Type: kind, Runtime: "container", OS: "linux", QoS: g.QoS, Requests: g.Requests})
			if g.Pool == "" {
				g.Pool = "general"
			}
		}
		return model.Instance{App: spec.ID, Number: 1, Phase: model.PhaseRunning, Spec: spec, Components: components}
	}
	state := func(component string, replicas int, qos string, cpu, memory int64) model.ComponentState {
		return model.ComponentState{Grant: model.Grant{Component: component, Replicas: replicas, QoS: qos, Requests: model.Resources{CPU: cpu, Memory: memory << 20}}}
	}
	other := state("web", 2, model.Guaranteed, 500, 128)
	other.Grant.Pool = "other"
	return &model.Ledger{
		Platform: &model.Platform{
			Pools:        []model.PoolSpec{{Name: "general"}, {Name: "other"}},
			Profiles:     append(model.BuiltinQoSProfiles(), model.QoSProfile{Name: "gold", Rank: 25, CPU: model.QoSCPU{Weight: 700}}),
			Reservations: []model.Reservation{{Name: "ssh", System: "sshd.service", Pool: "general", Amount: model.Resources{CPU: 200}}},
		},
		Instances: []model.Instance{
			instance("acme", "shop", state("db", 1, model.GuaranteedPro, 1000, 2048), state("objects", 1, "burstable", 100, 100), state("web", 4, model.Burstable, 500, 256)),
			instance("acme", "tools", state("log", 3, "gold", 100, 64), state("web", 0, "burstable", 100, 100)),
			instance("beta", "site", other),
		},
	}
}

func planOf(t require.TestingT, l *model.Ledger, pool string) qos.Plan {
	document, ok := NodePlans(l, "")[pool]
	require.True(t, ok)
	plan, err := qos.Parse(document)
	require.NoError(t, err)
	return plan
}

func reservedBy(plan qos.Plan) map[string]model.Resources {
	all := map[string]model.Resources{}
	for _, w := range plan.Workloads {
		all[w.Name] = w.Reserved
	}
	return all
}

func TestNodePlans(t *testing.T) {
	plans := NodePlans(planned(), "p-")
	require.Len(t, plans, 2)
	require.Equal(t, `{
  "apiVersion": "d-aros.dev/v1alpha1",
  "kind": "NodePlan",
  "profiles": [
    {
      "name": "gold",
      "rank": 25,
      "cpu": {
        "weight": 700
      },
      "memory": {},
      "io": {},
      "network": {
        "priority": 0
      }
    }
  ],
  "workloads": [
    {"name":"acme/shop/db","pods":{"namespace":"p-acme","kind":"StatefulSet","names":["shop-db"],"container":"db"},"source":"8f3c","profile":"guaranteed-pro","priority":300,"cpu":{"request":"1","limit":"1"},"memory":{"request":"2Gi","limit":"2Gi"},"reserved":{"cpu":"1","memory":"2Gi"}},
    {"name":"acme/shop/web","pods":{"namespace":"p-acme","kind":"Deployment","names":["shop-web","shop-web-next"],"container":"web"},"source":"8f3c","profile":"burstable","priority":300,"cpu":{"request":"500m"},"memory":{"request":"256Mi"}},
    {"name":"acme/tools/log","pods":{"namespace":"p-acme","kind":"DaemonSet","names":["tools-log"],"container":"log"},"source":"8f3c","profile":"gold","priority":300,"cpu":{"request":"100m"},"memory":{"request":"64Mi"}},
    {"name":"system/sshd.service","unit":"sshd.service","profile":"guaranteed-pro","priority":2147483647,"cpu":{"request":"200m"},"reserved":{"cpu":"200m"}}
  ]
}
`, string(plans["general"]))
	require.Contains(t, string(plans["other"]), `"name":"beta/site/web"`)
}

// The generation of a plan is the save that changed it, and it stays while other plans change.
func TestGenerationsOfPlans(t *testing.T) {
	l := planned()
	l.Identity = model.LedgerIdentity{ID: strings.Repeat("a", 32), Sequence: 4}
	l.Plans = NodePlans(l, "")
	generations := func() (all []int64) {
		for _, pool := range []string{"general", "other"} {
			plan, err := qos.Parse(l.Plans[pool])
			require.NoError(t, err)
			require.Equal(t, l.Identity.ID, plan.Ledger)
			all = append(all, plan.Generation)
		}
		return all
	}
	require.Equal(t, []int64{4, 4}, generations())
	l.Identity.Sequence, l.Platform.Reservations = 5, nil
	l.Plans = NodePlans(l, "")
	require.Equal(t, []int64{5, 4}, generations())
}

func TestPlansDivideReservations(t *testing.T) {
	l := planned()
	l.Platform.Reservations = append(l.Platform.Reservations,
		model.Reservation{Name: "shop", App: model.AppID{Tenant: "acme", Name: "shop"}, Pool: "general", Amount: model.Resources{CPU: 2000}},
		model.Reservation{Name: "acme", Tenant: "acme", Pool: "general", Amount: model.Resources{CPU: 150, Memory: 64 << 20}},
		model.Reservation{Name: "elsewhere", Tenant: "beta", Pool: "general", Amount: model.Resources{CPU: 5000}},
	)
	got := reservedBy(planOf(t, l, "general"))
	// Of two cores the profile of db has one; the other is for four web pods. The tenant's 150m
	// go to what is open: 4 × 250m of web and 3 × 100m of log, and its memory likewise.
	require.Equal(t, int64(1000), got["acme/shop/db"].CPU)
	require.Equal(t, int64(250+250*150/1300), got["acme/shop/web"].CPU)
	require.Equal(t, int64(100*150/1300), got["acme/tools/log"].CPU)
	require.Zero(t, got["acme/shop/web"].Memory, "the profile of db has more than the tenant's reservation")
	require.Equal(t, int64(500*0), reservedBy(planOf(t, l, "other"))["beta/site/web"].CPU, "reservations are of a pool")
}

// What is reserved for an application or a tenant is never promised twice, no pod has more
// than it requests, and the order of what is in the ledger does not matter.
// What is reserved of the network and of disks is each pod's, of an application or of all of a tenant, and a
// unit's on each node.
func TestPlansReserveTraffic(t *testing.T) {
	l := planned()
	l.Platform.Reservations = append(l.Platform.Reservations,
		model.Reservation{Name: "shop", App: model.AppID{Tenant: "acme", Name: "shop"}, Pool: "general", Network: 50_000_000},
		model.Reservation{Name: "acme", Tenant: "acme", Pool: "general", Network: 2_500_000, Disk: 20 << 20},
		model.Reservation{Name: "ssh-out", System: "sshd.service", Pool: "general", Network: 1_000_000})
	bits, bytes := map[string]int64{}, map[string]int64{}
	for name, r := range reservedBy(planOf(t, l, "general")) {
		bits[name], bytes[name] = r.Get(model.NetworkResource), r.Get(model.DiskResource)
	}
	require.Equal(t, map[string]int64{"acme/shop/db": 50e6, "acme/shop/web": 50e6, "acme/tools/log": 25e5, "system/sshd.service": 1e6}, bits)
	require.Equal(t, map[string]int64{"acme/shop/db": 20 << 20, "acme/shop/web": 20 << 20, "acme/tools/log": 20 << 20, "system/sshd.service": 0}, bytes)
	require.Contains(t, string(NodePlans(l, "")["general"]), `"reserved":{"network":"50M","disk":"20Mi"}`)
}

func TestPlansPromiseNoMoreThanIsReserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := planned()
		for i := range l.Instances {
			for j := range l.Instances[i].Components {
				g := &l.Instances[i].Components[j].Grant
				g.Replicas, g.Requests.CPU, g.QoS = rapid.IntRange(0, 5).Draw(t, "replicas"), rapid.Int64Range(0, 5000).Draw(t, "cpu"), model.Burstable
			}
		}
		amount := func(name string) model.Resources {
			return model.Resources{CPU: rapid.Int64Range(0, 20000).Draw(t, name)}
		}
		app, tenant := amount("app"), amount("tenant")
		l.Platform.Reservations = []model.Reservation{
			{Name: "tenant", Tenant: "acme", Pool: "general", Amount: tenant},
			{Name: "app", App: model.AppID{Tenant: "acme", Name: "shop"}, Pool: "general", Amount: app},
		}
		plan := planOf(t, l, "general")
		var sum int64
		for _, w := range plan.Workloads {
			require.LessOrEqual(t, w.Reserved.CPU, w.Request.CPU)
			for i := range l.Instances {
				for _, s := range l.Instances[i].Components {
					if w.Name == l.Instances[i].App.String()+"/"+s.Grant.Component {
						sum += w.Reserved.CPU * int64(s.Grant.Replicas)
					}
				}
			}
		}
		require.LessOrEqual(t, sum, app.CPU+tenant.CPU)
		before := NodePlans(l, "")
		slices.Reverse(l.Platform.Reservations)
		require.Equal(t, before, NodePlans(l, ""))
	})
}

// BenchmarkNodePlans renders the plans of 10,000 applications with two components each.
func BenchmarkNodePlans(b *testing.B) {
	l := planned()
	one := l.Instances[0]
	l.Instances = nil
	for i := range 10_000 {
		inst := one
		inst.App.Name = fmt.Sprintf("shop%d", i)
		l.Instances = append(l.Instances, inst)
	}
	for b.Loop() {
		NodePlans(l, "")
	}
}
