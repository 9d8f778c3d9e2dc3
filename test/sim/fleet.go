package sim

import (
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// The tenants and applications of every world, in order.
var (
	tenants = []string{"acme", "zeta"}
	apps    = []model.AppID{
		{Tenant: "acme", Name: "batch"}, {Tenant: "acme", Name: "blog"}, {Tenant: "acme", Name: "shop"},
		{Tenant: "zeta", Name: "feed"}, {Tenant: "zeta", Name: "vault"},
	}
	onFailure  = map[string]model.OnFailure{"batch": "terminate", "blog": "rollback", "shop": "restart", "feed": "degrade", "vault": "restart"}
	deletions  = map[string]model.Deletion{"batch": "keep-data", "blog": "delete-data", "shop": "keep-data", "feed": "delete-data", "vault": "keep-data"}
	priorities = map[string]int{"batch": 50, "blog": 100, "shop": 500, "feed": 200, "vault": 900}
)

// Every replica of everything asks for the same, so that whatever fits into a pool
// in sum fits onto its nodes.
var perReplica = model.Resources{CPU: 1000, Memory: 1 << 30}

// declaration is what Git says about one application.
type declaration struct {
	shape             string // "": it is not declared
	version, replicas int
	broken            bool
	unrenderable      bool // no runtime can carry it out
	stopped           bool // it is to end
	suspended         bool // it is to pause
	raised            int  // its priority, by so much
}

func (d declaration) halted() bool { return d.stopped || d.suspended }

// shapes are the sorts of applications. Each has something that the loop treats in
// a way of its own: an order of start, a job, a volume, a part that is not
// critical, a secret.
var shapes = map[string]func(version, replicas int) []model.Component{
	"web": func(version, replicas int) []model.Component {
		return []model.Component{worker("web", version, replicas, 1)}
	},
	"store": func(version, replicas int) []model.Component {
		db := worker("db", 1, 1, 1)
		db.Type = "store"
		db.Traits = persistent
		return []model.Component{db, worker("web", version, replicas, 1, "db")}
	},
	"release": func(version, replicas int) []model.Component {
		job := worker("migrate", version, 1, 1)
		job.Type = "job"
		return []model.Component{job, worker("web", 1, replicas, replicas, "migrate")}
	},
	"extras": func(version, replicas int) []model.Component {
		extra := worker("reports", 1, 1, 1)
		extra.Critical, extra.Degrade = false, nil
		extra.Traits = persistent
		return []model.Component{extra, worker("web", version, replicas, 1)}
	},
	"secretive": func(version, replicas int) []model.Component {
		key := model.Component{Name: "key", Type: "secret", Replicas: 1, Critical: true, QoS: model.Burstable,
			Properties: fmt.Appendf(nil, `{"data":{"key":"canary-%d"}}`, version)}
		web := worker("web", 1, replicas, 1, "key")
		web.Traits = []byte(`{"storage":[{"name":"key","type":"secret","source":"key","mountPath":"/key"}]}`)
		return []model.Component{key, web}
	},
}

// forbidden is a component that evaluates and that no tenant may have.
var forbidden = model.Component{
	Name: "site", Type: "raw", Replicas: 1, QoS: model.Burstable,
	Properties: []byte(`{"objects":[{"apiVersion":"v1","kind":"Event","metadata":{"name":"site"}}]}`),
}

var persistent = []byte(`{"storage":[{"name":"data","type":"persistent","mountPath":"/data","size":"1Gi"}]}`)

func worker(name string, version, replicas, least int, after ...string) model.Component {
	return model.Component{
		Name: name, Type: "worker", Runtime: "container", OS: "linux", Replicas: replicas, Critical: true,
		DependsOn: after, Requests: perReplica, QoS: model.Burstable, Degrade: &model.Degrade{MinReplicas: least},
		Properties: fmt.Appendf(nil, `{"image":"registry.example.com/%s:%d"}`, name, version),
	}
}

// startDeadline is how long an application may take to start.
const startDeadline = 10 * time.Minute

func policy(r rules) model.Policy {
	return model.Policy{
		MaxReplicas: 50, PriorityCeiling: 1000, MaxShare: 1000, Registries: []string{"registry.example.com"},
		Runtimes: []string{"container"}, Namespace: "tenant", OvercommitCPU: 1000, OvercommitMem: 1000,
		Preemption: model.Preemption(r.preemption), Egress: egress[:r.egress], Degradation: true, Strategies: []string{"spread"}, Strategy: "spread",
		OnUpdateFailure: "rollback", Ladder: []string{"qos", "optional", "replicas"}, RestoreHold: 30 * time.Second,
		Replicas: 1, Priority: 100, StartDeadline: startDeadline,
	}
}

// rules are what differs between platform layers: who makes room for whom, and how many
// hosts workflows may call.
type rules struct {
	preemption string
	egress     int
}

var egress = []string{"a.example.com", "b.example.com"}

// preemptions are the policies of making room.
var preemptions = []string{"none", "within-tenant", "reclaim", "any"}

// platforms holds one platform layer for each of them.
var platforms = func() map[rules]*model.Platform {
	all := map[rules]*model.Platform{}
	for i := range len(preemptions) * (len(egress) + 1) {
		r := rules{preemptions[i%len(preemptions)], i / len(preemptions)}
		all[r] = &model.Platform{
			Name: "sim", Policy: policy(r), Profiles: model.BuiltinQoSProfiles(),
			Access: &model.Access{Principals: []model.Principal{{Name: "ann", SSH: []string{annsKey}}}, Admins: []string{"ann"}},
			Pools: []model.PoolSpec{{
				Name: pool, OS: []string{"linux"}, Runtimes: []string{"container"}, Selector: map[string]string{"pool": pool},
			}},
			Bands: []model.Band{{Name: "system", Min: 900}, {Name: "production", Min: 500}, {Name: "standard", Min: 100}, {Name: "batch"}},
		}
	}
	return all
}()

const pool = "general"

// specs keeps applications by what was declared: sealing one takes time, and they are the same in every history.
// Histories are lived through one after the other, so it needs no lock.
var specs = map[specKey]model.Application{}

type specKey struct {
	app  int
	what declaration
	rules
}

// application returns the spec of a declaration as of a commit.
func application(app int, d declaration, r rules, commit string) model.Application {
	d.broken = false
	key := specKey{app, d, r}
	a, ok := specs[key]
	if !ok {
		a = model.Application{
			ID: apps[app], Priority: priorities[apps[app].Name] + d.raised, Desired: "running", Policy: new(policy(r)),
			Lifecycle: model.Lifecycle{
				Grace: grace, Deletion: deletions[apps[app].Name], OnFailure: onFailure[apps[app].Name], Threshold: 3, Window: 5 * time.Minute,
				Backoff: model.Backoff{Initial: 10 * time.Second, Factor: 2, Max: 5 * time.Minute}, Quarantine: 2,
			},
			Components: shapes[d.shape](d.version, d.replicas),
		}
		if d.unrenderable {
			a.Components = append(a.Components, forbidden)
		}
		if flow := flows[d.shape]; flow != nil {
			a.Workflow = flow(d.version)
		}
		switch {
		case d.stopped:
			a.Desired = "terminated"
		case d.suspended:
			a.Desired = "suspended"
		}
		a = a.Seal()
		specs[key] = a
	}
	a.Commit = commit
	return a
}
