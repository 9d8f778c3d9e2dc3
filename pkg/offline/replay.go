package offline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/turn"
)

// Outcomes of a replayed decision.
const (
	ReplayEqual   = "equal"
	ReplayDiffers = "differs"
	ReplayUnknown = "unknown" // it cannot be computed again
)

// Replayed is the result of a replay.
type Replayed struct {
	Equal   int               `json:"equal"`
	Differs int               `json:"differs"`
	Unknown int               `json:"unknown"`
	Commits []*ReplayedCommit `json:"commits"` // with decisions, latest first
	Notes   []string          `json:"-"`       // about refused source commits
}

// ReplayedCommit is a commit of the status branch with the decisions that it made.
type ReplayedCommit struct {
	Commit    string             `json:"commit"`
	Source    string             `json:"sourceCommit"`
	Problem   string             `json:"problem,omitempty"`    // why its decisions cannot be computed again
	Doubt     string             `json:"unverified,omitempty"` // why no trusted key vouches for the commit, where keys are given
	Decisions []ReplayedDecision `json:"decisions"`
}

// ReplayedDecision is a recorded decision, compared with the one computed now.
type ReplayedDecision struct {
	App        model.AppID     `json:"application"`
	Verdict    model.Verdict   `json:"verdict"`
	Outcome    string          `json:"outcome"` // equal | differs | unknown
	Recorded   model.Digest    `json:"recorded"`
	Recomputed model.Digest    `json:"recomputed,omitempty"`
	Was        *model.Decision `json:"was,omitempty"` // set if they differ
	Is         *model.Decision `json:"is,omitempty"`
}

// Replay computes the decisions of commits of a status branch again. It goes back from a commit, given by the start of its
// hash ("" is latest), to at most most commits that made decisions. With an application it considers only decisions about
// that. The source commits are read from fleet. The notes are valid also beside an error.
func Replay(ctx context.Context, o Options, fleet *source.Repository, latest status.Saved, commit string, app model.AppID, most int) (Replayed, error) {
	v := Replayed{Commits: []*ReplayedCommit{}} // [] and not null in JSON
	at, err := find(ctx, latest, commit)
	if err != nil {
		return v, err
	}
	d, err := openDeclared(ctx, o, fleet)
	if err != nil {
		return v, err
	}
	defer d.close()
	for more := true; more && len(v.Commits) < most; {
		if err := ctx.Err(); err != nil {
			return v, err
		}
		before, exists, err := at.Before()
		if err != nil {
			return v, err
		}
		made, err := d.replay(ctx, at, before, exists, app, (*notes)(&v.Notes))
		if err != nil {
			return v, err
		}
		if made != nil {
			v.add(made)
		}
		at, more = before, exists
	}
	if len(v.Commits) == 0 && app != (model.AppID{}) {
		return v, fmt.Errorf("the status branch has no decision about %s there", app)
	}
	return v, nil
}

func (v *Replayed) add(c *ReplayedCommit) {
	v.Commits = append(v.Commits, c)
	for _, d := range c.Decisions {
		switch d.Outcome {
		case ReplayEqual:
			v.Equal++
		case ReplayDiffers:
			v.Differs++
		default:
			v.Unknown++
		}
	}
}

// find returns the newest commit whose hash starts with a prefix.
func find(ctx context.Context, latest status.Saved, name string) (status.Saved, error) {
	if name != "" && len(name) < 4 {
		return latest, fmt.Errorf("%q names no commit of the status branch; give at least 4 digits", name)
	}
	for at, exists := latest, true; exists; {
		if strings.HasPrefix(at.Commit, name) {
			return at, nil
		}
		var err error
		if at, exists, err = at.Before(); err != nil {
			return at, err
		}
		if err := ctx.Err(); err != nil {
			return at, err
		}
	}
	return latest, fmt.Errorf("%q names no commit of the status branch; \"reconciler history TENANT/APPLICATION\" lists those about an application", text.Clean(name))
}

// replay computes the decisions of one commit again. It returns nil if the commit made none.
func (d declared) replay(ctx context.Context, at, before status.Saved, exists bool, app model.AppID, n *notes) (*ReplayedCommit, error) {
	if app != (model.AppID{}) && exists && sameDecision(at, before, app) {
		return nil, nil
	}
	after, format, err := at.Read(ctx)
	if err != nil {
		return nil, fmt.Errorf("status commit %s: %w", at.Commit, err)
	}
	var ledger model.Ledger
	if exists {
		if ledger, _, err = before.Read(ctx); err != nil {
			return nil, fmt.Errorf("status commit %s: %w", before.Commit, err)
		}
	}
	recorded := madeIn(&ledger, &after, app)
	if len(recorded) == 0 || !exists && !isFirst(&after) {
		return nil, nil
	}
	made := &ReplayedCommit{Commit: at.Commit, Source: after.Commit}
	again, err := d.decideAgain(ctx, ledger, after, passOf(recorded), n)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		made.Problem = err.Error()
	}
	for _, was := range recorded {
		is, _ := again.Decision(was.App)
		made.Decisions = append(made.Decisions, compareDecisions(was, format.Reread(is), err == nil))
	}
	return made, nil
}

