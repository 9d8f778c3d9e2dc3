package lifecycle

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// facts are what the rules ask about one instance. They are plain values and
// questions about them; the effects of a rule change only the instance.
type facts struct {
	inst     *model.Instance
	commit   string             // of the fleet
	wanted   *model.Application // the valid spec in Git, nil if there is none
	declared bool               // Git declares the application, valid or not
	decision *model.Decision    // nil if arbitration had nothing to rule on
	seen     *model.Observation
	shown    []model.Workload       // of it, the part about this application
	was      []model.ComponentState // when the pass began
	room     *room
	now      time.Time
	birth    *Rule // of an instance that begins in this pass
}

func (f *facts) removed() bool   { return !f.declared }
func (f *facts) stopped() bool   { return f.wanted != nil && f.wanted.Desired == "terminated" }
func (f *facts) suspended() bool { return f.wanted != nil && f.wanted.Desired == "suspended" }

// halted says whether Git declares the application and does not want it to run.
func (f *facts) halted() bool { return f.stopped() || f.suspended() }

// removedSince and stoppedSince are about an instance that has ended for another
// reason, after which it might have come back.
func (f *facts) removedSince() bool { return f.removed() && !f.final() }
func (f *facts) stoppedSince() bool { return f.stopped() && !f.final() }

func (f *facts) final() bool {
	return f.inst.Reason == model.Removed || f.inst.Reason == model.Stopped
}

func (f *facts) verdict(v model.Verdict) bool { return f.decision != nil && f.decision.Verdict == v }

func (f *facts) evicted() bool  { return f.verdict(model.Evicted) }
func (f *facts) rejected() bool { return f.verdict(model.Rejected) }
func (f *facts) admitted() bool { return f.verdict(model.Waiting) || f.verdict(model.Granted) }
func (f *facts) granted() bool  { return f.verdict(model.Granted) && f.wanted != nil }

// updated says whether arbitration granted a spec in place of the accepted one.
func (f *facts) updated() bool {
	return f.granted() && f.decision.Spec == f.wanted.Digest && f.inst.SpecDigest() != f.wanted.Digest && !f.takingBack()
}

// updateRefused says whether a refusal is news: another spec or another reason.
func (f *facts) updateRefused() bool {
	r := f.refusal()
	old := f.inst.Refused
	return r != nil && r.Reason != model.RolledBackSpec && (old == nil || old.Spec != r.Spec || old.Reason != r.Reason)
}

func (f *facts) refusal() *model.Refusal {
	if f.decision == nil {
		return nil
	}
	return f.decision.Refused
}

func (f *facts) late() bool {
	return !f.inst.Deadline.IsZero() && !f.now.Before(f.inst.Deadline) && !f.underWay()
}

// unrecoverable says whether it ends for what is broken. What can still be taken
// back, now or when there is room for it, does not.
func (f *facts) unrecoverable() bool {
	goesBack := f.inst.Previous != nil && f.inst.Spec.Policy.OnUpdateFailure != "hold"
	return f.brokenForGood() && !goesBack && !f.unfinished()
}

// brokenForGood says whether a critical component failed and its runtime will not
// try again. What that means while a workflow is on its way, its steps say.
func (f *facts) brokenForGood() bool {
	return !f.underWay() && f.anyCritical(func(c *model.Component, s *model.ComponentState) bool {
		w, ok := f.seen.Find(f.inst.App, c.Name)
		return ok && w.Failure != nil && w.Failure.Final && w.Digest == s.Workload && s.State == model.StateFailed
	})
}

// running says whether every critical component runs at its grant.
func (f *facts) running() bool {
	return !f.underWay() && !f.anyCritical(func(_ *model.Component, s *model.ComponentState) bool { return !f.up(s) })
}

func (f *facts) up(s *model.ComponentState) bool {
	switch s.State {
	case model.StateDone, model.StateOff:
		return !s.Hold
	}
	return !s.Hold && s.State == model.StateReady && s.Run == s.Grant.Replicas
}

// reduced says whether the grants are less than the spec asks for.
func (f *facts) reduced() bool {
	for i := range f.inst.Components {
		g := f.inst.Components[i].Grant
		c, ok := f.inst.Spec.Component(g.Component)
		if ok && (g.Replicas < c.Replicas || g.QoS != c.QoS) {
			return true
		}
	}
	return false
}

func (f *facts) failing() bool {
	return slices.ContainsFunc(f.inst.Components, func(s model.ComponentState) bool { return s.State == model.StateFailed })
}

func (f *facts) ready() bool        { return f.running() && !f.reduced() }
func (f *facts) readyReduced() bool { return f.running() && f.reduced() }

func (f *facts) recovered() bool {
	return !f.reduced() && !f.failing() && !f.unfinished() && !f.degradesOften() &&
		!slices.ContainsFunc(f.inst.Components, func(s model.ComponentState) bool { return !f.up(&s) })
}

func (f *facts) startIncomplete() bool { return f.late() && f.partsRun() }

// partsRun says whether of every critical component at least the least number of
// replicas that it can be degraded to, and one, is ready.
func (f *facts) partsRun() bool {
	return !f.anyCritical(func(c *model.Component, s *model.ComponentState) bool {
		if f.up(s) {
			return false
		}
		w, ok := f.seen.Find(f.inst.App, c.Name)
		return !ok || w.Ready < max(1, min(c.MinReplicas(), s.Grant.Replicas))
	})
}

func (f *facts) anyCritical(is func(*model.Component, *model.ComponentState) bool) bool {
	for i := range f.inst.Components {
		s := &f.inst.Components[i]
		if c, ok := f.inst.Spec.Component(s.Grant.Component); ok && c.Critical && is(c, s) {
			return true
		}
	}
	return false
}

// message tells a transition to people.
func (f *facts) message(r *Rule) string {
	switch r.Reason {
	case model.Declared, model.Resumed, model.Returned:
		return r.If
	case model.Removed, model.Stopped, model.Suspended:
		return f.endText(r.If, r.Reason)
	case model.Quarantined:
		return f.endText(f.asideText(), r.Reason)
	case model.FailedTooOften, model.Restarted:
		return r.If + ": " + f.oftenText()
	case model.RolledBack:
		if often := f.oftenText(); often != "" {
			return r.If + ": " + often
		}
	case model.UpdateAdmitted:
		return "update to the spec of commit " + short(cmp.Or(f.wanted.Commit, f.commit)) + ": " + f.decision.Message
	case model.AdmissionPassed:
		return "quota, limits and policies admit it"
	case model.GrantedCapacity, model.EvictedReason, model.Overdue, "":
		if f.decision != nil {
			return f.decision.Message
		}
	case model.UpdateRefused:
		return f.refusal().Message
	case model.Ready, model.Recovered:
		return "everything runs as granted"
	case model.WorkflowBegun, model.WorkflowFailed, model.WorkflowStopped:
		return f.runMessage(r)
	}
	if f.unfinished() {
		return f.runMessage(r)
	}
	if parts := f.unready(); parts != "" {
		return r.If + ": " + parts
	}
	return r.If
}

func short(commit string) string { return commit[:min(len(commit), 8)] }

// unready names the components that do not run as granted, and why.
func (f *facts) unready() string {
	var parts []string
	for i := range f.inst.Components {
		s := &f.inst.Components[i]
		if f.up(s) {
			continue
		}
		text := s.Grant.Component + " " + s.State
		if s.Message != "" {
			text += " (" + s.Message + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
