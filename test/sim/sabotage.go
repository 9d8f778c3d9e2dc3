package sim

import (
	"context"
	"log/slog"
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/source"
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
		_, _, _ = l.Ledger.Commit(ctx, *l.previous, *l.next)
		l.next = nil
	}
	return l.Ledger.Load(ctx)
}

func (l *late) Commit(_ context.Context, previous, next model.Ledger) (model.Ledger, bool, error) {
	l.previous, l.next = &previous, &next
	return next, true, nil
}

// AnnounceBeforeSave is a loop that tells what it decided before it saves that.
func AnnounceBeforeSave(_ *process, o *reconcile.Options) { o.Status = hurried{o.Status, o.Log} }

type hurried struct {
	reconcile.Ledger
	log *slog.Logger
}

func (h hurried) Commit(ctx context.Context, previous, next model.Ledger) (model.Ledger, bool, error) {
	decided := next
	decided.Identity.Sequence = previous.Identity.Sequence + 1
	for _, a := range announce.Between(&previous, &decided, begin) {
		if a.Kind.Told() {
			h.log.Info(string(a.Kind), "key", a.Key.String())
		}
	}
	return h.Ledger.Commit(ctx, previous, next)
}

// AdoptAnything is a loop that takes at a start whatever the branch holds for the ledger.
func AdoptAnything(_ *process, o *reconcile.Options) { o.Recognition.Adopt = true }

// BelieveForgeries is a loop whose branch believes what nobody has signed.
func BelieveForgeries(p *process, _ *reconcile.Options) { p.branch.gullible = true }

// HushForgeries is a loop that tells nobody of what it does not believe.
func HushForgeries(_ *process, o *reconcile.Options) { o.Recognition.Foreign = nil }

// ForgetWitness is a loop that goes on from its own memory over a tip that it does not believe, whatever others have saved.
func ForgetWitness(_ *process, o *reconcile.Options) { o.Recognition.FromMemory = nil }

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

// SkipCarry is a loop that does not carry workflows forward.
func SkipCarry(_ *process, o *reconcile.Options) { o.Status = careless{o.Status} }

type careless struct{ reconcile.Ledger }

func (c careless) Commit(ctx context.Context, previous, next model.Ledger) (model.Ledger, bool, error) {
	next.Instances = slices.Clone(next.Instances)
	carriesNothing(&previous, &next)
	return c.Ledger.Commit(ctx, previous, next)
}

// Overlook is a loop that overlooks the latest request.
func Overlook(_ *process, o *reconcile.Options) { o.Commands = overlooking{o.Commands} }

type overlooking struct{ reconcile.Commands }

func (o overlooking) Requests(snap source.Snapshot) access.Requests {
	r := o.Commands.Requests(snap)
	r.List = r.List[:max(0, len(r.List)-1)]
	return r
}

// EndAtOnce is a loop for which an application that is ending has ended.
func EndAtOnce(_ *process, o *reconcile.Options) { o.Status = hasty{o.Status} }

type hasty struct{ reconcile.Ledger }

func (h hasty) Commit(ctx context.Context, previous, next model.Ledger) (model.Ledger, bool, error) {
	next.Instances = slices.Clone(next.Instances)
	endsAtOnce(&next)
	return h.Ledger.Commit(ctx, previous, next)
}

// ForgetTombstone is a lifecycle that drops the record of an application when it
// has ended, as if that were the end of it.
func ForgetTombstone(_ *process, o *reconcile.Options) { o.Status = forgetful{o.Status} }

type forgetful struct{ reconcile.Ledger }

func (f forgetful) Commit(ctx context.Context, previous, next model.Ledger) (model.Ledger, bool, error) {
	next.Instances = slices.DeleteFunc(slices.Clone(next.Instances), func(i model.Instance) bool {
		return i.Phase == model.PhaseTerminated
	})
	return f.Ledger.Commit(ctx, previous, next)
}

// DropHold is a lifecycle that forgets which releases failed, and so tries them again.
func DropHold(_ *process, o *reconcile.Options) { o.Status = lenient{o.Status} }

type lenient struct{ reconcile.Ledger }

func (l lenient) Commit(ctx context.Context, previous, next model.Ledger) (model.Ledger, bool, error) {
	next.Instances = slices.Clone(next.Instances)
	for i := range next.Instances {
		if known, ok := previous.Find(next.Instances[i].App); ok && len(known.Held) > 0 {
			next.Instances[i].Held = nil
		}
	}
	return l.Ledger.Commit(ctx, previous, next)
}

// IgnoreDamage is a loop that takes the last readable record of an application for its record.
func IgnoreDamage(_ *process, o *reconcile.Options) { o.Status = unaware{o.Status} }

type unaware struct{ reconcile.Ledger }

func (u unaware) Load(ctx context.Context) (model.Ledger, error) {
	l, err := u.Ledger.Load(ctx)
	l.Damaged = nil
	return l, err
}

// DropOutcome is a loop that does not save what the API server refused.
var DropOutcome = altered(func(_, now *model.Instance) { now.Outcomes = nil })

// BearRefusal is a lifecycle that goes on with an update that was refused for good.
var BearRefusal = altered(func(was, now *model.Instance) {
	if n := len(now.History); n > 0 && now.History[n-1].Reason == model.ReasonApplyFailed && len(was.History) > 0 {
		now.Phase, now.Reason, now.Message, now.Since, now.History = was.Phase, was.Reason, was.Message, was.Since, now.History[:n-1]
	}
})

// MoveAtOnce is a lifecycle that ends what moves before it has a place.
var MoveAtOnce = altered(func(_, now *model.Instance) {
	if now.Refused == nil || now.Refused.Reason != model.ReasonMoveWaits {
		return
	}
	t := model.Transition{At: now.Since, Instance: now.Number, From: now.Phase, To: model.PhaseTerminated, Reason: model.ReasonRemoved}
	now.Phase, now.Reason, now.Components, now.Refused = t.To, t.Reason, nil, nil
	now.History = append(slices.Clip(now.History), t)
})

// altered has records changed before they are saved. Was is empty if there was none.
func altered(change func(was, now *model.Instance)) Sabotage {
	return func(_ *process, o *reconcile.Options) { o.Status = altering{o.Status, change} }
}

type altering struct {
	reconcile.Ledger
	change func(was, now *model.Instance)
}

func (a altering) Commit(ctx context.Context, previous, next model.Ledger) (model.Ledger, bool, error) {
	next.Instances = slices.Clone(next.Instances)
	for i := range next.Instances {
		now := next.Instances[i]
		was := &model.Instance{App: now.App}
		if known, ok := previous.Find(now.App); ok {
			was = known
		}
		if a.change(was, &now); !reflect.DeepEqual(now, next.Instances[i]) {
			now.Revision = model.Revision{}
			next.Instances[i] = now
		}
	}
	return a.Ledger.Commit(ctx, previous, next)
}
