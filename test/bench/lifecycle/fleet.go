package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// fleet declares n applications, a hundred in each tenant. Every fifth has a
// workflow. Release counts how often an application was changed.
type fleet struct {
	commits int
	model.Fleet
	release []int
}

func newFleet(n int) *fleet {
	f := &fleet{release: make([]int, n)}
	f.Platform = &model.Platform{
		Name: "bench", Policy: policy, Profiles: model.BuiltinQoSProfiles(),
		Pools: []model.PoolSpec{{Name: "general", OS: []string{"linux"}, Runtimes: []string{"container"}, Selector: map[string]string{"pool": "general"}}},
		Bands: []model.Band{{Name: "system", Min: 900}, {Name: "production", Min: 500}, {Name: "standard", Min: 100}, {Name: "batch"}},
	}
	for i := range n {
		id := idOf(i)
		if i%100 == 0 {
			f.Tenants = append(f.Tenants, model.Tenant{
				Name: id.Tenant, Weight: 1, MaxApplications: 100, MaxWorkloads: 1000, PriorityCeiling: 1000, Policy: policy,
				Quota: &model.Resources{CPU: 1_000_000, Memory: 1 << 42},
			})
		}
		f.Applications = append(f.Applications, new(application(id, 0, i%5 == 0)))
	}
	f.commit()
	return f
}

func idOf(i int) model.AppID {
	return model.AppID{Tenant: fmt.Sprintf("t%04d", i/100), Name: fmt.Sprintf("a%04d", i%100)}
}

// change gives a new image to the application first and to every each-th after it.
func (f *fleet) change(first, each int) {
	f.Applications = slices.Clone(f.Applications)
	for i := first; i < len(f.Applications); i += each {
		f.release[i]++
		f.Applications[i] = new(application(idOf(i), f.release[i], i%5 == 0))
	}
	f.commit()
}

// commit gives the fleet the name of another commit.
func (f *fleet) commit() {
	f.commits++
	f.Fleet.Commit = fmt.Sprintf("%040x", f.commits)
	f.Applications = slices.Clone(f.Applications)
	for i, a := range f.Applications {
		now := *a
		now.Commit = f.Fleet.Commit
		f.Applications[i] = &now
	}
}

func application(id model.AppID, release int, flow bool) model.Application {
	component := func(name string, replicas int, after ...string) model.Component {
		return model.Component{
			Name: name, Type: "worker", Runtime: "container", OS: "linux", Replicas: replicas, Critical: true, DependsOn: after,
			Requests: model.Resources{CPU: 100, Memory: 128 << 20}, QoS: model.Burstable, Degrade: &model.Degrade{MinReplicas: 1},
			Properties: fmt.Appendf(nil, `{"env":{"LOG_LEVEL":"info","MODE":"production"},"image":"registry.example.com/%s:%d"}`, name, release),
		}
	}
	a := model.Application{
		ID: id, Labels: map[string]string{"team": "web"}, Priority: 300, Desired: "running", Policy: &policy,
		Components: []model.Component{component("queue", 1), component("web", 3, "queue")},
		Lifecycle: model.Lifecycle{
			Grace: 30 * time.Second, Deletion: "keep-data", OnFailure: "restart", Threshold: 3, Window: 5 * time.Minute,
			Backoff: model.Backoff{Initial: 10 * time.Second, Factor: 2, Max: 5 * time.Minute}, Quarantine: 2,
		},
	}
	if flow {
		a.Workflow = &model.Workflow{Steps: []model.Step{
			{Name: "queue", Type: "deploy", Components: []string{"queue"}, Timeout: time.Hour, Retry: model.Retry{Attempts: 1}, OnFailure: "rollback"},
			{Name: "web", Type: "deploy", Components: []string{"web"}, DependsOn: []string{"queue"}, Timeout: time.Hour, Retry: model.Retry{Attempts: 1}, OnFailure: "rollback"},
		}}
	}
	return a.Seal()
}

var policy = model.Policy{
	MaxReplicas: 50, PriorityCeiling: 1000, MaxShare: 1000, Registries: []string{"registry.example.com"},
	Runtimes: []string{"container"}, Namespace: "tenant", OvercommitCPU: 1000, OvercommitMem: 1000,
	Preemption: "within-tenant", Degradation: true, Strategies: []string{"spread"}, Strategy: "spread",
	OnUpdateFailure: "rollback", Ladder: []string{"qos", "optional", "replicas"}, RestoreHold: 30 * time.Second,
	Replicas: 1, Priority: 100, StartDeadline: 10 * time.Minute,
}
