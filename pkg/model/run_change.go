package model

import (
	"cmp"
	"slices"
	"time"
)

// RunChange is a change of phase of a run or of one of its steps.
type RunChange struct {
	At      time.Time `json:"at"`
	Run     int       `json:"run"`            // the number of the run
	Step    string    `json:"step,omitempty"` // "": the run itself
	From    string    `json:"from,omitempty"` // "": there was none
	To      string    `json:"to"`
	Reason  Reason    `json:"reason,omitempty"`
	Message string    `json:"message,omitempty"`
}

// Changes returns what is another phase in r than it was in before, in the order
// of time. Either may be nil: no run. The steps that a new run has yet to come to
// are no changes.
func (r *Run) Changes(before *Run) []RunChange {
	if r == nil || r == before {
		return nil
	}
	if before == nil || before.ID != r.ID {
		before = &Run{}
	}
	var changes []RunChange
	for i := range r.Steps {
		s, from := &r.Steps[i], StepPhase("")
		if old, ok := before.Step(s.Name); ok {
			from = old.Phase
		}
		if s.Phase != from && (from != "" || s.Phase != StepPending) {
			changes = append(changes, RunChange{s.Since, r.Number, s.Name, string(from), string(s.Phase), s.Reason, s.Message})
		}
	}
	if r.Phase != before.Phase {
		changes = append(changes, RunChange{At: r.Since, Run: r.Number, From: string(before.Phase), To: string(r.Phase), Message: r.Message})
	}
	slices.SortStableFunc(changes, func(a, b RunChange) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(begins(b), begins(a)))
	})
	return changes
}

// begins puts the begin of a run before what begins with it.
func begins(c RunChange) int {
	if c.Step == "" && c.From == "" {
		return 1
	}
	return 0
}
