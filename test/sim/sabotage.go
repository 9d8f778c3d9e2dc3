package sim

import (
	"context"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
)

// Sabotage plants a bug into a process: it stands between the loop and an edge,
// and makes the two together behave as a loop would that has the bug.
type Sabotage func(p *process, o *reconcile.Options)

// ActBeforeSave is a loop that acts first and saves then: it is told that the push
// has arrived before it is sent, which happens in the next pass.
func ActBeforeSave(_ *process, o *reconcile.Options) { o.Status = &late{Ledger: o.Status} }

type late struct {
	reconcile.Ledger
	previous, next *model.Ledger
}

func (l *late) Load(ctx context.Context) (model.Ledger, error) {
	if l.next != nil {
		_, _ = l.Ledger.Commit(ctx, *l.previous, *l.next)
		l.next = nil
	}
	return l.Ledger.Load(ctx)
}

func (l *late) Commit(_ context.Context, previous, next model.Ledger) (bool, error) {
	l.previous, l.next = &previous, &next
	return true, nil
}

// SkipDigestCheck is a lifecycle that takes whatever is seen of a component for
// what the ledger told it to be.
func SkipDigestCheck(p *process, o *reconcile.Options) {
	o.Runtime = blind{o.Runtime, p}
}

type blind struct {
	reconcile.Runtime
	*process
}

func (b blind) Inspect(ctx context.Context, platform *model.Platform) (model.Observation, error) {
	seen, err := b.Runtime.Inspect(ctx, platform)
	seen.Workloads = slices.Clone(seen.Workloads)
	for i := range seen.Workloads {
		w := &seen.Workloads[i]
		if inst, ok := b.branch.ledger.Find(w.App); ok {
			if s, ok := inst.Component(w.Component); ok {
				w.Digest = s.Workload
			}
		}
	}
	return seen, err
}

// ForgetTombstone is a lifecycle that drops the record of an application when it
// has ended, as if that were the end of it.
func ForgetTombstone(_ *process, o *reconcile.Options) { o.Status = forgetful{o.Status} }

type forgetful struct{ reconcile.Ledger }

func (f forgetful) Commit(ctx context.Context, previous, next model.Ledger) (bool, error) {
	next.Instances = slices.DeleteFunc(slices.Clone(next.Instances), func(i model.Instance) bool {
		return i.Phase == model.Terminated
	})
	return f.Ledger.Commit(ctx, previous, next)
}
