package offline

import (
	"cmp"
	"context"
	"io/fs"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/evaluate/pool"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/turn"
)

// Options configure the evaluation and the rendering of fleets.
type Options struct {
	Child   []string // command line of the child processes of evaluate/pool
	Answers string   // directory of the cache of evaluations; "": none
	Fleet   string   // name of the fleet, as given to run
	Prefix  string   // of every namespace, as given to run
	Memory  int64    // of all children together, in bytes; 0: as much as they can use

	// Outside opens files outside the repo for a tenant; see build.Outside. Nil: none are at hand.
	Outside func(tenant string, p model.Pinned) (fs.FS, error)

	// Progress is called when a part of the work begins, with the number of its steps. It returns a function that is
	// called after each step, from any goroutine, and one that is called at the end. Nil is fine.
	Progress func(what string, steps int) (step, end func())

	// Worked is told the CPU time of each evaluation in a child, from any goroutine. Nil is fine.
	Worked func(time.Duration)
}

// revision is the files of a commit, or of a work tree, and access to the commits before it.
type revision struct {
	commit string // uncommitted for the files of a work tree
	files  evaluate.Files
	at     func(commit string) (evaluate.Files, error)
}

// assessor evaluates one revision after another. It evaluates and renders only what it has not seen before.
type assessor struct {
	Options
	children  *watchedPool
	evaluator *evaluate.Evaluator
	ledger    *model.Ledger // that the fleets are decided on; nil: none is known
	rendered  *turn.Checked // by the last assessment
	sets      []render.Set  // that were kept for the caller
}

func newAssessor(ctx context.Context, o Options) (*assessor, error) {
	children, err := pool.Open(ctx, pool.Options{Command: o.Child, Dir: o.Answers, Memory: o.Memory, Worked: o.Worked})
	if err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = func(string, int) (step, end func()) { return func() {}, func() {} }
	}
	watched := &watchedPool{Pool: children, ctx: ctx}
	return &assessor{Options: o, children: watched, evaluator: evaluate.Through(watched)}, nil
}

func (a *assessor) close() { a.children.Close() }

// assess returns the fleet of a revision, in which every application can be rendered.
func (a *assessor) assess(ctx context.Context, r revision) (model.Fleet, error) {
	declared, err := fs.Glob(r.files, "tenants/*/apps/*")
	if err != nil {
		return model.Fleet{}, err
	}
	var end func()
	a.children.step, end = a.Progress("evaluating applications:", len(declared))
	if a.ledger != nil {
		a.evaluator.Follow(a.ledger)
	}
	fleet := a.evaluator.Fleet(r.commit, r.files, r.at)
	end()
	if err := ctx.Err(); err != nil {
		return model.Fleet{}, err
	}
	a.children.step, end = a.Progress("rendering applications:", len(fleet.Applications))
	fleet, a.rendered = turn.CheckRenderings(fleet, turn.Renderings{
		Fleet: a.Fleet, Prefix: a.Prefix, Checked: a.rendered, Ledger: a.ledger, Run: a.children.Run,
		Builds: func(app *model.Application) (render.Builds, error) { return a.builds(r, app) },
	})
	end()
	return fleet, ctx.Err()
}

// builds builds the kustomizations and charts of an application from its directory at the commit of its spec.
func (a *assessor) builds(r revision, app *model.Application) (render.Builds, error) {
	b := render.Builder{Prefix: a.Prefix, Follow: a.evaluator.Build, Outside: a.Outside}
	return b.BuildIn(app, func(commit string) (fs.FS, error) {
		files := r.files
		if commit = cmp.Or(commit, r.commit); commit != r.commit {
			var err error
			if files, err = r.at(commit); err != nil {
				return nil, err
			}
		}
		return fs.Sub(files, layer.ApplicationDir(app.ID))
	})
}

// watchedPool is a pool that reports its steps, and starts none after the context has ended.
type watchedPool struct {
	*pool.Pool
	ctx  context.Context
	step func()
}

func (w *watchedPool) Run(n int, do func(i int)) {
	w.Pool.Run(n, func(i int) {
		if w.ctx.Err() == nil {
			do(i)
		}
		w.step()
	})
}
