package reconcile

import (
	"context"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/render/kustomize"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// Edges connect a loop to the world.
type Edges struct {
	Source    Source
	Status    Ledger
	Runtime   Runtime
	Evaluator Evaluator
	Commands  Commands // nil: nobody asks anything
	Outbound  Outbound // nil: no request leaves the process
	Listeners []Listener

	// SourceChanged has a value when the fleet repo may have changed, so that
	// the poll comes sooner. Nil is fine.
	SourceChanged <-chan struct{}
}

// Source is the fleet repo. *source.Repository is one.
type Source interface {
	// Line fetches what the repo holds now, and how it follows from the commit that
	// was accepted last and from the trust root, either of which may be "". It
	// returns an error rather than an old commit as a new one.
	Line(ctx context.Context, recorded, root string) (source.Line, error)
}

// Evaluator turns the files of a commit into a fleet. *evaluate.Evaluator is one.
type Evaluator interface {
	// Fleet evaluates a commit; at serves the commits that applications are
	// pinned to.
	Fleet(commit string, files evaluate.Files, at func(commit string) (evaluate.Files, error)) model.Fleet
	// Layers evaluates what says who may change what, and no applications.
	Layers(files evaluate.Files) model.Fleet
	// Build builds a kustomization within the limits of an evaluation. The error says
	// that no build took place.
	Build(kustomize.Kustomization) (kustomize.Built, error)
	// Settled reports whether the last fleet is all that its files say.
	Settled() bool
}

// Ledger is the status branch. *status.Branch is one.
type Ledger interface {
	Load(ctx context.Context) (model.Ledger, error)
	// Commit writes the difference between two ledgers. It returns when the branch has
	// it, with what the branch says then. Equal ledgers make no commit. When somebody
	// else wrote, the error is status.ErrMoved.
	Commit(ctx context.Context, previous, next model.Ledger) (saved model.Ledger, changed bool, err error)
}

// Runtime carries workloads. *kubernetes.Runtime is one.
type Runtime interface {
	// Inspect returns the capacity of the pools of a platform and the state of workloads.
	Inspect(ctx context.Context, platform *model.Platform) (model.Observation, error)
	// Act makes the cluster equal to the sets: it creates, starts, changes, stops and,
	// for an empty set, deletes. It is idempotent, and touches only the applications
	// and tenants of the sets.
	Act(ctx context.Context, sets []render.Set) apply.Report
	// Drifted returns the applications whose objects somebody else changed or
	// deleted since the last call; Name is "" for the objects of a tenant.
	Drifted() []model.AppID
	// Changed has a value when something happened that a pass should look at.
	Changed() <-chan struct{}
	// Event creates an event in a namespace, best effort.
	Event(ctx context.Context, namespace string, warning bool, reason, message string)
}

// Commands reads the requests of people to runs of workflows. *Approvals is one.
type Commands interface {
	// Requests returns what the files of an accepted commit ask, and by which commits.
	Requests(snap source.Snapshot) access.Requests
}

// Outbound makes the requests of steps to other systems. *outbound.Dispatcher is one.
type Outbound interface {
	// Do gets all tasks that are due. It starts new ones, stops those that are not due
	// any more, and does not wait.
	Do(tasks []outbound.Task)
	// Results returns the results of the tasks that are still due.
	Results() []workflow.Result
	// Changed has a value when there are new results.
	Changed() <-chan struct{}
}
