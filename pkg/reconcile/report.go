package reconcile

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
)

// Report is what one pass found and did.
type Report struct {
	Started, Ended time.Time
	Stages         []StageTime
	Commit         string // the source commit that was decided on
	SourceErr      error  // the fleet repo was unavailable and the last snapshot was used

	Phases      map[model.Phase]int
	Transitions []Transition     // of this pass, by application
	Decisions   []model.Decision // that say something new
	Problems    []model.Problem
	Saved       bool         // the status branch has a new commit
	Applied     apply.Report // what was done in the cluster
}

// Transition is a change of phase of an application.
type Transition struct {
	App model.AppID
	model.Transition
}

// Changed says whether the pass changed anything, in the ledger or the cluster.
func (r *Report) Changed() bool {
	return r.Saved || len(r.Transitions) > 0 || r.Applied.Requests.Apply+r.Applied.Requests.Delete > 0
}

// take fills in what follows from the ledgers before and after.
func (r *Report) take(before, after model.Ledger) {
	r.Phases = map[model.Phase]int{}
	r.Problems = after.Problems
	for i := range after.Instances {
		inst := &after.Instances[i]
		r.Phases[inst.Phase]++
		known := 0
		if old, ok := before.Find(inst.App); ok {
			known = overlap(old.History, inst.History)
		}
		for _, t := range inst.History[known:] {
			r.Transitions = append(r.Transitions, Transition{inst.App, t})
		}
	}
	for i := range after.Decisions {
		d := &after.Decisions[i]
		n, known := slices.BinarySearchFunc(before.Decisions, d.App, func(d model.Decision, id model.AppID) int { return d.App.Compare(id) })
		if !known || before.Decisions[n].Inputs != d.Inputs || before.Decisions[n].Reason != d.Reason || before.Decisions[n].Message != d.Message {
			r.Decisions = append(r.Decisions, *d)
		}
	}
}

// overlap returns how many of the transitions in after are in before already.
// Histories grow at the end and are cut at the beginning.
func overlap(before, after []model.Transition) int {
	if len(before) == 0 {
		return 0
	}
	last := before[len(before)-1]
	for i := len(after) - 1; i >= 0; i-- {
		if after[i] == last {
			return i + 1
		}
	}
	return 0
}
