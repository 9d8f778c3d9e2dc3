package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/evaluate/pool"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/turn"
)

// verdict is what the reconciler would make of a tree of files.
type verdict struct {
	fleet model.Fleet // its applications can be rendered
}

// uncommitted stands for the commit that is not made yet, as Git writes it.
var uncommitted = strings.Repeat("0", 40)

// vetTree evaluates the files as they lie on disk, approvals among them, and renders
// every application.
func vetTree(ctx context.Context, w *clone.Tree, progressTo io.Writer) (*verdict, error) {
	files, err := w.Files(ctx)
	if err != nil {
		return nil, err
	}
	a, err := newAssessor(ctx, "fleet", "", progressTo)
	if err != nil {
		return nil, err
	}
	defer a.close()
	v, err := a.assess(ctx, uncommitted, files, w.At(ctx, "HEAD"))
	if err != nil {
		return nil, err
	}
	v.fleet.Problems = append(v.fleet.Problems, access.New(v.fleet.Platform, v.fleet.Tenants).Problems(present())...)
	_, problems := a.evaluator.Approvals(files)
	v.fleet.Problems = append(v.fleet.Problems, problems...)
	return v, ctx.Err()
}

// judge does what the reconciler does with a commit before it decides.
func judge(ctx context.Context, files *clone.Files, at func(string) (evaluate.Files, error), progressTo io.Writer) (*verdict, error) {
	a, err := newAssessor(ctx, "fleet", "", progressTo)
	if err != nil {
		return nil, err
	}
	defer a.close()
	v, err := a.assess(ctx, uncommitted, files, at)
	if err == nil {
		v.fleet.Problems = append(v.fleet.Problems, access.New(v.fleet.Platform, v.fleet.Tenants).Problems(present())...)
	}
	return v, err
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

// layers evaluates what says who may change what, and no applications.
func (a *assessor) layers(files *source.Files) model.Fleet { return a.evaluator.Layers(files) }

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
	v.fleet, a.rendered = turn.CheckRenderings(v.fleet, turn.Renderings{
		Fleet: a.fleet, Prefix: a.prefix, Checked: a.rendered,
		Kustomizations: func(app *model.Application) (render.Kustomizations, error) {
			from := evaluate.Files(files)
			if app.Commit != "" && app.Commit != commit {
				pinned, err := at(app.Commit)
				if err != nil {
					return nil, err
				}
				from = pinned
			}
			dir, err := fs.Sub(from, appDirectory(app.ID))
			if err != nil {
				return nil, err
			}
			return render.Build(app, dir, a.evaluator.Build)
		},
		Run: func(n int, do func(i int)) {
			sideBySide(n, func(i int) {
				if ctx.Err() == nil {
					do(i)
				}
				rendering.step()
			})
		},
	})
	rendering.end()
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
