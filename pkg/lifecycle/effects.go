package lifecycle

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// heldLimit bounds how many rolled-back specs an instance remembers.
const heldLimit = 10

// begin accepts the spec in Git for a first start.
func (f *facts) begin() { f.accept(f.wanted, f.decision.Grants) }

// beginUpdate accepts a newer spec. The one that ran well until now is kept until
// the new one does; a start that never succeeded leaves the older one in place.
func (f *facts) beginUpdate() {
	if f.inst.Phase != model.Scheduled && !f.unfinished() {
		f.inst.Previous, f.inst.PreviousGrants = f.inst.Spec, grantsOf(f.inst)
	}
	f.accept(f.wanted, f.decision.Grants)
}

func (f *facts) accept(spec *model.Application, grants []model.Grant) {
	own := *spec // the ledger outlives the fleet that the spec came from
	f.inst.Spec, f.inst.Refused = &own, nil
	f.inst.Deadline = f.now.Add(spec.Policy.StartDeadline)
	f.setGrants(grants)
}

// rollBack returns to the last spec that ran well and puts the failed one on
// hold: it is not tried again before it changes.
func (f *facts) rollBack() {
	bad := f.inst.Spec.Digest
	f.inst.Held = append(f.inst.Held, bad)
	f.inst.Held = slices.Delete(f.inst.Held, 0, max(0, len(f.inst.Held)-heldLimit))
	grants := f.inst.PreviousGrants
	spec := f.inst.Previous
	f.inst.Previous, f.inst.PreviousGrants = nil, nil
	f.accept(spec, grants)
	f.inst.Refused = &model.Refusal{Spec: bad, Reason: model.RolledBackSpec, Message: "this spec was rolled back because it did not start; it is tried again when it changes"}
	// What was ruled in this pass was about the failed spec.
	f.decision = nil
}

// arrive ends a start or an update: the accepted spec is now the good one.
func (f *facts) arrive() {
	f.inst.Deadline = time.Time{}
	f.inst.Previous, f.inst.PreviousGrants = nil, nil
}

// end releases everything.
func (f *facts) end() {
	f.arrive()
	f.inst.Components, f.inst.Refused = nil, nil
}

// noteRefusal remembers which newer spec was refused, so that it is said once.
func (f *facts) noteRefusal() { f.inst.Refused = f.refusal() }

func grantsOf(inst *model.Instance) []model.Grant {
	grants := make([]model.Grant, len(inst.Components))
	for i := range inst.Components {
		grants[i] = inst.Components[i].Grant
	}
	return grants
}
