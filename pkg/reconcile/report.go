package reconcile

import (
	"time"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// Report is what one pass found and did.
type Report struct {
	Times
	Commit    string // the source commit that was decided on
	SourceErr error  // the fleet repo was unavailable and the last snapshot was used

	Phases     map[model.Phase]int // applications by phase, as saved
	Standstill Standstill
	Problems   []model.Problem
	Room
	Changes   []announce.Announcement // that were saved or, in a dry run, would be
	Decisions []model.Decision        // saved ones that say something new
	Saved     bool                    // the status branch has a new commit
	Acted
	Measured
}

// Acted is what was done in the cluster.
type Acted struct {
	Applied  runtime.Report
	UnderWay int      // applications and tenants that a runtime goes on carrying out
	Others   []string // a dry run does nothing: sentences about objects that others made
}

// Room is the capacity that there is, and where it is exceeded.
type Room struct {
	Pools     []model.Pool      // as seen; nil: nothing was
	OverQuota []model.OverQuota // as saved
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

// Measured is what a pass left to do, and what the readings of the edges were after it.
type Measured struct {
	Left   int                // applications and tenants that are left to the next pass, as the slice was over
	Limits map[string]float64 // the part that is used, by the name of the limit
	Behind *time.Duration     // of the mirror of the status branch; nil: there is none
	Views  []runtime.View
}

// measure takes the readings.
func (f *Readings) measure(left int, now time.Time) (m Measured) {
	m.Left, m.Limits = left, map[string]float64{}
	for name, used := range f.Limits {
		m.Limits[name] = used()
	}
	if f.Mirror != nil {
		behind := f.Mirror(now)
		m.Behind = &behind
	}
	if f.Views != nil {
		m.Views = f.Views()
	}
	return m
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

// Standstill counts the applications and steps that are stuck or wait, after a pass.
type Standstill struct {
	Overdue map[model.Phase]int           // past a deadline that should have ended the wait
	Oldest  map[model.Phase]time.Duration // the longest wait, in the phases that wait
	People  map[string]int                // waits that only a command ends, by its action
	Orphans int                           // applications with objects in the cluster that no record knows
}

// Changed reports whether the pass changed anything, in the ledger or the cluster.
func (r *Report) Changed() bool {
	return r.Saved || len(r.Changes) > 0 || r.Applied.Requests.Apply+r.Applied.Requests.Delete > 0
}

// Transitions returns the transitions among the changes.
func (r *Report) Transitions() []announce.Announcement { return r.of(announce.Transition) }

func (r *Report) of(kind announce.Kind) (list []announce.Announcement) {
	for _, a := range r.Changes {
		if a.Kind == kind {
			list = append(list, a)
		}
	}
	return list
}

// take fills in what follows from the ledgers before and after a pass.
func (r *Report) take(before, after *model.Ledger) {
	r.Phases, r.Problems = map[model.Phase]int{}, after.Problems
	r.Standstill = Standstill{
		Overdue: map[model.Phase]int{}, Oldest: map[model.Phase]time.Duration{}, People: map[string]int{}, Orphans: len(after.Orphans),
	}
	r.OverQuota = after.OverQuota
	for i := range after.Instances {
		r.Phases[after.Instances[i].Phase]++
		r.Standstill.count(&after.Instances[i], r.Started)
	}
	if after.Revision.Is(before.Revision) {
		return
	}
	r.Changes = announce.Between(before, after, r.Started)
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
	for _, w := range workflow.Waits(inst.Run, inst.RunSpec()) {
		if w.People {
			s.People[w.Action]++
		}
	}
}
