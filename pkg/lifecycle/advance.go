package lifecycle

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// stepLimit bounds the transitions of one instance in one pass. The longest way,
// from Created to Running, takes four; more means that the table has a cycle.
const stepLimit = 10

// Advance returns the ledger that follows from ledger, given what Git declares,
// the ruling on it and what the runtimes showed at the time now. Records that do
// not change are returned as they are, so equal inputs give an equal ledger.
func Advance(ledger model.Ledger, fleet model.Fleet, ruling model.Ruling, seen model.Observation, now time.Time) model.Ledger {
	return advance(ledger, fleet, ruling, seen, now, unchanged)
}

// advance goes through the table for every instance that is not unchanged.
func advance(ledger model.Ledger, fleet model.Fleet, ruling model.Ruling, seen model.Observation, now time.Time, unchanged func(*facts) bool) model.Ledger {
	next := model.Ledger{
		Identity: ledger.Identity, Commit: fleet.Commit, Platform: fleet.Platform, Tenants: fleet.Tenants, Problems: fleet.Problems,
		Pools: ledger.Pools, Damaged: ledger.Damaged, OverQuota: overQuota(ledger.OverQuota, ruling.OverQuota, now),
	}
	wanted := newAlong(fleet.Applications, func(a **model.Application) model.AppID { return (*a).ID })
	unusable := newAlong(fleet.Unusable, func(u *model.Unusable) model.AppID { return u.App })
	rulings := newAlong(ruling.Decisions, decisionOf)
	shown, applied := newAlong(seen.Workloads, appOf), newAlong(seen.Applied, func(a *model.Applied) model.AppID { return a.App })
	short := newAlong(seen.Shortfalls, func(s *model.Shortfall) model.AppID { return s.App })
	known, decided := newAlong(ledger.Instances, func(in *model.Instance) model.AppID { return in.App }), newAlong(ledger.Decisions, decisionOf)

	room := &room{measure: func() (amounts, map[model.AppID]amounts) { return measure(&ledger, &ruling, &seen) }}
	ids := everyone(ledger, fleet)
	instances, decisions := newRecords(ledger.Instances), newRecords(ledger.Decisions)
	damaged := newAlong(ledger.Damaged, func(d *model.DamagedRecord) model.AppID { return d.App })
	f := new(facts) // one for all: in most passes they are the most that is allocated
	for _, id := range ids {
		if damaged.at(id) != nil { // nothing is decided about it
			if inst := known.at(id); inst != nil {
				instances.add(inst, false)
			}
			if d := decided.at(id); d != nil {
				decisions.add(d, false)
			}
			continue
		}
		if u := unusable.at(id); u != nil && (u.Code == catalogue.NotYet || u.Code == catalogue.TooMany) && known.at(id) == nil {
			continue // it begins when it is evaluated
		}
		*f = facts{
			git: declared{commit: fleet.Commit}, decision: rulings.at(id),
			shown: shown.all(id), applied: applied.at(id), short: short.all(id), room: room, now: now,
		}
		if u := unusable.at(id); u != nil {
			f.git.exists, f.git.moved = true, u.MovesTo
		}
		if a := wanted.at(id); a != nil {
			f.git.spec, f.git.exists = *a, true
		}
		d, changed := record(decided.at(id), f.decision)
		if f.decision != nil {
			f.decision = d // in the words in which it was made
		}
		f.inst = known.at(id)
		same := f.inst != nil && unchanged(f)
		switch {
		case !same:
			old := f.inst
			f.before = before(&ledger, old)
			if f.inst = f.current(old, id); f.inst == nil {
				continue
			}
			f.shown = f.shown.asBefore(f.inst, f.before)
			f.advance()
			var counts *model.Shown
			if f.inst, counts = keepCounts(old, f.inst, now); counts != nil {
				if next.Unsaved == nil {
					next.Unsaved = map[model.AppID]*model.Shown{}
				}
				next.Unsaved[id], same = counts, f.inst == old
			}
		case f.git.hasSecretsOf(f.inst.Spec):
			inst := *f.inst
			inst.Revision, inst.Spec = model.Revision{}, f.git.whole(inst.Spec)
			f.inst, same = &inst, false
		}
		instances.add(f.inst, !same)
		if changed {
			made := *d
			made.Revision = model.Revision{}
			if made.Inputs.At.IsZero() || made.Advised == nil { // else it is an earlier one, and the advice has its time
				made.Inputs.At = now.UTC().Round(0)
			}
			d, next.Pools = &made, seen.Pools
		}
		if d != nil {
			decisions.add(d, changed)
		}
	}
	next.Instances, next.Decisions = instances.list(), decisions.list()
	return next
}

