package workflow

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow/condition"
)

// steps are the steps of one run, in the order of the workflow.
type steps []*step

// find returns the named step, nil if there is none.
func (list steps) find(name string) *step {
	for _, s := range list {
		if s.Name == name {
			return s
		}
	}
	return nil
}

func (list steps) cancel(reason model.Reason) {
	for _, s := range list {
		s.cancel(reason)
	}
}

// acting counts the steps that act.
func (list steps) acting() (n int) {
	for _, s := range list {
		if s.acts() {
			n++
		}
	}
	return n
}

// outcomes are what conditions may ask about steps that have ended.
func (list steps) outcomes() condition.Values {
	v := condition.Values{
		Succeeded: map[string]bool{}, Failed: map[string]bool{}, Skipped: map[string]bool{},
		Inputs: map[string]string{}, Outputs: map[string]map[string]string{},
	}
	for _, s := range list {
		rec := s.rec
		if !rec.Phase.Ended() {
			continue
		}
		v.Succeeded[rec.Name] = rec.Phase == model.StepSucceeded
		v.Failed[rec.Name] = rec.Phase == model.StepFailed || rec.Phase == model.StepCancelled
		v.Skipped[rec.Name] = rec.Phase == model.StepSkipped
		v.Outputs[rec.Name] = map[string]string{}
		for _, o := range rec.Outputs {
			v.Outputs[rec.Name][o.Name] = o.Value
		}
	}
	return v
}

// undone reports whether nothing is left to take back.
func (list steps) undone() bool {
	return !slices.ContainsFunc(list, func(s *step) bool { return toUndo(s.rec) })
}

// undoTime is how long it may last to take everything back.
func (list steps) undoTime() (sum time.Duration) {
	for _, s := range list {
		if toUndo(s.rec) {
			sum += cmp.Or(s.Timeout, stepTimeout) * time.Duration(max(1, s.Retry.Attempts))
		}
	}
	return sum
}
