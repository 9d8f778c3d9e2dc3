package lifecycle

import "github.com/d-aros/d-aros/pkg/model"

// unchanged reports whether the instance cannot change in this pass: it runs what
// Git and arbitration want, every component is as it was told, and no deadline is
// set. Nearly all instances are unchanged in nearly all passes, and this costs a
// hundredth of the way through the table. A wrong no costs only that.
func unchanged(f *facts) bool {
	in, d := f.inst, f.decision
	if in.SpecUnknown() {
		return !f.git.removed() && !f.git.halted() && !f.updated()
	}
	if in.Phase != model.PhaseRunning || f.applied != nil || !asReported(in, f.short) || f.git.spec == nil || f.git.halted() || d == nil || d.Verdict != model.VerdictGranted || in.Spec == nil {
		return false
	}
	spec := in.Spec
	switch {
	case f.git.spec.Digest != spec.Digest || d.Spec != spec.Digest || d.Refused != nil || in.Refused != nil,
		in.Previous != nil || !in.Trial.IsZero() || !in.Deadline.IsZero() || tooOften(in, f.now) != nil,
		len(in.Components) != len(spec.Components):
		return false
	}
	if spec.Workflow != nil {
		if run := runOf(in); run == nil || run.Phase != model.RunSucceeded || run.Spec != spec.Release {
			return false
		}
	}
	grants, looked := d.Grants, 0
	for i := range in.Components {
		s, c := &in.Components[i], &spec.Components[i]
		if s.Grant.Component != c.Name || !goesOn(c, s, f.shown) {
			return false
		}
		if !s.Finished() {
			if !asShown(in.Shown, looked, f.shown.of(c.Name)) {
				return false
			}
			looked++
		}
		if len(grants) > 0 && grants[0].Component == c.Name {
			if !grants[0].Equal(s.Grant) {
				return false
			}
			grants = grants[1:]
		}
	}
	return len(grants) == 0 && (in.Shown == nil || len(in.Shown.Components) == looked)
}

// goesOn reports whether a component runs in full as it was told to, or is finished.
func goesOn(c *model.Component, s *model.ComponentState, shown workloads) bool {
	if s.Hold || s.Beside != nil || s.Pauses != 0 || !s.Pause.IsZero() || s.Message != "" || s.Grant.Replicas < c.Replicas || s.Grant.QoS != c.QoS {
		return false
	}
	if s.Finished() || s.State != model.StateReady {
		return s.Finished()
	}
	w := shown.of(c.Name)
	return whole(w) && s.Run == s.Grant.Replicas && w.Digest == s.Workload && w.Failure == nil
}
