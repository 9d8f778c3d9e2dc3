package lifecycle

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// facts are what the rules ask about one instance. The effects of a rule change
// only the instance.
type facts struct {
	inst     *model.Instance
	birth    *Rule // the rule by which the instance begins in this pass, nil if it exists already
	git      declared
	decision *model.Decision        // nil if arbitration had nothing to rule on
	shown    workloads              // what the runtimes show of the application
	was      []model.ComponentState // the components when the pass began
	before   *model.Shown           // what the runtimes showed of them then
	applied  *model.Applied         // news of the last attempt to apply its objects, nil if there is none
	short    []model.Shortfall      // what nodes report that they do not keep of it
	why      string                 // the message of the transition that is carried out
	room     *room
	now      time.Time
}

// declared is what Git declares about an application.
type declared struct {
	commit string             // of the fleet
	spec   *model.Application // the valid spec, nil if there is none
	exists bool               // Git declares the application, valid or not
	moved  model.AppID        // it is there under this name, which is not admitted yet; else zero
}

func (d declared) removed() bool   { return !d.exists }
func (d declared) stopped() bool   { return d.spec != nil && d.spec.Desired == model.DesiredTerminated }
func (d declared) suspended() bool { return d.spec != nil && d.spec.Desired == model.DesiredSuspended }

// halted reports whether Git declares the application and does not want it to run.
func (d declared) halted() bool { return d.stopped() || d.suspended() }

// whole returns an accepted spec with the secret values that the ledger does not
// keep, where Git still holds the same release.
func (d declared) whole(spec *model.Application) *model.Application {
	if !d.hasSecretsOf(spec) {
		return spec
	}
	full := *spec
	full.Components = slices.Clone(spec.Components)
	for i := range full.Components {
		if c := &full.Components[i]; c.Redacted() {
			known, _ := d.spec.Component(c.Name)
			c.Properties = known.Properties
		}
	}
	return &full
}

// hasSecretsOf reports whether an accepted spec lacks secret values, and Git has them.
func (d declared) hasSecretsOf(spec *model.Application) bool {
	return spec != nil && d.spec != nil && d.spec.Release == spec.Release &&
		slices.ContainsFunc(spec.Components, func(c model.Component) bool { return c.Redacted() })
}

// workloads are what the runtimes show of one application.
type workloads []model.Workload

// of returns the workload of a component: the stable version, not the job of a
// step. It is nil if the runtimes show none.
func (list workloads) of(component string) *model.Workload { return list.version(component, false) }

// version returns the workload of the stable version of a component, or of the newer
// one beside it.
func (list workloads) version(component string, beside bool) *model.Workload {
	for i := range list {
		if w := &list[i]; w.Component == component && w.Beside == beside && w.Intent == "" {
			return w
		}
	}
	return nil
}

func (f *facts) verdict(v model.Verdict) bool { return f.decision != nil && f.decision.Verdict == v }

func (f *facts) granted() bool { return f.verdict(model.VerdictGranted) && f.git.spec != nil }

// updated reports whether arbitration granted another release in place of the
// accepted one.
func (f *facts) updated() bool {
	return f.granted() && f.decision.Spec == f.git.spec.Digest && f.inst.Release() != f.git.spec.Release && !takingBack(f.inst)
}

// readmitted reports whether arbitration granted the accepted release anew, by other
// rules or with another priority.
func (f *facts) readmitted() bool {
	return f.granted() && f.decision.Spec == f.git.spec.Digest && f.inst.SpecDigest() != f.git.spec.Digest && f.inst.Release() == f.git.spec.Release
}

// updateRefused reports whether a refusal is new: of another spec or for another
// reason.
func (f *facts) updateRefused() bool {
	r := f.refusal()
	return r != nil && r.Reason != model.ReasonRolledBackSpec && !sameRefusal(f.inst.Refused, r, f.git.spec)
}

// sameRefusal reports whether the record has a refusal already. Records that were
// written before there were releases have the digest of the spec in Git.
func sameRefusal(old, r *model.Refusal, git *model.Application) bool {
	if old == nil || old.Reason != r.Reason {
		return false
	}
	return old.Spec == r.Spec || git != nil && r.Spec == git.Release && old.Spec == git.FormerDigest()
}

// refusal is why the decision does not accept what is in Git, as it is recorded, and
// since when: a change of policy or priority makes no new refusal of a release.
func (f *facts) refusal() *model.Refusal {
	if f.decision == nil || f.decision.Refused == nil {
		return nil
	}
	r := *f.decision.Refused
	if r.Spec != "" && f.git.spec != nil && r.Spec == f.git.spec.Digest {
		r.Spec = f.git.spec.Release
	}
	r.MovesTo = f.git.moved
	if r.Since = f.now; sameRefusal(f.inst.Refused, &r, f.git.spec) {
		r.Since = f.inst.Refused.Since
	}
	return &r
}
