package lifecycle_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestRandomHistories lives through random stories and checks after every pass
// what must always hold.
func TestRandomHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld()
		names := []string{"a", "b", "c", "d", "e"}
		for range rapid.IntRange(1, 40).Draw(rt, "statements") {
			name := rapid.SampledFrom(names).Draw(rt, "name")
			switch rapid.IntRange(0, 9).Draw(rt, "statement") {
			case 0, 1:
				spec := fmt.Sprintf("on.failure=%s on.quarantine=%d on.update=%s web=%dx1 web.min=1 web.image=v%d job.pre=1x1 pre.image=v%d web.after=pre",
					rapid.SampledFrom([]string{"restart", "degrade", "rollback", "terminate"}).Draw(rt, "on failure"), rapid.IntRange(1, 3).Draw(rt, "quarantine"),
					rapid.SampledFrom([]string{"rollback", "hold"}).Draw(rt, "on update failure"), rapid.IntRange(1, 6).Draw(rt, "replicas"), rapid.IntRange(1, 3).Draw(rt, "web"), rapid.IntRange(1, 2).Draw(rt, "pre"))
				w.play(t, append([]string{"git", name}, strings.Fields(spec)...))
			case 2:
				w.play(t, []string{rapid.SampledFrom([]string{"gone", "broken", "stop", "suspend"}).Draw(rt, "change"), name})
			case 3, 4, 5, 6:
				w.report(t, rt, name)
			case 7:
				w.play(t, []string{"wait", rapid.SampledFrom([]string{"1s", "1m", "11m"}).Draw(rt, "time")})
			case 8:
				w.cores(rapid.IntRange(1, 12).Draw(rt, "cores"))
			}
			w.check(rt)
		}
	})
}

// report makes the runtime say something about a component that was told to run.
func (w *world) report(t *testing.T, rt *rapid.T, name string) {
	inst, ok := w.ledger.Find(id(name))
	if !ok || !inst.Phase.Active() {
		return
	}
	what := rapid.SampledFrom([]string{"ready", "ready", "crash", "final", "away"}).Draw(rt, "report")
	component := rapid.SampledFrom([]string{"web", "pre"}).Draw(rt, "component")
	if component == "pre" && what == "ready" {
		what = "done"
	}
	w.show(t, what, name+"/"+component, rapid.IntRange(0, 4).Draw(rt, "restarts"))
}

// check runs a pass and fails when something that must hold does not.
func (w *world) check(rt *rapid.T) {
	slices.SortFunc(w.fleet.Applications, func(x, y *model.Application) int { return x.ID.Compare(y.ID) })
	fleet, _ := lifecycle.KeepLastGood(w.fleet, w.ledger, nil)
	ruling := arbitration.Rule(fleet, w.seen, w.ledger, w.now)
	next := lifecycle.Advance(w.ledger, fleet, ruling, w.seen, w.now)
	if model.DigestOf(everything(next)) != model.DigestOf(everything(lifecycle.AdvanceAll(w.ledger, fleet, ruling, w.seen, w.now))) {
		rt.Fatal("equal inputs, different ledgers, or one that was taken to be still was not")
	}
	for i := range next.Instances {
		inst := &next.Instances[i]
		switch {
		case inst.Phase.Active() && (inst.Spec == nil || len(inst.Components) != len(inst.Spec.Components)):
			rt.Fatalf("%s is %s without a spec or components", inst.App, inst.Phase)
		case inst.Phase == model.PhaseScheduled && inst.Deadline.IsZero():
			rt.Fatalf("%s waits without a deadline", inst.App)
		case inst.Ending() && (inst.EndBy.IsZero() || !w.now.Before(inst.EndBy)):
			rt.Fatalf("%s has not ended in time", inst.App)
		case inst.Previous != nil && (!inst.Phase.Active() || inst.Deadline.IsZero() && inst.Trial.IsZero()):
			rt.Fatalf("%s is %s and still remembers an update", inst.App, inst.Phase)
		}
		w.checkHistory(rt, inst)
	}
	w.ledger = next
	w.checkRecall(rt)
	w.now = w.now.Add(time.Second)
}

