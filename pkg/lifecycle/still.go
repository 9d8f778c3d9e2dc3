package lifecycle

import (
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// still says whether nothing about an instance can be another in this pass: it
// runs what Git and arbitration want as they want it, all of it is as it was told,
// and nothing waits for a time. Nearly all instances of a fleet are still in nearly
// all passes, and finding that out costs a hundredth of going through the table.
// Where it says no although nothing changes, nothing is lost.
func (f *facts) still() bool {
	in, d := f.inst, f.decision
	if in.Phase != model.Running || f.wanted == nil || f.halted() || d == nil || d.Verdict != model.Granted || in.Spec == nil {
		return false
	}
	spec := in.Spec
	switch {
	case f.wanted.Digest != spec.Digest || d.Spec != spec.Digest || d.Refused != nil || in.Refused != nil,
		in.Previous != nil || !in.Trial.IsZero() || !in.Deadline.IsZero() || f.tooOften() != nil,
		len(in.Components) != len(spec.Components):
		return false
	}
	if spec.Workflow != nil {
		if run := f.run(); run == nil || run.Phase != model.RunSucceeded || run.Spec != spec.Digest {
			return false
		}
	}
	grants := d.Grants
	for i := range in.Components {
		s, c := &in.Components[i], &spec.Components[i]
		if s.Grant.Component != c.Name || !f.stillRuns(c, s) {
			return false
		}
		if len(grants) > 0 && grants[0].Component == c.Name {
			if !sameGrant(&grants[0], &s.Grant) {
				return false
			}
			grants = grants[1:]
		}
	}
	return len(grants) == 0
}

// stillRuns says whether a component goes on as it was told to.
func (f *facts) stillRuns(c *model.Component, s *model.ComponentState) bool {
	if s.Hold || s.Beside != nil || s.Pauses != 0 || !s.Pause.IsZero() || s.Message != "" || s.Grant.Replicas < c.Replicas || s.Grant.QoS != c.QoS {
		return false
	}
	switch s.State {
	case model.StateDone:
		return true
	case model.StateReady:
		for i := range f.shown {
			if w := &f.shown[i]; w.Component == c.Name && !w.Beside && w.Intent == "" {
				return s.Run == s.Grant.Replicas && w.Digest == s.Workload && w.Current && w.Ready >= w.Replicas && !w.Done && w.Failure == nil
			}
		}
	}
	return false
}

func sameGrant(a, b *model.Grant) bool {
	return a.Component == b.Component && a.Replicas == b.Replicas && a.Surge == b.Surge && a.QoS == b.QoS && a.Pool == b.Pool &&
		a.Requests.CPU == b.Requests.CPU && a.Requests.Memory == b.Requests.Memory &&
		maps.Equal(a.Requests.Devices, b.Requests.Devices) && slices.Equal(a.Domains, b.Domains)
}

// sameAtOnce says whether two decisions say the same for sure.
func sameAtOnce(a, b *model.Decision) bool {
	return a.Verdict == b.Verdict && a.Reason == b.Reason && a.Spec == b.Spec && a.Degraded == b.Degraded && a.Position == b.Position &&
		a.Refused == nil && b.Refused == nil && a.EvictAt.Equal(b.EvictAt) && a.For == b.For && len(a.Displaced)+len(b.Displaced) == 0 &&
		slices.EqualFunc(a.Grants, b.Grants, func(x, y model.Grant) bool { return sameGrant(&x, &y) })
}