func decisionOf(d *model.Decision) model.AppID { return d.App }
func appOf(w *model.Workload) model.AppID      { return w.App }

// everyone lists the applications that are declared or known, sorted.
func everyone(ledger model.Ledger, fleet model.Fleet) []model.AppID {
	ids := make([]model.AppID, 0, len(fleet.Applications)+len(fleet.Unusable)+len(ledger.Instances))
	known := ledger.Instances
	for _, a := range fleet.Applications {
		for len(known) > 0 && known[0].App.Compare(a.ID) < 0 {
			ids, known = append(ids, known[0].App), known[1:]
		}
		if len(known) > 0 && known[0].App == a.ID {
			known = known[1:]
		}
		ids = append(ids, a.ID)
	}
	for i := range known {
		ids = append(ids, known[i].App)
	}
	for i := range fleet.Unusable {
		ids = append(ids, fleet.Unusable[i].App)
	}
	if !slices.IsSortedFunc(ids, model.AppID.Compare) {
		slices.SortFunc(ids, model.AppID.Compare)
	}
	return slices.Compact(ids)
}

// current returns a copy of the instance that the application has now: the one in
// the ledger, or a new one where there is none or where that has ended and Git wants
// the application to run again. It is nil if the application needs no record.
func (f *facts) current(old *model.Instance, id model.AppID) *model.Instance {
	if old != nil && !f.begins(old) {
		inst := *old
		inst.Revision = model.Revision{}
		inst.Spec = f.git.whole(old.Spec)
		inst.Components, f.was = slices.Clone(old.Components), old.Components
		inst.History = slices.Clip(old.History)
		inst.Held = heldReleases(old.Held, f.git.spec)
		return &inst
	}
	if f.git.halted() {
		return nil
	}
	inst := &model.Instance{App: id, Number: 1, Declared: f.now}
	f.birth = &Births[0]
	if old != nil {
		inst.Number, inst.History, inst.Run, inst.Runtimes = old.Number+1, slices.Clip(old.History), old.Run, old.Runtimes
		if old.Release() == f.git.spec.Release {
			inst.FailedStarts = old.FailedStarts
		}
		switch old.Reason {
		case model.ReasonEvicted:
			inst.Declared = old.Declared // a preempted application keeps its place in line
		case model.ReasonSuspended:
			inst.Declared, f.birth = old.Declared, &Births[1]
		case model.ReasonQuarantined:
			f.birth = &Births[2]
		}
	}
	return inst
}

// begins reports whether a new instance follows old.
func (f *facts) begins(old *model.Instance) bool {
	return old.Phase == model.PhaseTerminated && f.git.spec != nil && !f.git.halted() && !old.Rests(f.git.spec.Release, f.now)
}

// advance carries the instance through every transition that is due.
func (f *facts) advance() {
	if f.birth != nil {
		f.move(f.birth)
	}
	if f.inst.Phase.Active() && f.verdict(model.VerdictGranted) && f.decision.Spec == f.inst.SpecDigest() {
		noteShift(f.inst, f.decision.Grants, f.now)
		setGrants(f.inst, f.decision.Grants)
	}
	if f.inst.Phase.Active() {
		noteFailures(f.inst, f.shown, f.now)
	}
	noteOutcomes(f.inst, f.applied, f.shown, f.short, f.now)
	endFurther(f.inst, f.shown, f.now)
	for range stepLimit {
		if f.inst.Phase.Active() {
			components{f}.advance()
		}
		rule := f.due()
		if rule == nil {
			f.settle()
			return
		}
		f.move(rule)
	}
	panic("lifecycle: the transition table has a cycle at " + f.inst.App.String())
}

