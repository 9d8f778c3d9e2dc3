// Package generate makes fleets for tests and benchmarks of arbitration, from a
// seed or in the shapes that Kueue's published load tests have. Equal arguments
// give equal fleets. It decides nothing.
package generate

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// GPU is the device in generated pools.
const GPU = "example.com/gpu"

// Bands are those of every generated platform.
var Bands = []model.Band{{Name: "system", Min: 900}, {Name: "production", Min: 500}, {Name: "standard", Min: 100}, {Name: "batch", Min: 0}}

// Policy is the policy of generated platforms, tenants and applications, with as
// much preemption as named.
func Policy(preemption model.Preemption) model.Policy {
	return model.Policy{
		PriorityCeiling: 1000, Preemption: preemption, Degradation: true, Runtimes: []string{"container"},
		OvercommitCPU: 1000, OvercommitMem: 1000, Strategies: []string{"spread", "bin-pack"}, Strategy: "spread", Priority: 100,
		Ladder: []string{"qos", "optional", "replicas"},
	}
}

// App is an application of one component. It shares its policy with others.
func App(tenant, name string, priority, replicas int, requests model.Resources, policy *model.Policy) model.Application {
	return model.Application{
		ID: model.AppID{Tenant: tenant, Name: name}, Priority: priority, Desired: "running", Policy: policy,
		Components: []model.Component{Component("main", replicas, requests)},
	}
}

// Component is a critical worker in a container.
func Component(name string, replicas int, requests model.Resources) model.Component {
	return model.Component{
		Name: name, Type: "worker", Runtime: "container", OS: "linux", Replicas: replicas, Critical: true,
		Requests: requests, QoS: "guaranteed",
	}
}

// Run lets applications that are declared run in full in a pool.
func Run(w *world.World, pool string, ids ...model.AppID) {
	for _, id := range ids {
		inst, ok := w.Ledger.Find(id)
		if !ok {
			panic(fmt.Sprintf("generate: %s is not declared", id))
		}
		app := *w.App(id)
		inst.Phase, inst.Reason, inst.Spec, inst.Since = model.PhaseRunning, model.ReasonReady, &app, w.Now
		inst.Components = nil
		for i := range app.Components {
			c := &app.Components[i]
			inst.Components = append(inst.Components, model.ComponentState{
				Grant: model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, QoS: c.QoS, Pool: pool},
				Run:   c.Replicas, State: model.StateReady, Spec: c.Content(id), Since: w.Now,
			})
		}
	}
}