// checkRecall demands that a record which the runtimes show to be true stays as it is where they show
// what is recalled of it in their place, but for what failed, of which only they know enough.
func (w *world) checkRecall(rt *rapid.T) {
	recalled := model.Observation{Pools: w.seen.Pools}
	for i := range w.ledger.Instances {
		for _, r := range lifecycle.Recall(&w.ledger.Instances[i]) {
			recalled.Workloads = append(recalled.Workloads, r.Workload)
		}
	}
	slices.SortStableFunc(recalled.Workloads, func(x, y model.Workload) int {
		return cmp.Or(x.App.Compare(y.App), cmp.Compare(x.Component, y.Component))
	})
	fleet, _ := lifecycle.KeepLastGood(w.fleet, w.ledger, nil)
	come := func(seen model.Observation) model.Ledger {
		return lifecycle.Advance(w.ledger, fleet, arbitration.Rule(fleet, seen, w.ledger, w.now), seen, w.now)
	}
	shown, assumed := come(w.seen), come(recalled)
	for i := range w.ledger.Instances {
		was, x, y := &w.ledger.Instances[i], &shown.Instances[i], &assumed.Instances[i]
		fails := slices.ContainsFunc(w.seen.Workloads, func(s model.Workload) bool { return s.App == was.App && s.Failure != nil })
		switch {
		case was.Ending() && len(x.Components) > len(y.Components):
			rt.Fatalf("%s ends sooner with what is recalled", was.App)
		case !was.Ending() && !fails && sameStates(was, x) && !sameStates(was, y):
			rt.Fatalf("%s: %s %v, and %s %v with what is recalled", was.App, was.Phase, was.Components, y.Phase, y.Components)
		}
	}
}

// sameStates reports whether two records of an instance are in the same phase, and their components
// in the same states.
func sameStates(x, y *model.Instance) bool {
	return x.Phase == y.Phase && x.Number == y.Number && slices.EqualFunc(x.Components, y.Components, func(a, b model.ComponentState) bool {
		return a.Run == b.Run && a.Workload == b.Workload && a.State == b.State
	})
}

// checkHistory demands that the history is an unbroken way through the table.
func (w *world) checkHistory(rt *rapid.T, inst *model.Instance) {
	for i := 1; i < len(inst.History); i++ {
		from, to := inst.History[i-1], inst.History[i]
		if to.To == model.PhaseCreated {
			if !slices.ContainsFunc(lifecycle.Births, func(r lifecycle.Rule) bool { return r.Reason == to.Reason }) {
				rt.Fatalf("%s begins for %s", inst.App, to.Reason)
			}
			if from.To != model.PhaseTerminated || to.Instance != from.Instance+1 {
				rt.Fatalf("%s: instance %d begins after %s of %d", inst.App, to.Instance, from.To, from.Instance)
			}
			continue
		}
		if to.From != from.To {
			rt.Fatalf("%s: history jumps from %s to %s", inst.App, from.To, to.From)
		}
		row := func(r lifecycle.Rule) bool {
			return slices.Contains(r.From, to.From) && (r.To == to.To || r.To == "" && to.To == to.From) && (r.Reason == to.Reason || r.Reason == "")
		}
		if !slices.ContainsFunc(lifecycle.Rules, row) {
			rt.Fatalf("%s: %s → %s %s is in no row of the table", inst.App, to.From, to.To, to.Reason)
		}
	}
}

// everything is a ledger with what its own form leaves to other files.
func everything(l model.Ledger) []any {
	all := []any{l}
	for i := range l.Instances {
		all = append(all, l.Instances[i].Spec, l.Instances[i].Previous, l.Instances[i].Run)
	}
	return all
}
