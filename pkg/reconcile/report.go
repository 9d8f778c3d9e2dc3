package reconcile

import (
	"time"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// Report is what one pass found and did.
type Report struct {
	Times
	Commit    string // the source commit that was decided on
	SourceErr error  // the fleet repo was unavailable and the last snapshot was used

	Phases     map[model.Phase]int // applications by phase, after the pass
	Standstill Standstill
	Problems   []model.Problem
	Pools      []model.Pool // the capacity that was seen; nil: nothing was
	Changes
	Saved   bool         // the status branch has a new commit
	Applied apply.Report // what was done in the cluster
	Left    int          // applications and tenants that are left to the next pass, as the slice was over
}

// Times are when a pass began and ended, and its stages, in order.
type Times struct {
	Started, Ended time.Time
	Stages         []StageTime
}

// StageTime is when a stage of a pass began.
type StageTime struct {
	Stage string
	Began time.Time
}

// took returns how long each stage took in all.
func (t *Times) took() map[string]time.Duration {
	took := map[string]time.Duration{}
	for i, s := range t.Stages {
		end := t.Ended
		if i+1 < len(t.Stages) {
			end = t.Stages[i+1].Began
		}
		took[s.Stage] += end.Sub(s.Began)
	}
	return took
}

// Changes are what is new in the ledger since the pass before.
type Changes struct {
	Transitions []Transition     // by application
	Readmitted  int              // applications whose release goes on by other rules
	Steps       []Step           // changes of runs of workflows, by application
	Decisions   []model.Decision // that say something new
}

// Transition is a change of phase of an application.
type Transition struct {
	App model.AppID
	model.Transition
	In     time.Duration // how long it was in the phase that it leaves
	Queued time.Duration // with a grant: since the instance came to be
}

// Step is a change of a run or of one of its steps.
type Step struct {
	App model.AppID
	model.RunChange
	Type string        // of the step, "" if it is not known any more
	Took time.Duration // from the begin of what has ended, else 0
}

// Standstill counts the applications and steps that are stuck or wait, after a pass.
type Standstill struct {
	Overdue map[model.Phase]int           // past a deadline that should have ended the wait
	Oldest  map[model.Phase]time.Duration // the longest wait, in the phases that wait
	People  map[string]int                // waits that only a command ends, by its action
}

// Changed reports whether the pass changed anything, in the ledger or the cluster.
func (r *Report) Changed() bool {
	return r.Saved || len(r.Transitions) > 0 || r.Applied.Requests.Apply+r.Applied.Requests.Delete > 0
}

// take fills in what follows from the ledgers before and after.
func (r *Report) take(before, after model.Ledger) {
	r.Phases, r.Problems, r.Standstill = map[model.Phase]int{}, after.Problems, newStandstill()
	known := before.Instances
	for i := range after.Instances {
		inst, old := &after.Instances[i], &model.Instance{}
		for len(known) > 0 && known[0].App.Compare(inst.App) <= 0 {
			if known[0].App == inst.App {
				old = &known[0]
			}
			known = known[1:]
		}
		r.Phases[inst.Phase]++
		r.takeTransitions(old, inst)
		r.takeSteps(old, inst)
		r.Standstill.count(inst, r.Started)
	}
	ruled := before.Decisions
	if model.SameDecisions(ruled, after.Decisions) {
		return // nobody has decided anything new
	}
	for i := range after.Decisions {
		d := &after.Decisions[i]
		for len(ruled) > 0 && ruled[0].App.Compare(d.App) < 0 {
			ruled = ruled[1:]
		}
		if len(ruled) == 0 || ruled[0].App != d.App || ruled[0].Inputs != d.Inputs || ruled[0].Reason != d.Reason || ruled[0].Message != d.Message {
			r.Decisions = append(r.Decisions, *d)
		}
	}
}

func (r *Report) takeTransitions(old, inst *model.Instance) {
	since := old.Since
	for n := overlap(old.History, inst.History); n < len(inst.History); n++ {
		if inst.History[n].OfAdmission() {
			r.Readmitted++
			continue
		}
		t := Transition{App: inst.App, Transition: inst.History[n]}
		if t.From != "" && t.From != t.To {
			t.In, since = t.At.Sub(since), t.At
		} else if t.From == "" {
			since = t.At
		}
		if t.To == model.PhaseScheduled && t.From == model.PhaseAdmitted {
			t.Queued = t.At.Sub(born(inst))
		}
		r.Transitions = append(r.Transitions, t)
	}
}

// born is when an instance came to be, as far as its history goes back.
func born(inst *model.Instance) time.Time {
	for _, t := range inst.History {
		if t.Instance == inst.Number {
			return t.At
		}
	}
	return inst.Since
}

func (r *Report) takeSteps(old, inst *model.Instance) {
	for _, c := range inst.Run.Changes(old.Run) {
		s := Step{App: inst.App, RunChange: c}
		var begun time.Time
		if c.Step == "" && model.RunPhase(c.To).Ended() {
			begun = beginOf(inst.Run)
		} else if rec, ok := inst.Run.Step(c.Step); ok {
			s.Type = typeOf(inst, c.Step)
			if rec.Phase.Ended() {
				begun = rec.Started
			}
		}
		if !begun.IsZero() {
			s.Took = c.At.Sub(begun)
		}
		r.Steps = append(r.Steps, s)
	}
}

// beginOf is when the first step of a run began, zero if none did.
func beginOf(run *model.Run) (first time.Time) {
	for i := range run.Steps {
		if at := run.Steps[i].Started; !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// typeOf is the type of a step of the latest run.
func typeOf(inst *model.Instance, step string) string {
	if spec := workflow.SpecOf(inst); spec != nil && spec.Workflow != nil {
		if s, ok := model.Find(spec.Workflow.Steps, step); ok {
			return s.Type
		}
	}
	return ""
}

func newStandstill() Standstill {
	return Standstill{Overdue: map[model.Phase]int{}, Oldest: map[model.Phase]time.Duration{}, People: map[string]int{}}
}

// overdueAfter is how long after a deadline something should have followed from it.
const overdueAfter = 2 * time.Minute

func (s *Standstill) count(inst *model.Instance, now time.Time) {
	passed := func(t time.Time) bool { return !t.IsZero() && now.Sub(t) > overdueAfter }
	running := inst.Run != nil && !inst.Run.Phase.Ended() && inst.Phase.Active()
	if passed(inst.Deadline) || passed(inst.EndBy) || running && passed(inst.Run.Deadline) {
		s.Overdue[inst.Phase]++
	}
	switch inst.Phase {
	case model.PhaseCreated, model.PhaseAdmitted, model.PhaseScheduled, model.PhaseDegraded:
		s.Oldest[inst.Phase] = max(s.Oldest[inst.Phase], now.Sub(inst.Since))
	}
	if !running {
		return
	}
	for _, w := range workflow.Waits(inst.Run, workflow.SpecOf(inst)) {
		if w.People {
			s.People[w.Action]++
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
		if after[i].Equal(&last) {
			return i + 1
		}
	}
	return 0
}
