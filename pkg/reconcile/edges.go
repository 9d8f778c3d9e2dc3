package reconcile

import (
	"context"
	"io/fs"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// Edges connect a loop to the world.
type Edges struct {
	Source    Source
	Status    Ledger
	Runtime   Runtime
	Nodes     Nodes // nil: no node has an agent
	Evaluator Evaluator
	Commands  Commands // nil: people make no requests
	Outbound  Outbound // nil: no request leaves the process
	Audience

	// Slice is how long the runtime acts in a pass. What is left is due in the next one. 0: no limit.
	Slice time.Duration
	// Newcomers is how many applications get their first record in a pass at most. 0: no limit.
	Newcomers int
	Readings
	Wakes
}

// Audience is told what was saved.
type Audience struct {
	Events    Events // nil: nobody looks at a runtime
	Listeners []Listener
}

// Wakes have the next pass start sooner. All may be nil.
type Wakes struct {
	// SourceChanged gets a value when the fleet repo may have changed: the loop polls it at once.
	SourceChanged <-chan struct{}
	// Evaluated gets a value when an evaluation has ended that no pass waited for.
	Evaluated <-chan struct{}
	// Fetched gets a value when files outside the fleet repo were fetched, or were not.
	Fetched <-chan struct{}
}

// Readings tell how the edges are doing. All may be zero.
type Readings struct {
	// Clusters are those beside the first one that the runtime has, by the names that pools give them.
	Clusters []string
	// Recall tells the runtime what was shown before this process began, for those of which one is away. Nil: there is one runtime.
	Recall func(model.Recalled)
	// Views returns when each runtime last showed what it has.
	Views func() []runtime.View
	// Preview returns sentences about the objects of assignments that others made, for a dry run. Nil: nobody looks.
	Preview func(ctx context.Context, list []runtime.Assignment) ([]string, error)
	// Outside opens files outside the fleet repo for a tenant; see build.Outside. Nil: none are at hand.
	Outside func(tenant string, p model.Pinned) (fs.FS, error)
	// Progress are functions that count what the edges get done: objects that the cluster
	// has answered, directories that were evaluated. They are for concurrent use.
	Progress []func() int64
	// Limits are functions that tell which part of a limit is used, by its name: from 1 on
	// what exceeds it is refused.
	Limits map[string]func() float64
	// Mirror tells for how long the mirror of the status branch has lacked something.
	Mirror func(now time.Time) time.Duration
	// Delivered tells the last save of which, and of all before, the listeners have
	// delivered everything that they got.
	Delivered func() int64
	// SourceStale is for how long the repo may be unavailable before that counts. 0: the constant.
	SourceStale time.Duration
}

// Source is the fleet repo. *source.Repository is one.
type Source interface {
	// Line fetches the branch and returns its commits since the commit that was accepted
	// last, recorded, and since the trust root. Either of the two may be "". If the fetch
	// fails, Line returns an error, never an older state of the branch.
	Line(ctx context.Context, recorded, root string) (source.Line, error)
}

// Evaluator turns the files of a commit into a fleet. *evaluate.Evaluator is one.
type Evaluator interface {
	// Follow tells which applications the ledger has, before Fleet.
	Follow(ledger *model.Ledger)
	// Fleet evaluates the files of a commit. Function at opens the commits that
	// applications are pinned to.
	Fleet(commit string, files evaluate.Files, at func(commit string) (evaluate.Files, error)) model.Fleet
	// Application evaluates one application of a commit, nil if it declares none that is
	// valid. Final is false if that may change with another try.
	Application(app model.AppID, commit string, at func(commit string) (evaluate.Files, error)) (spec *model.Application, invalid, final bool)
	// Layers evaluates the platform and the tenants, which grant people access to paths,
	// and no applications.
	Layers(files evaluate.Files) model.Fleet
	// Build follows a recipe of a tenant within the limits of an evaluation. It returns an
	// error only if the build did not run, or did not end yet.
	Build(tenant string, r build.Recipe) (build.Result, error)
	// Health returns what the definition of a component of a tenant says of what is live,
	// within the limits of an evaluation. An error means that it is not known now.
	Health(tenant string, c *model.Component, live []byte) (model.Health, error)
	// Settled reports whether the last fleet is final. It is not if a file could not be
	// read or an evaluation did not end.
	Settled() bool
}

// Ledger is the status branch. *status.Branch is one.
type Ledger interface {
	Load(ctx context.Context) (model.Ledger, error)
	// Commit pushes the difference between two ledgers and returns the ledger that the
	// branch then holds. Equal ledgers make no commit. If another process pushed in the
	// meantime, the error is status.ErrMoved.
	Commit(ctx context.Context, previous, next model.Ledger) (saved model.Ledger, changed bool, err error)
	// Saves returns the saves after the one with a sequence, oldest first.
	Saves(ctx context.Context, after int64) ([]status.Save, error)
}

// Runtime carries workloads. A *runtime.Mux is one, and so is each adapter.
type Runtime interface {
	// Inspect returns the capacity of the pools of a platform and the state of workloads.
	Inspect(ctx context.Context, platform *model.Platform) (model.Observation, error)
	// Act makes the runtimes hold what the assignments say: it creates, starts, changes,
	// stops and deletes. It is idempotent, and touches only the applications and tenants of
	// the assignments.
	Act(ctx context.Context, list []runtime.Assignment) runtime.Report
	// Drifted returns the applications whose objects another client changed or deleted
	// since the last call. Name is "" for the objects of a tenant.
	Drifted() []model.AppID
	// Changed gets a value when a runtime has changed, so that the next pass starts
	// sooner.
	Changed() <-chan struct{}
}

// Events are for people who look at a runtime. *kubernetes.Runtime has some.
type Events interface {
	// Event creates an event about an instance, or about the fleet if that is nil. It does not
	// wait, and may leave it out.
	Event(ctx context.Context, about *model.Instance, e announce.Event)
}

// Commands reads the requests of people to runs of workflows. *Approvals is one.
type Commands interface {
	// Requests returns the requests in the approval files of an accepted commit, each
	// with the commit that brought it.
	Requests(snap source.Snapshot) access.Requests
}

// Outbound makes the requests of steps to other systems. *outbound.Dispatcher is one.
type Outbound interface {
	// Do receives every task that is due now. It starts the tasks that do not run yet,
	// cancels the running tasks that are missing from the list, and returns without
	// waiting for either.
	Do(tasks []outbound.Task)
	// Results returns the results of the finished tasks in the last list, by key.
	Results() []workflow.Result
	// Changed has a value when there are new results.
	Changed() <-chan struct{}
}
