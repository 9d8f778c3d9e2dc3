package lifecycle

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// driftEvery is how often the count of one drift is saved: another controller may
// change a field as fast as it is changed back.
const driftEvery = 10 * time.Minute

// shownByPods are the reasons of failures that are outcomes, too.
var shownByPods = []model.Reason{model.OutcomeImageUnavailable, model.OutcomeSecretMissing}

// noteOutcomes records why objects of the accepted spec are not in the cluster as they
// are to be: what the last attempt to apply them came to, nil if there is no news of
// it, images and Secrets that the runtimes cannot get, and promises that nodes do not
// keep. Outcomes that differ from the recorded ones in their words and times only are no
// news.
func noteOutcomes(inst *model.Instance, applied *model.Applied, shown workloads, short []model.Shortfall, now time.Time) {
	var all []model.Outcome
	kept := inst.Outcomes
	if applied != nil && applied.About(inst) {
		all = slices.Clone(applied.Outcomes)
		if !applied.Partial {
			kept = nil
		}
		noteDrift(inst, applied.Drift)
	}
	for i := range kept {
		o := &kept[i]
		if !slices.Contains(shownByPods, o.Reason) && !o.OfNodes() && !slices.ContainsFunc(all, sameCause(o)) {
			all = append(all, *o)
		}
	}
	for _, w := range shown {
		if w.Failure == nil || !slices.Contains(shownByPods, model.Reason(w.Failure.Reason)) || !inst.Phase.Active() {
			continue
		}
		all = append(all, model.Outcome{
			Object: showing(inst, w.Component), Component: w.Component, Reason: model.Reason(w.Failure.Reason),
			Message: w.Failure.Message, First: now, Last: now,
		})
	}
	for i := range short {
		if promisedTo(inst, &short[i]) {
			o := short[i].Outcome()
			o.First, o.Last = now, now
			all = append(all, o)
		}
	}
	all = model.FoldOutcomes(all)
	for i := range all {
		if n := slices.IndexFunc(inst.Outcomes, sameCause(&all[i])); n >= 0 {
			all[i].First = inst.Outcomes[n].First
		}
	}
	if !slices.EqualFunc(inst.Outcomes, all, sameOutcome) {
		inst.Outcomes = all
	}
}

// showing names what shows a failure of a component.
func showing(inst *model.Instance, component string) string {
	if inst.Spec != nil {
		if c, ok := inst.Spec.Component(component); ok && !c.Runs() {
			return "component " + component
		}
	}
	return "pods of " + component
}

func sameCause(o *model.Outcome) func(model.Outcome) bool {
	return func(p model.Outcome) bool { return o.SameCause(&p) }
}

func sameOutcome(a, b model.Outcome) bool {
	return a.SameCause(&b) && a.Object == b.Object && a.Objects == b.Objects
}

// noteDrift records what was corrected. The count of a drift that goes on is saved now
// and then.
func noteDrift(inst *model.Instance, corrected []model.Drift) {
	for i := range corrected {
		d := corrected[i]
		n := slices.IndexFunc(inst.Drift, func(e model.Drift) bool { return e.SameCause(&d) })
		if n >= 0 && d.Time.Sub(inst.Drift[n].Time) < driftEvery {
			continue
		}
		drift := slices.Clone(inst.Drift)
		if n >= 0 {
			d.Count += drift[n].Count
			drift = slices.Delete(drift, n, n+1)
		}
		drift = append(drift, d)
		inst.Drift = drift[max(0, len(drift)-model.OutcomeLimit):]
	}
}

// applyFailed reports whether an object of the accepted spec is refused for good.
// A step of a workflow that is under way judges the objects of its components itself.
func applyFailed(inst *model.Instance) bool {
	return !underWay(inst) && slices.ContainsFunc(inst.Outcomes, func(o model.Outcome) bool { return o.Final() })
}

// failApply gives up what an update that is to be kept would go back to. The deadline of
// the start stays.
func failApply(inst *model.Instance, _ workloads, _ time.Time) {
	if inst.Spec.Policy.OnUpdateFailure == model.OnUpdateFailureHold {
		dropPrevious(inst)
	}
}

// outcomeText names what is refused and why, the final outcome first; "" if nothing is.
func outcomeText(inst *model.Instance) string {
	i := slices.IndexFunc(inst.Outcomes, func(o model.Outcome) bool { return o.Concerns() })
	if i < 0 {
		return ""
	}
	o := &inst.Outcomes[i]
	return o.Message + " (" + string(o.Reason) + ")"
}
