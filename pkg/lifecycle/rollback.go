package lifecycle

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// heldLimit bounds how many rolled-back releases an instance remembers.
const heldLimit = 10

// rollBack returns to the last release that ran well and puts the failed one on hold:
// it is not tried again. A change of policy does not lift the hold.
func (f *facts) rollBack() {
	in := f.inst
	bad := in.Spec.Release
	in.Held = append(in.Held, bad)
	in.Held = slices.Delete(in.Held, 0, max(0, len(in.Held)-heldLimit))
	spec := in.Previous
	grants, _ := backGrants(in, f.room)
	dropPrevious(in)
	f.accept(spec, grants)
	f.room.take(in)
	in.Refused = &model.Refusal{Spec: bad, Reason: model.ReasonRolledBackSpec, Since: f.now, Message: "it was rolled back: " + f.why + "; it is tried again when it changes", MovesTo: f.git.moved}
	// The ruling of this pass was about the failed spec.
	f.decision = nil
}

// goesBack reports whether an update is taken back, because its components fail
// too often or because of another failure.
func (f *facts) goesBack(failed bool) bool {
	in := f.inst
	if in.Previous == nil {
		return false
	}
	often := in.Spec.Lifecycle.OnFailure == model.OnFailureRollback && tooOften(in, f.now) != nil
	if !often && (in.Spec.Policy.OnUpdateFailure == model.OnUpdateFailureHold || !failed) || !restorable(in) {
		return false
	}
	_, fits := backGrants(in, f.room)
	return fits
}

// updateFailed reports whether an update that is on its way is to be taken back.
func (f *facts) updateFailed() bool {
	return f.goesBack(late(f.inst, f.shown, f.now) || brokenForGood(f.inst, f.shown) || applyFailed(f.inst))
}

// failsSince reports the same of an update that had arrived, or that could not be
// taken back when it failed.
func (f *facts) failsSince() bool {
	return f.goesBack(f.inst.Phase == model.PhaseDegraded && !f.inst.Deadline.IsZero() && (!partsRun(f.inst, f.shown) || applyFailed(f.inst)))
}

// restorable reports whether the secrets of the spec before are still the ones
// that run. The ledger has only digests of their values, so values that an update
// has changed or deleted are lost.
func restorable(inst *model.Instance) bool {
	for _, c := range inst.Previous.Components {
		if !c.Redacted() {
			continue
		}
		now, ok := inst.Spec.Component(c.Name)
		s, told := inst.Component(c.Name)
		if !ok || !told || s.Workload == "" || now.Content(inst.App) != c.Content(inst.App) {
			return false
		}
	}
	return true
}

// backGrants returns grants for the spec before: its former grants, or the part of
// them that the free capacity allows. It reports whether that part covers the minimum
// to which policy lets the application be degraded.
// Quota does not matter: the spec was accepted.
func backGrants(inst *model.Instance, room *room) (grants []model.Grant, fits bool) {
	spec := inst.Previous
	grants, fits = slices.Clone(inst.PreviousGrants), true
	most := make([]int, len(grants))
	left := room.with(inst)
	for i := range grants {
		g := &grants[i]
		g.Surge, most[i] = 0, g.Replicas
		if c, ok := spec.Component(g.Component); ok && spec.Policy.Degradation {
			if g.Replicas = min(g.Replicas, c.MinReplicas()); !c.Critical {
				g.Replicas = 0
			}
		}
		if !left.book(g, g.Replicas) {
			g.Replicas, fits = 0, false
		}
	}
	for i := range grants {
		for g := &grants[i]; g.Replicas < most[i] && left.book(g, 1); g.Replicas++ {
		}
	}
	return grants, fits
}
