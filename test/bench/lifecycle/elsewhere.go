package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/source"
)

// kinds are what happens to applications that run already.
var kinds = []string{"an approval", "a stop", "a failure"}

// elsewhere is the fleet repo and the runtime of a fleet in which some applications run
// and all others start. What people change counts from the next fetch on.
type elsewhere struct {
	repo
	*carrier
	perObject time.Duration // that the runtime takes
	all       model.Fleet   // with those that start
	starting  int

	mu       sync.Mutex
	edits    []func() // that the next fetch brings
	begun    bool
	happened int
	ledger   model.Ledger // when the others began to start
	requests []access.Request
	broken   map[model.AppID]bool
	waiting  map[model.AppID]time.Time // since when something has happened that was not acted on
	heard    map[string][]time.Duration
}

func newElsewhere(f *fleet, perObject time.Duration) *elsewhere {
	e := &elsewhere{
		repo: repo{f}, carrier: &carrier{applied: map[model.AppID][]model.Workload{}}, perObject: perObject, starting: len(f.Applications),
		broken: map[model.AppID]bool{}, waiting: map[model.AppID]time.Time{}, heard: map[string][]time.Duration{},
	}
	ops := model.Tenant{Name: "ops", Weight: 1, MaxApplications: 1000, MaxWorkloads: 10_000, PriorityCeiling: 1000, Policy: policy}
	var others []*model.Application
	for i := range othersEach * len(kinds) {
		others = append(others, other(i))
	}
	e.all = f.Fleet
	e.all.Tenants = append([]model.Tenant{ops}, f.Tenants...)
	e.all.Applications = append(slices.Clone(others), f.Applications...)
	f.Tenants, f.Applications = e.all.Tenants[:1], others
	f.commit()
	return e
}

// otherID names the application to which the i-th event happens.
func otherID(i int) model.AppID { return model.AppID{Tenant: "ops", Name: fmt.Sprintf("a%04d", i)} }

// other is that application.
func other(i int) *model.Application {
	a := application(otherID(i), 0, false)
	if i%len(kinds) == 0 { // it waits for an approval
		a.Workflow = &model.Workflow{Steps: []model.Step{
			{Name: "agree", Type: "approval", Timeout: 24 * time.Hour, Retry: model.Retry{Attempts: 1}, OnFailure: "stop", Properties: []byte(`{}`)},
			{Name: "release", Type: "deploy", Components: []string{"queue", "web"}, DependsOn: []string{"agree"}, Timeout: time.Hour, Retry: model.Retry{Attempts: 1}, OnFailure: "rollback"},
		}}
	}
	a.Lifecycle.OnFailure, a.Lifecycle.Threshold = model.OnFailureTerminate, 1
	a = a.Seal()
	return &a
}

// settle makes passes until the others run or wait for an approval.
func (e *elsewhere) settle(b *bench) error {
	for range 50 {
		r, err := b.loop.Pass(b.ctx)
		if err != nil {
			return err
		}
		if !r.Changed() && r.Left == 0 && r.Phases[model.PhaseRunning]+r.Phases[model.PhaseScheduled] == len(e.fleet.Applications) {
			ledger, err := b.branch.Load(b.ctx)
			e.ledger = ledger
			return err
		}
	}
	return fmt.Errorf("what runs before the others start has not settled")
}

// startAll declares all applications.
func (e *elsewhere) startAll() {
	e.fleet.Tenants, e.fleet.Applications, e.begun = e.all.Tenants, e.all.Applications, true
	e.fleet.commit()
}

// edit is a commit, which the next fetch brings.
func (e *elsewhere) edit(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.edits = append(e.edits, change)
}

// next lets something happen to the next application.
func (e *elsewhere) next() {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := e.happened
	if i >= othersEach*len(kinds) {
		return
	}
	e.happened++
	id := otherID(i)
	e.waiting[id] = time.Now()
	switch i % len(kinds) {
	case 0:
		e.edits = append(e.edits, func() {
			in, _ := e.ledger.Find(id)
			e.requests = append(e.requests, access.Request{
				App: id, File: "approvals/ops/" + id.Name + "/go.cue", Asks: []model.Command{{Action: model.CommandApprove, Run: in.Run.ID, Step: "agree"}},
				Commit: access.Commit{Hash: e.fleet.Fleet.Commit, Author: "ann <ann@example.com>"},
			})
		})
	case 1:
		e.edits = append(e.edits, func() {
			e.fleet.Applications = slices.DeleteFunc(slices.Clone(e.fleet.Applications), func(a *model.Application) bool { return a.ID == id })
		})
	case 2:
		e.broken[id] = true
	}
}

// started reports whether all applications are declared.
func (e *elsewhere) started() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.begun
}

// left returns to how many applications something happened that was not acted on.
func (e *elsewhere) left() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.waiting)
}

// Line makes the edits since the last fetch one commit.
func (e *elsewhere) Line(ctx context.Context, recorded, root string) (source.Line, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, edit := range e.edits {
		e.fleet.commits++
		e.fleet.Fleet.Commit = fmt.Sprintf("%040x", e.fleet.commits)
		edit()
	}
	e.edits = nil
	return e.repo.Line(ctx, recorded, root)
}

// Requests are the approvals so far.
func (e *elsewhere) Requests(source.Snapshot) access.Requests {
	e.mu.Lock()
	defer e.mu.Unlock()
	return access.Requests{List: slices.Clone(e.requests)}
}

func (e *elsewhere) Inspect(ctx context.Context, platform *model.Platform) (model.Observation, error) {
	seen, err := e.carrier.Inspect(ctx, platform)
	e.mu.Lock()
	defer e.mu.Unlock()
	seen.Workloads = slices.Clone(seen.Workloads)
	for i := range seen.Workloads {
		if w := &seen.Workloads[i]; e.broken[w.App] {
			w.Ready, w.Failure = 0, &model.Failure{Class: "runtime", Reason: "ContainerCrash", ExitCode: 1}
		}
	}
	return seen, err
}

// Act takes its time for each object, and notes what was waited for.
func (e *elsewhere) Act(ctx context.Context, list []runtime.Assignment) runtime.Report {
	return renderer.Act(ctx, list, e.apply)
}

func (e *elsewhere) apply(ctx context.Context, sets []render.Set) apply.Report {
	for i := range sets {
		select {
		case <-time.After(time.Duration(len(sets[i].Objects)) * e.perObject):
		case <-ctx.Done():
		}
		e.mu.Lock()
		if since, ok := e.waiting[sets[i].App]; ok {
			kind := e.kindOf(sets[i].App)
			e.heard[kind] = append(e.heard[kind], time.Since(since))
			delete(e.waiting, sets[i].App)
		}
		e.mu.Unlock()
	}
	return e.carrier.apply(ctx, sets)
}

func (e *elsewhere) kindOf(id model.AppID) string {
	for i := range e.happened {
		if otherID(i) == id {
			return kinds[i%len(kinds)]
		}
	}
	return ""
}

func (e *elsewhere) Drifted() []model.AppID   { return nil }
func (e *elsewhere) Changed() <-chan struct{} { return nil }
