package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/follow"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// Options configure a loop.
type Options struct {
	Edges

	Fleet    string        // name of the fleet; separates fleets that share a cluster
	Prefix   string        // put before every namespace name
	Interval time.Duration // between polls
	DryRun   bool          // decide and report, write nothing anywhere

	// TrustRoot is a commit that is accepted as it is, so that signatures are
	// checked from there on. "" trusts the first commit that is ever seen.
	TrustRoot string

	Recognition Recognition

	Log     *slog.Logger
	Metrics *Metrics            // nil: none
	Now     func() time.Time    // nil: time.Now
	Stage   func(string)        // called when a stage of a pass begins; may be nil
	Done    func(Report, error) // called when a pass ends; may be nil
}

// Loop reconciles until it is stopped. Pass and Run are not for concurrent use. All that
// it keeps but its options is a cache of what the repo, the branch and the cluster say.
type Loop struct {
	o         Options
	declared  declared
	arbiter   *follow.Arbiter
	saved     model.Ledger                 // the last one known to be on the branch, as the branch has it
	acted     model.Ledger                 // the same with the values of secrets, as it was carried out
	unsaved   map[model.AppID]*model.Shown // see model.Ledger
	identity  identification
	runs      carriedRuns
	done      carriedOut
	revisions revisions
	Health    Health
	pulse     pulse
}

// Health is what probes ask a loop about. It is safe for concurrent use.
type Health struct{ is atomic.Pointer[health] }

// LastPass returns when the last pass ended, the zero time before that.
func (h *Health) LastPass() time.Time { return h.is.Load().ended }

// health is what the probe of readiness asks about.
type health struct {
	reading reading // of the fleet repo
	err     error
	ready   bool      // a pass has gone through and left nothing
	left    int       // by the last pass
	ended   time.Time // the last pass; zero: none has
}

// New returns a loop over the edges given.
func New(o Options) *Loop {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.SourceStale = cmp.Or(o.SourceStale, SourceStale)
	if o.Recognition.NewID == nil {
		o.Recognition.NewID = status.NewLedgerID
	}
	o.Log, o.Metrics = cmp.Or(o.Log, slog.New(slog.DiscardHandler)), cmp.Or(o.Metrics, NewMetrics(nil, false))
	l := &Loop{o: o, arbiter: follow.New(arbitration.Solve), done: newCarriedOut(), revisions: revisions{}}
	l.declared.o = &l.o
	l.Health.is.Store(&health{})
	return l
}

// settle is how long the loop lets changes in the cluster gather: a rollout makes
// many of them at once.
const settle = 100 * time.Millisecond

// Run makes passes until ctx ends, and returns nil then. A pass comes after every
// interval, and sooner when the repo or the cluster changed, when a deadline is
// reached or a retry is due. After an error passes come with growing waits.
func (l *Loop) Run(ctx context.Context) error {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval = firstWait, max(firstWait, min(l.o.Interval, maxWait))
	l.pulse.start(l.o.Now())
	l.o.Metrics.passes.leader.Set(1)
	defer l.o.Metrics.passes.leader.Set(0)
	for {
		r, err := l.turn(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if !l.wait(ctx, pause(l.untilNext(r), r, err, waits), err == nil) {
			return nil
		}
	}
}

// pause is how long to wait after a pass, of what untilNext says.
func pause(next time.Duration, r Report, err error, waits backoff.BackOff) time.Duration {
	switch {
	case errors.Is(err, status.ErrMoved), r.Left > 0:
		if err == nil { // what is left follows from no failure
			waits.Reset()
		}
		return 0
	case err != nil && next == 0: // the pass did not get to what is overdue
		return waits.NextBackOff()
	case err != nil || r.SourceErr != nil:
		return min(next, waits.NextBackOff())
	}
	waits.Reset()
	return next
}

// untilNext is the time until a pass is due without any change: the interval, or
// less if a deadline or a retry comes before.
func (l *Loop) untilNext(r Report) time.Duration {
	now := l.o.Now()
	next := l.declared.polled.Add(l.o.Interval)
	if r.SourceErr != nil || l.declared.polled.IsZero() {
		next = now.Add(l.o.Interval)
	}
	due := func(d time.Time) {
		if d.After(now) && d.Before(next) {
			next = d
		}
	}
	for _, shown := range l.unsaved {
		due(shown.Due)
		due(shown.At.Add(model.CountsEvery))
	}
	for i := range l.saved.Instances {
		due(l.saved.Instances[i].Deadline)
		if shown := l.saved.Instances[i].Shown; shown != nil {
			due(shown.Due)
		}
		if run := l.saved.Instances[i].Run; run != nil {
			if d := workflow.Due(run, l.runs.at); !d.IsZero() && d.Before(next) {
				next = d
			}
		}
	}
	due(l.runs.tallies.Due(l.runs.at))
	if t, ok := l.done.next(); ok && t.Before(next) {
		next = t
	}
	return max(0, next.Sub(now))
}

// wait returns when the time is over or something changed; false when ctx ended.
// While passes fail, changes in the cluster do not shorten the wait: they are
// often what an outage looks like.
func (l *Loop) wait(ctx context.Context, d time.Duration, healthy bool) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	changed, evaluated, fetched := l.o.Runtime.Changed(), l.o.Evaluated, l.o.Fetched
	var answered <-chan struct{}
	if l.o.Outbound != nil {
		answered = l.o.Outbound.Changed()
	}
	if !healthy {
		changed, evaluated, fetched, answered = nil, nil, nil, nil
	}
	select {
	case <-l.o.SourceChanged: // counts also where the next pass is due at once
		l.declared.polled = time.Time{}
		return ctx.Err() == nil
	default:
	}
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-l.o.SourceChanged:
		l.declared.polled = time.Time{}
	case <-answered:
	case <-evaluated:
	case <-fetched:
	case <-changed:
		runtime.Pause(ctx, settle)
	}
	return ctx.Err() == nil
}

// Alive reports whether the loop gets on: nil, or for how long it did not. A loop that
// does not run, because it waits for a Lease, is alive.
func (l *Loop) Alive() error {
	const limit = 10 * time.Minute
	if rested := l.pulse.rested(l.o.Progress, l.o.Now()); rested > limit+l.o.Interval {
		return errors.New("no stage has begun, no directory was evaluated and no object was applied for " + rested.Round(time.Second).String())
	}
	return nil
}

// Ready reports whether the loop has brought the cluster in line once, and its last
// pass went well and ended not long ago: nil, or what is wrong.
func (l *Loop) Ready() error {
	h, now := l.Health.is.Load(), l.o.Now()
	limit := 3*l.o.Interval + time.Minute
	switch {
	case !h.ended.IsZero() && now.Sub(h.ended) > limit:
		return fmt.Errorf("no pass has ended since %s; one is due every %s", h.ended.UTC().Format(time.RFC3339), l.o.Interval)
	case h.err != nil:
		return h.err
	case h.ready:
		return h.reading.stale(now, l.o.SourceStale)
	case h.left > 0:
		return fmt.Errorf("starting: %d applications and tenants are not carried out yet", h.left)
	}
	return errors.New("the first pass has not ended yet")
}
