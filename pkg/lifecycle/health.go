package lifecycle

import (
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// up reports whether a component runs at its grant, or need not run.
func up(s *model.ComponentState) bool {
	if s.Finished() || s.State == model.StateOff {
		return !s.Hold
	}
	return !s.Hold && s.State == model.StateReady && s.Run == s.Grant.Replicas
}

// anyCritical reports whether something is so of a critical component.
func anyCritical(inst *model.Instance, is func(*model.Component, *model.ComponentState) bool) bool {
	for i := range inst.Components {
		s := &inst.Components[i]
		if c, ok := inst.Spec.Component(s.Grant.Component); ok && c.Critical && is(c, s) {
			return true
		}
	}
	return false
}

// running reports whether every critical component runs at its grant.
func running(inst *model.Instance) bool {
	return !underWay(inst) && !anyCritical(inst, func(_ *model.Component, s *model.ComponentState) bool { return !up(s) })
}

// runsInFull and runsReduced are about a start that has arrived: every object is in the
// cluster, too.
func runsInFull(inst *model.Instance) bool {
	return running(inst) && !reduced(inst) && inPlace(inst)
}

// inPlace reports whether every object is in the cluster as it is to be.
func inPlace(inst *model.Instance) bool {
	return !slices.ContainsFunc(inst.Outcomes, func(o model.Outcome) bool { return o.Concerns() })
}

func runsReduced(inst *model.Instance) bool {
	return running(inst) && reduced(inst) && inPlace(inst)
}

// reduced reports whether the grants are less than the spec asks for.
func reduced(inst *model.Instance) bool {
	return slices.ContainsFunc(inst.Components, func(s model.ComponentState) bool {
		c, ok := inst.Spec.Component(s.Grant.Component)
		return ok && (s.Grant.Replicas < c.Replicas || s.Grant.QoS != c.QoS)
	})
}

func failing(inst *model.Instance) bool {
	return slices.ContainsFunc(inst.Components, func(s model.ComponentState) bool { return s.State == model.StateFailed && !s.Ended })
}

// partsRun reports whether every critical component has as many ready replicas as
// it can be degraded to, at least one.
func partsRun(inst *model.Instance, shown workloads) bool {
	return !anyCritical(inst, func(c *model.Component, s *model.ComponentState) bool {
		if up(s) {
			return false
		}
		w := shown.of(c.Name)
		return w == nil || w.Ready < max(1, min(c.MinReplicas(), s.Grant.Replicas))
	})
}

// brokenForGood reports whether a critical component failed and its runtime will
// not try again. While a workflow is under way, its steps judge that.
func brokenForGood(inst *model.Instance, shown workloads) bool {
	return !underWay(inst) && anyCritical(inst, func(c *model.Component, s *model.ComponentState) bool {
		w := shown.of(c.Name)
		return w != nil && w.Failure != nil && w.Failure.Final && w.Digest == s.Workload && s.State == model.StateFailed && !s.Ended
	})
}

// unrecoverable reports whether what is broken ends the instance. An update that
// can be taken back, now or when there is room for it, does not end it.
func unrecoverable(inst *model.Instance, shown workloads, _ time.Time) bool {
	goesBack := inst.Previous != nil && inst.Spec.Policy.OnUpdateFailure != model.OnUpdateFailureHold
	return brokenForGood(inst, shown) && !goesBack && !unfinished(inst)
}

// recovered reports whether the full grant runs again.
func recovered(inst *model.Instance, _ workloads, now time.Time) bool {
	degrades := answerTo(&inst.Spec.Lifecycle) == model.OnFailureDegrade && tooOften(inst, now) != nil
	return !reduced(inst) && !failing(inst) && !unfinished(inst) && !degrades && running(inst) && inPlace(inst)
}

// blamed reports whether a critical component may be at fault itself for not
// running, and not its node or runtime. What runs elsewhere is nobody's fault here.
func blamed(inst *model.Instance, shown workloads) bool {
	return anyCritical(inst, func(c *model.Component, s *model.ComponentState) bool {
		if up(s) || s.State == model.StateWaiting || c.Elsewhere() {
			return false
		}
		w := shown.of(c.Name)
		return w == nil || w.Failure == nil || w.Failure.Blames()
	})
}

// unready names the components that do not run as granted, and why.
func unready(inst *model.Instance) string {
	var parts []string
	for _, s := range inst.Components {
		if up(&s) {
			continue
		}
		text := s.Grant.Component + " " + string(s.State)
		if s.State == model.StateUnready {
			text = s.Grant.Component + ": " + s.Message
		} else if s.Message != "" {
			text += " (" + s.Message + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