// due returns the first rule that applies.
func (f *facts) due() *Rule {
	for i := range Rules {
		if r := &Rules[i]; slices.Contains(r.From, f.inst.Phase) && r.when(f) {
			return r
		}
	}
	return nil
}

// move carries out a rule and writes it into the history.
func (f *facts) move(r *Rule) {
	t := model.Transition{
		At: f.now, Instance: f.inst.Number, From: f.inst.Phase, To: cmp.Or(r.To, f.inst.Phase),
		Reason: r.Reason, Message: f.message(r), Commit: f.git.commit,
	}
	if t.Reason == "" && f.decision != nil {
		t.Reason = f.decision.Reason
	}
	t.Reason = cmp.Or(t.Reason, model.ReasonCapacityShort) // without a decision, just after a rollback, a reduced grant is for want of capacity
	if r.Reason == model.ReasonAdmissionChanged {
		changes := model.AdmissionChanges(f.inst.Spec, f.git.spec)
		t.Changes = changes[:min(len(changes), model.AdmissionChangeLimit)]
	}
	if f.why = t.Message; r.do != nil {
		r.do(f)
	}
	if t.OfAdmission() && len(t.Changes) == 0 {
		return // a newer version knows a value that the record is older than: nobody changed anything
	}
	// Without room to grow: an instance keeps its history longer than it adds to it.
	f.inst.History = slices.Concat(f.inst.History[max(0, len(f.inst.History)+1-model.HistoryLimit):], []model.Transition{t})
	if r.To != "" {
		f.inst.Phase, f.inst.Reason, f.inst.Message, f.inst.Since = t.To, t.Reason, t.Message, t.At
	}
}

// settle updates what can change without a transition: why an application waits
// or is rejected, and whether Git still holds a spec that is refused.
func (f *facts) settle() {
	if tell(f.inst); !f.inst.Phase.Active() {
		f.inst.Shown = nil
	}
	if f.inst.Phase == model.PhaseAdmitted && f.verdict(model.VerdictWaiting) || f.inst.Phase == model.PhaseRejected && f.verdict(model.VerdictRejected) {
		f.inst.Reason, f.inst.Message = f.decision.Reason, f.decision.Message
	}
	if f.decision != nil && f.inst.Phase.Active() {
		f.inst.Refused = f.refusal()
	}
	if f.inst.Phase == model.PhaseDegraded && !f.inst.Deadline.IsZero() && partsRun(f.inst, f.shown) && !applyFailed(f.inst) {
		arrive(f.inst, f.shown, f.now) // it has started after all
	}
	if !f.inst.Trial.IsZero() && !f.now.Before(f.inst.Trial) {
		dropPrevious(f.inst)
	}
}

// record returns the decision to keep about an application: d, the new one, if it rules something else than old, the last
// one, so that the record of a decision stays what it was when it was made. What a decision displaced stays part of its
// record. Of a decision that rules the same and advises something else only the advice is kept, which has a time of its own.
// Either may be nil.
func record(old, d *model.Decision) (_ *model.Decision, changed bool) {
	switch {
	case old == nil:
		return d, d != nil
	case d == nil:
		return old, false
	case !old.RulesAs(d) || len(d.Displaced) > 0 && !slices.Equal(old.Displaced, d.Displaced):
		return d, true
	case old.SameAdvice(d):
		return old, false
	}
	kept := *old
	kept.Advice, kept.Advised, kept.WouldAdmit, kept.Revision = d.Advice, d.Advised, d.WouldAdmit, d.Revision
	return &kept, true
}
