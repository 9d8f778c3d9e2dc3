package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	authorization "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
	"github.com/d-aros/d-aros/pkg/sealed"
)

// Stale is how long a broken watch is tolerated: an API server that restarts is
// back within seconds.
const Stale = 10 * time.Second

// Options of a Runtime.
type Options struct {
	Fleet     string // value of render.LabelFleet; separates fleets that share a cluster
	Prefix    string // put before every namespace name
	Workers   int    // requests at the same time, default 8
	Namespace string // of the anchor, default daros-system
	Cluster   string // whose pools these are; "" has the pools that name none

	Patience time.Duration // see apply.Options
	Slice    time.Duration // see apply.Options

	// Agents is the namespace of the agents of nodes, which get their plans there. "": none.
	Agents string

	// TenantRole is the ClusterRole of the accounts that are impersonated to change the
	// objects of applications, one in each namespace. "": nobody is impersonated.
	TenantRole string

	Opener *sealed.Opener // of encrypted files; nil: none is opened

	// Build follows a recipe of a tenant. Nil builds it in this process without limits.
	Build func(tenant string, r build.Recipe) (build.Result, error)
	// Outside opens files outside the fleet repo for a tenant; see build.Outside. Nil: none are at hand.
	Outside func(tenant string, p model.Pinned) (fs.FS, error)
}

// Runtime is one cluster. Close ends its watches.
type Runtime struct {
	o         Options
	renderer  Renderer
	permitted atomic.Bool
	answered  atomic.Bool // Inspect did, once
	reviews   authorization.SelfSubjectAccessReviewInterface
	core      *v1.CoreV1Client
	applier   *apply.Applier
	nodes     *nodes
	events    *events
	machines  *machines

	mu        sync.Mutex
	workloads map[model.AppID][]model.Workload // as of the last Inspect
}

