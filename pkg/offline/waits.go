package offline

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/turn"
)

// waits are the times after now, in order, until which a rule of time may hold something back: how long what was lowered
// or raised is left alone, the minimum run time of what others want, free capacity that is kept for who waits, the grace
// of an eviction, a pause after failures, a step of a workflow. Deadlines are none of them: nobody waits for these.
func waits(c *turn.Case, now time.Time) []time.Time {
	w := ends{after: now, policies: map[model.AppID]*model.Policy{}}
	for _, app := range c.Fleet.Applications {
		w.policies[app.ID] = app.Policy
	}
	short := slices.ContainsFunc(c.Ledger.Decisions, func(d model.Decision) bool {
		return d.Verdict == model.VerdictWaiting || d.Degraded || d.Refused != nil
	})
	for i := range c.Ledger.Instances {
		in := &c.Ledger.Instances[i]
		w.pauses(in)
		if short {
			w.holds(in)
		}
		if d, ok := c.Ledger.Decision(in.App); ok {
			w.add(d.EvictAt, 0)
		}
	}
	slices.SortFunc(w.times, time.Time.Compare)
	return slices.CompactFunc(w.times, time.Time.Equal)
}

// ends are the ends of waits.
type ends struct {
	after    time.Time
	policies map[model.AppID]*model.Policy // of the specs in Git
	times    []time.Time
}

func (e *ends) add(from time.Time, wait time.Duration) {
	if at := from.Add(wait); !from.IsZero() && at.After(e.after) {
		e.times = append(e.times, at)
	}
}

// pauses adds what an instance does by itself later.
func (e *ends) pauses(in *model.Instance) {
	e.add(in.Returns, 0)
	for i := range in.Components {
		e.add(in.Components[i].Pause, 0)
	}
	if in.Run == nil || in.Run.Phase.Ended() {
		return
	}
	for i := range in.Run.Steps {
		switch s := &in.Run.Steps[i]; s.Phase {
		case model.StepActive:
			e.add(s.Until, 0)
		case model.StepRetrying:
			e.add(s.Next, 0)
		}
	}
}

// holds adds until when arbitration leaves an instance as it is.
func (e *ends) holds(in *model.Instance) {
	policy := e.policies[in.App]
	if policy == nil && in.Spec != nil {
		policy = in.Spec.Policy
	}
	switch {
	case policy == nil:
	case in.Phase == model.PhaseAdmitted:
		e.add(in.Since, policy.ReserveAfter)
	case in.Phase.Active():
		began := []time.Time{in.Since, in.Lowered, in.Raised}
		for i := range in.History {
			began = append(began, in.History[i].At)
		}
		for _, from := range began {
			e.add(from, cmp.Or(policy.RestoreHold, solve.RestoreHold))
			e.add(from, policy.MinRuntime)
		}
	}
}
