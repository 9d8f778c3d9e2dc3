package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// patience is how long the demo waits for anything. It is generous, because the
// machine may be busy.
const patience = 5 * time.Minute

// watcher reads the status branch of the demo's repo whenever it moves.
type watcher struct {
	branch *status.Branch
	ref    string       // the file that holds it
	log    string       // of the reconciler
	keep   func() error // keeps the reconciler running
}

func newWatcher(ctx context.Context, p *place, r *repo, keep func() error) (*watcher, error) {
	branch, err := status.Open(ctx, status.Options{URL: r.bare, Dir: p.path("state", "watch")})
	if err != nil {
		return nil, err
	}
	return &watcher{branch: branch, ref: filepath.Join(r.bare, "refs", "heads", "status"), log: p.path("reconciler.log"), keep: keep}, nil
}

// until returns the first ledger that is as wanted and stays so for the time
// hold, and when it became so. It shows every ledger to see.
func (w *watcher) until(ctx context.Context, what string, hold time.Duration, see func(*model.Ledger), wanted func(*model.Ledger) bool) (model.Ledger, time.Time, error) {
	var ledger model.Ledger
	var since time.Time
	var met bool
	var ref string
	deadline := time.Now().Add(patience)
	for {
		now, _ := os.ReadFile(w.ref) // absent before the first commit, or packed
		if string(now) != ref || len(now) == 0 {
			next, err := w.branch.Load(ctx)
			if err != nil {
				return ledger, since, err
			}
			ref, ledger = string(now), next
			see(&ledger)
			if is := wanted(&ledger); is != met {
				met, since = is, time.Now()
			}
		}
		if met && time.Since(since) >= hold {
			return ledger, since, nil
		}
		if time.Now().After(deadline) {
			return ledger, since, fmt.Errorf("waited %s for this: %s\n%s", patience, what, tail(w.log, 12))
		}
		if err := w.keep(); err != nil {
			return ledger, since, err
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return ledger, since, err
		}
	}
}

// settled reports whether every application and all its components have found their
// place, as of a commit.
func settled(commit string) func(*model.Ledger) bool {
	return func(l *model.Ledger) bool {
		if l.Commit != commit || len(l.Instances) == 0 {
			return false
		}
		for i := range l.Instances {
			in := &l.Instances[i]
			waits := in.Phase == model.PhaseAdmitted && in.Reason != model.ReasonAdmissionPassed
			if in.Phase == model.PhaseCreated || in.Phase == model.PhaseScheduled || in.Phase == model.PhaseAdmitted && !waits {
				return false
			}
			if in.Phase.Active() && slices.ContainsFunc(in.Components, moving) {
				return false
			}
		}
		return true
	}
}

// moving reports whether a component is on its way to what it was granted.
func moving(c model.ComponentState) bool {
	return c.State == model.StateStarting || c.State == model.StateWaiting
}
