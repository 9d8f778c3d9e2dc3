package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/turn"
)

// Stages of a pass, in order; the last two take turns. Options.Stage is called when
// each begins.
const (
	StageStatus    = "status"
	StageSource    = "source"
	StageEvaluate  = "evaluate"
	StageInspect   = "inspect"
	StageArbitrate = "arbitrate"
	StageAdvance   = "advance"
	StageSave      = "save"
	StageRender    = "render"
	StageAct       = "act"
)

// Pass makes one turn: gather, decide, save, act. The report says what happened
// also when there is an error.
func (l *Loop) Pass(ctx context.Context) (Report, error) {
	l.declared.polled = time.Time{}
	return l.turn(ctx)
}

func (l *Loop) turn(ctx context.Context) (Report, error) {
	r := Report{Times: Times{Started: l.o.Now()}}
	err := l.pass(ctx, &r)
	r.Ended = l.o.Now()
	l.publish(ctx, &r, err)
	return r, err
}

func (l *Loop) pass(ctx context.Context, r *Report) error {
	r.Commit = l.declared.accepted.Commit
	l.begin(r, StageStatus)
	ledger, err := l.load(ctx)
	if refused := (*LedgerRefusedError)(nil); errors.As(err, &refused) {
		return errors.Join(err, l.correctDrift(ctx, refused, r))
	}
	if err != nil {
		_, _ = l.declared.follow(ctx, l.saved.Commit, r) // the report then has the error of the fleet repo, too
		return errors.Join(err, l.holdCourse(ctx, r))
	}
	if err := l.catchUp(ctx, &ledger); err != nil { // nobody waits for it
		l.o.Log.Warn("saves of another reconciler are not told yet", "error", err)
	}
	if err := l.identity.progress.resume(ctx, &l.o, &ledger); err != nil {
		l.o.Log.Warn("what an earlier process may not have delivered is not repeated yet", "error", err)
	}
	l.forgetWhatOthersDid(ledger)
	ledger.Unsaved = l.unsaved
	l.begin(r, StageSource)
	line, err := l.declared.follow(ctx, ledger.Commit, r)
	if err != nil {
		return errors.Join(err, l.withoutSource(ctx, ledger, r))
	}
	l.begin(r, StageEvaluate)
	snap, fleet, refused, err := l.declared.admitted(line, ledger)
	switch {
	case err != nil && ledger.Revision.Is(l.saved.Revision):
		return errors.Join(err, l.holdCourse(ctx, r))
	case err != nil:
		return err
	}
	if refused := (*LedgerRefusedError)(nil); errors.As(l.o.Recognition.mustBeSigned(&ledger, &fleet), &refused) {
		return errors.Join(refused, l.correctDrift(ctx, refused, r))
	}
	r.Commit = snap.Commit
	c := turn.Case{Fleet: fleet, Checked: l.declared.rendered, Refused: refused, Ledger: ledger, Requests: l.declared.requests(snap)}
	l.declared.vouch(&ledger)
	c.Source = l.declared.source(&ledger, line, snap.Commit)
	if platform := turn.Platform(fleet, ledger); platform != nil {
		l.begin(r, StageInspect)
		if err := turn.Connected(platform, l.o.Clusters); err != nil {
			return fmt.Errorf("%w; nothing is decided until then", err)
		}
		if l.o.Recall != nil && !l.identity.recalled {
			l.o.Recall(turn.Recall(&ledger))
			l.identity.recalled = true
		}
		if c.Seen, err = l.o.Runtime.Inspect(ctx, platform); err != nil {
			return fmt.Errorf("inspect the cluster: %w", err)
		}
		c.Seen.Workloads = l.declared.judge(c.Seen.Workloads, &ledger)
		r.Pools = c.Seen.Pools
	}
	if c.Orphans, err = l.identity.orphans.find(ctx, l.o.Recognition.Anchor, ledger); err != nil {
		return err
	}
	out := l.take(c, r)
	l.unsaved = out.Next.Unsaved
	if l.o.DryRun {
		r.take(&ledger, &out.Next)
		r.Others, err = l.declared.preview(ctx, &out.Next)
		return err
	}

	l.begin(r, StageSave)
	saved, changed, err := l.o.Status.Commit(ctx, ledger, out.Next)
	if r.Saved = changed; err != nil {
		l.arbiter.Forget() // nobody may repeat what was decided and not saved
		r.take(&ledger, &ledger)
	}
	switch {
	case err == nil:
		l.runs.tallies = out.Tallies
		if err := l.keep(ctx, &ledger, &saved, r); err != nil || !out.Decided() {
			return err
		}
		l.saved, out.Next.Identity, out.Next.Revision, out.Next.Plans = saved, saved.Identity, saved.Revision, saved.Plans
		l.done.news.saved(&saved)
		if r.Left = out.Left; out.Left > 0 {
			l.arbiter.Forget() // not all that was decided was saved
		}
		if l.done.unseen { // the values of secrets are known now
			l.done = newCarriedOut()
		}
		return l.act(ctx, out.Next, r)
	case errors.Is(err, status.ErrMoved) || !out.Decided():
		return saveError(err) // the ledger that was read is not the one to act on any more
	}
	l.saved = ledger
	return errors.Join(saveError(err), l.act(ctx, l.done.asSaved(&l.acted, ledger), r))
}

// keep takes what was saved for what is so: it is told, and the cluster remembers the
// save before anything acts on it.
func (l *Loop) keep(ctx context.Context, before, saved *model.Ledger, r *Report) error {
	r.take(before, saved)
	telling{&l.o}.announce(ctx, saved, r.Changes)
	if r.Saved {
		telling{&l.o}.listeners(saved, r.Changes)
		l.identity.progress.saved(ctx, &l.o, saved.Identity.Sequence)
	}
	if saved.Platform == nil {
		return nil // there is nothing to act on yet
	}
	return l.anchor(ctx, saved)
}

// take makes the decision of the pass.
func (l *Loop) take(c turn.Case, r *Report) turn.Outcome {
	c.Now, c.Newcomers = asRecorded(l.o.Now()), l.o.Newcomers
	if l.o.Outbound != nil {
		c.Results = l.o.Outbound.Results()
	}
	c.Decide = func(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) model.Ruling {
		defer l.begin(r, StageAdvance)
		return l.arbiter.Decide(fleet, seen, ledger, now)
	}
	c.Seen.Applied, c.Tallies, c.Doubts = l.News()
	l.runs.at = c.Now
	l.begin(r, StageArbitrate)
	return turn.Take(c)
}

// holdCourse acts again on the ledger that was acted on last, so that drift is
// corrected while the branch cannot be read.
func (l *Loop) holdCourse(ctx context.Context, r *Report) error {
	if l.o.DryRun {
		return nil
	}
	return l.act(ctx, l.acted, r)
}

func saveError(err error) error {
	if errors.Is(err, status.ErrMoved) {
		return fmt.Errorf("save: somebody else wrote to the status branch; deciding again: %w", err)
	}
	return fmt.Errorf("save: %w; nothing new is started or stopped until the status branch can be written", err)
}

// begin marks the beginning of a stage.
func (l *Loop) begin(r *Report, stage string) {
	l.pulse.stages.Add(1)
	r.Stages = append(r.Stages, StageTime{stage, l.o.Now()})
	if l.o.Stage != nil {
		l.o.Stage(stage)
	}
}