// passOf is the time of the pass that recorded decisions: it made them, or the advice in them.
func passOf(recorded []*model.Decision) (at time.Time) {
	for _, d := range recorded {
		if d.Inputs.At.After(at) {
			at = d.Inputs.At
		}
		if d.Advised != nil && d.Advised.Checked.After(at) {
			at = d.Advised.Checked
		}
	}
	return at
}

// sameDecision reports whether two commits have the same decision about an application, false if one cannot be read.
func sameDecision(a, b status.Saved, app model.AppID) bool {
	x, err := a.Decision(app)
	if err != nil {
		return false
	}
	y, err := b.Decision(app)
	return err == nil && model.DigestOf(x) == model.DigestOf(y)
}

// madeIn lists the decisions of a commit that the commit before it does not have.
func madeIn(before, after *model.Ledger, app model.AppID) (list []*model.Decision) {
	for i := range after.Decisions {
		d := &after.Decisions[i]
		if app != (model.AppID{}) && d.App != app {
			continue
		}
		if old, ok := before.Decision(d.App); !ok || model.DigestOf(old) != model.DigestOf(d) {
			list = append(list, d)
		}
	}
	return list
}

// isFirst reports whether a ledger is the first one of the fleet, and not the first one after the history was cut:
// everything in it happened at the same time.
func isFirst(l *model.Ledger) bool {
	for i := range l.Instances {
		in := &l.Instances[i]
		d, ok := l.Decision(in.App)
		if in.Number != 1 || ok && d.Inputs.At != l.Decisions[0].Inputs.At {
			return false
		}
		for _, t := range in.History {
			if ok && !t.At.Equal(d.Inputs.At) {
				return false
			}
		}
	}
	return true
}

// decideAgain repeats the decision of the pass that saved after.
func (d declared) decideAgain(ctx context.Context, ledger, after model.Ledger, now time.Time, n *notes) (model.Ledger, error) {
	if now.IsZero() {
		return model.Ledger{}, errors.New("the time of the decision was not recorded; an older reconciler made it")
	}
	c, err := d.caseOf(ctx, after.Commit, ledger)
	if err != nil {
		return model.Ledger{}, err
	}
	if err := d.noteRefused(&ledger, after.Commit, now, n); err != nil {
		return model.Ledger{}, err
	}
	c.Seen, c.Now = model.Observation{Pools: after.Pools, Workloads: turn.AsRecorded(&ledger)}, now
	return turn.Take(c).Next, nil
}

// noteRefused notes why access refuses a source commit that was decided on: the reconciler did not check signatures, or
// its user trusted the commit.
func (d declared) noteRefused(ledger *model.Ledger, commit string, now time.Time, n *notes) error {
	if !access.New(ledger.Platform, nil).Enforced() {
		return nil
	}
	line, err := d.repo.LineTo(commit, ledger.Commit)
	if err != nil {
		return fmt.Errorf("read who signed source commit %s: %w", commit, err)
	}
	line.Pinned = true // an older commit was pinned by the user of the reconciler
	verdict, err := line.Judge(access.RecordedIn(ledger), now, func(f *source.Files) model.Fleet { return d.evaluator.Layers(f) })
	if err == nil && verdict.Refused != nil {
		n.add("note: source commit %s was decided on, and is refused: %v", commit, verdict.Refused)
	}
	return err
}

// compareDecisions compares a recorded decision with the one computed now; made reports whether it could be computed.
func compareDecisions(was, is *model.Decision, made bool) ReplayedDecision {
	d := ReplayedDecision{App: was.App, Verdict: was.Verdict, Outcome: ReplayUnknown, Recorded: model.DigestOf(was)}
	if !made {
		return d
	}
	d.Outcome = ReplayDiffers
	if is != nil {
		d.Recomputed = model.DigestOf(is)
		if d.Recomputed == d.Recorded {
			d.Outcome = ReplayEqual
			return d
		}
	}
	d.Was, d.Is = was, is
	return d
}
