// Package paper runs the reconciler's own loop over a real fleet repo and a runtime of paper: capacity as a test says, and
// workloads that do what the status branch tells them, at once.
package paper

import (
	"context"
	"path/filepath"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
)

// Options of a loop. On and nothing else may be zero.
type Options struct {
	Repo, Dir string // the fleet repo, and where the loop keeps its own files
	Evaluator *evaluate.Evaluator
	Now       func() time.Time
	AtEnd     func(func())                          // registers what ends the loop
	On        func(*status.Branch) reconcile.Ledger // returns the status branch that the loop gets; nil: as it is
}

// Open makes a reconciler over a repo, with one pool of 16 cores. It takes the status branch to be where it saw it last: who
// else writes to it fails a save.
func Open(ctx context.Context, o Options) (*Runtime, *reconcile.Loop, error) {
	src, err := source.Open(ctx, source.Options{URL: o.Repo, Dir: filepath.Join(o.Dir, "source")})
	if err != nil {
		return nil, nil, err
	}
	o.AtEnd(func() { _ = src.Close() })
	branch, err := status.Open(ctx, status.Options{URL: o.Repo, Dir: filepath.Join(o.Dir, "status"), Recheck: time.Hour})
	if err != nil {
		return nil, nil, err
	}
	o.AtEnd(func() { _ = branch.Close() })
	r := &Runtime{Branch: branch, Pools: []model.Pool{{Name: "general", Nodes: 4, Capacity: model.Resources{CPU: 16_000, Memory: 64 << 30}}}}
	var ledger reconcile.Ledger = branch
	if o.On != nil {
		ledger = o.On(branch)
	}
	r.loop = reconcile.Options{
		Edges: reconcile.Edges{Source: src, Status: ledger, Runtime: r, Evaluator: o.Evaluator, Commands: reconcile.NewApprovals(o.Evaluator)},
		Fleet: "fleet", Interval: time.Second, Now: o.Now,
		Recognition: reconcile.Recognition{Signed: true}, // nobody else writes here: these tests are not about forged saves
	}
	return r, r.Restart(), nil
}

// Restart returns a loop that knows only what the status branch has, as after a restart.
func (r *Runtime) Restart() *reconcile.Loop { return reconcile.New(r.loop) }