// New returns the runtime for a cluster. Nothing is sent before the first call.
func New(cfg *rest.Config, opts Options) (*Runtime, error) {
	opts.Namespace = cmp.Or(opts.Namespace, "daros-system")
	account := ""
	if opts.TenantRole != "" {
		account = render.Account
	}
	applier, err := apply.New(cfg, apply.Options{
		Fleet: opts.Fleet, Workers: opts.Workers, Patience: opts.Patience, Slice: opts.Slice, Summary: summarize, Account: account,
	})
	if err != nil {
		return nil, err
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.RateLimiter = -1, nil
	cfg.ContentType = "application/vnd.kubernetes.protobuf"
	core, err := v1.NewForConfig(cfg)
	authorizer, unauthorized := authorization.NewForConfig(cfg)
	if err = cmp.Or(err, unauthorized); err != nil {
		applier.Close()
		return nil, fmt.Errorf("connect to %s: %w", cfg.Host, err)
	}
	r := &Runtime{
		renderer: Renderer{opts.Fleet, render.Builder{Prefix: opts.Prefix, Follow: opts.Build, Outside: opts.Outside}},
		o:        opts, reviews: authorizer.SelfSubjectAccessReviews(), core: core, applier: applier, events: newEvents(core),
		workloads: map[model.AppID][]model.Workload{},
	}
	r.machines = &machines{Background: runtime.NewBackground(), again: applier.Again, apps: map[model.AppID]map[string]*toldMachines{}}
	r.nodes = newNodes(core, opts.Fleet, opts.Agents, applier.Live().Wake)
	return r, nil
}

// Name is what people call the runtime.
func (r *Runtime) Name() string {
	if r.o.Cluster == "" {
		return carrier.Kubernetes.Name
	}
	return "cluster " + r.o.Cluster
}

// Carries returns why the cluster does not carry a component in a pool, nil if it does.
func (r *Runtime) Carries(c *model.Component, pool *model.PoolSpec) error {
	if err := carrier.Check(c, carrier.InCluster); err != nil {
		return err
	}
	if pool != nil && pool.Cluster != r.o.Cluster {
		return fmt.Errorf("%s has no pools of %s", r.Name(), pool.InCluster())
	}
	return nil
}

// Act makes the cluster hold what assignments say. What takes longer than a slice goes on. What finds no room counts as under
// way: a later call begins it.
func (r *Runtime) Act(ctx context.Context, list []runtime.Assignment) runtime.Report {
	apps := make([]model.AppID, len(list))
	for i := range list {
		apps[i] = list[i].App
	}
	var idle []runtime.Assignment
	for i, room := range r.applier.Room(apps) {
		if room {
			idle = append(idle, list[i])
		}
	}
	report := r.renderer.Act(ctx, idle, r.Apply)
	r.machines.told(list)
	all, told := make([]runtime.Outcome, len(list)), report.Outcomes
	for i := range list {
		if len(told) > 0 && told[0].App == list[i].App {
			all[i], told = told[0], told[1:]
		} else {
			all[i] = runtime.Outcome{App: list[i].App, UnderWay: true}
		}
	}
	for i := range all {
		for k := range all[i].Results {
			all[i].Results[k].Object += r.where()
		}
	}
	report.Outcomes = all
	return report
}

// Apply makes the cluster hold the sets. See apply.Applier.Apply. A set with an encrypted
// file that cannot be opened stays as it is in the cluster.
func (r *Runtime) Apply(ctx context.Context, sets []render.Set) apply.Report {
	opened, shut := make([]render.Set, 0, len(sets)), make([]*apply.Result, len(sets))
	for i, set := range r.withAccounts(sets) {
		if set, shut[i] = r.unseal(ctx, set); shut[i] == nil {
			opened = append(opened, set.Compact())
		} // else nothing of it is applied: pods would start with values that are not those of their version
	}
	report := r.applier.Apply(ctx, opened)
	for i, res := range shut { // in the order of the sets
		if res != nil {
			report.Sets = slices.Insert(report.Sets, i, apply.SetReport{App: sets[i].App, Results: []apply.Result{*res}})
		}
	}
	return report
}

// withAccounts returns the sets with the accounts of tenants.
func (r *Runtime) withAccounts(sets []render.Set) []render.Set {
	if r.o.TenantRole == "" {
		return sets
	}
	sets = slices.Clone(sets)
	for i := range sets {
		if sets[i].App.Name == "" {
			sets[i] = render.WithAccounts(sets[i], r.o.TenantRole)
		}
	}
	return sets
}

// Others returns sentences about the objects of sets that others made, with their owners
// and the fields that differ, and about what application.adopt does not find. It changes nothing.
func (r *Runtime) Others(ctx context.Context, sets []render.Set) ([]string, error) {
	others, unmatched, err := r.applier.Others(ctx, r.withAccounts(sets))
	sentences := make([]string, 0, len(others)+len(unmatched))
	for i := range others {
		sentences = append(sentences, others[i].String())
	}
	sentences = append(sentences, unmatched...)
	for i := range sentences {
		sentences[i] += r.where()
	}
	return sentences, err
}

// Deviations returns the objects of sets that are not as wanted, and those that nothing
// wants any more. It changes nothing.
func (r *Runtime) Deviations(ctx context.Context, sets []render.Set) ([]model.Deviation, error) {
	list, err := r.applier.Deviations(ctx, r.withAccounts(sets))
	for i := range list {
		list[i].Cluster = r.o.Cluster
	}
	return list, err
}

// Preview returns the sentences of Others about the objects of assignments.
func (r *Runtime) Preview(ctx context.Context, list []runtime.Assignment) ([]string, error) {
	sets := make([]render.Set, len(list))
	for i := range list {
		var err error
		if sets[i], err = r.renderer.Set(&list[i]); err != nil {
			return nil, fmt.Errorf("render %s: %w", list[i].App, err)
		}
	}
	return r.Others(ctx, sets)
}

// where follows what people are told of an object of a cluster that has a name.
func (r *Runtime) where() string {
	if r.o.Cluster == "" {
		return ""
	}
	return " (cluster " + r.o.Cluster + ")"
}

// Answered counts the requests for objects that have ended. It is for concurrent use.
func (r *Runtime) Answered() int64 { return r.applier.Answered() }

// Drifted returns the applications, in order, with an object that another manager
// changed or deleted since the last call.
func (r *Runtime) Drifted() []model.AppID { return r.applier.Drifted() }

// Changed returns a channel that gets a value after a change that the next Inspect
// or Drifted reports. Many changes may share one value.
func (r *Runtime) Changed() <-chan struct{} { return r.applier.Live().Changed() }

// Close ends all watches and waits for them.
func (r *Runtime) Close() {
	r.machines.Close()
	r.nodes.Close()
	r.events.Close()
	r.applier.Close()
}
