package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/evaluate/pool"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/render"
)

// verdict is what the reconciler would make of a tree of files.
type verdict struct {
	fleet model.Fleet // its applications can be rendered
}

// uncommitted stands for the commit that is not made yet, as Git writes it.
var uncommitted = strings.Repeat("0", 40)

// vet evaluates the files as they lie on disk, approvals among them, and renders
// every application.
func (w *workTree) vet(ctx context.Context, progressTo io.Writer) (*verdict, error) {
	files, err := w.files(ctx)
	if err != nil {
		return nil, err
	}
	a, err := newAssessor(ctx, "fleet", "", progressTo)
	if err != nil {
		return nil, err
	}
	defer a.close()
	v, err := a.assess(ctx, uncommitted, files, w.at(ctx))
	if err != nil {
		return nil, err
	}
	_, problems := a.evaluator.Approvals(files)
	v.fleet.Problems = append(v.fleet.Problems, problems...)
	return v, ctx.Err()
}

// judge does what the reconciler does with a commit before it decides.
func judge(ctx context.Context, files *fileTree, at func(string) (evaluate.Files, error), progressTo io.Writer) (*verdict, error) {
	a, err := newAssessor(ctx, "fleet", "", progressTo)
	if err != nil {
		return nil, err
	}
	defer a.close()
	return a.assess(ctx, uncommitted, files, at)
}

// assessor judges one tree of files after another and does again only what differs.
type assessor struct {
	evaluators *watched
	evaluator  *evaluate.Evaluator
	progressTo io.Writer
	rendered   map[model.Digest]bool // specs whose objects can be made

	fleet, prefix string // see reconcile.Options
}

func newAssessor(ctx context.Context, fleet, prefix string, progressTo io.Writer) (*assessor, error) {
	evaluators, err := openPool(ctx, answersOfVet())
	if err != nil {
		return nil, err
	}
	a := &assessor{
		evaluators: &watched{Pool: evaluators, ctx: ctx}, progressTo: progressTo, rendered: map[model.Digest]bool{},
		fleet: fleet, prefix: prefix,
	}
	a.evaluator = evaluate.Through(a.evaluators)
	return a, nil
}

func (a *assessor) close() { a.evaluators.Close() }

// assess evaluates the files of a commit and renders every application that it has
// not rendered before.
func (a *assessor) assess(ctx context.Context, commit string, files evaluate.Files, at func(string) (evaluate.Files, error)) (*verdict, error) {
	declared, err := fs.Glob(files, "tenants/*/apps/*")
	if err != nil {
		return nil, err
	}
	a.evaluators.progress = newProgress(a.progressTo, "evaluating applications:", len(declared))
	v := &verdict{a.evaluator.Fleet(commit, files, at)}
	a.evaluators.progress.end()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rendering := newProgress(a.progressTo, "rendering applications:", len(v.fleet.Applications))
	problems := make([][]model.Problem, len(v.fleet.Applications))
	sideBySide(len(problems), func(i int) {
		app := v.fleet.Applications[i]
		source := files
		if app.Commit != "" && app.Commit != commit {
			source, _ = at(app.Commit) // evaluating it has read it
		}
		if ctx.Err() == nil && !a.rendered[app.Digest] {
			problems[i] = a.render(v, app, source)
		}
		rendering.step()
	})
	rendering.end()
	for i := range v.fleet.Applications {
		if problems[i] == nil && ctx.Err() == nil {
			a.rendered[v.fleet.Applications[i].Digest] = true
		}
	}
	v.refuse(problems)
	v.fleet.Problems = append(v.fleet.Problems, reconcile.AccessProblems(&v.fleet, present())...)
	return v, ctx.Err()
}

// watched is a pool whose progress people see, and which begins nothing after an
// interrupt.
type watched struct {
	*pool.Pool
	ctx      context.Context
	progress *progress
}

func (w *watched) Run(n int, do func(i int)) {
	w.Pool.Run(n, func(i int) {
		if w.ctx.Err() == nil {
			do(i)
		}
		w.progress.step()
	})
}

// answersOfVet is where answers are kept from one vet to the next. It is not the
// directory of run, which may be of another build and would be emptied.
func answersOfVet() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "" // nothing is kept where others could write
	}
	return filepath.Join(dir, "d-aros", "vet")
}

// render returns what speaks against rendering an application.
func (a *assessor) render(v *verdict, app *model.Application, files fs.FS) []model.Problem {
	dir, err := fs.Sub(files, appDirectory(app.ID))
	if err != nil {
		return []model.Problem{{Code: render.CodeFiles, Path: "application", Message: err.Error(), Tenant: app.ID.Tenant, App: app.ID.Name}}
	}
	i := slices.IndexFunc(v.fleet.Tenants, func(t model.Tenant) bool { return t.Name == app.ID.Tenant })
	return reconcile.Renderable(app, render.Input{
		Fleet: a.fleet, Prefix: a.prefix, Tenant: &v.fleet.Tenants[i], Pools: v.fleet.Platform.Pools, Files: dir,
	})
}

// refuse takes the applications with problems out of the fleet.
func (v *verdict) refuse(problems [][]model.Problem) {
	good := v.fleet.Applications[:0:0]
	for i, app := range v.fleet.Applications {
		if problems[i] == nil {
			good = append(good, app)
			continue
		}
		v.fleet.Unusable = append(v.fleet.Unusable, model.Unusable{App: app.ID, Code: problems[i][0].Code, Message: problems[i][0].Message})
		v.fleet.Problems = append(v.fleet.Problems, problems[i]...)
	}
	v.fleet.Applications = good
	slices.SortFunc(v.fleet.Unusable, func(a, b model.Unusable) int { return a.App.Compare(b.App) })
}
