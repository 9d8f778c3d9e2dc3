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
	room     *room
	now      time.Time
}

// declared is what Git declares about an application.
type declared struct {
	commit string             // of the fleet
	spec   *model.Application // the valid spec, nil if there is none
	exists bool               // Git declares the application, valid or not
}

func (d declared) removed() bool   { return !d.exists }
func (d declared) stopped() bool   { return d.spec != nil && d.spec.Desired == model.DesiredTerminated }
func (d declared) suspended() bool { return d.spec != nil && d.spec.Desired == model.DesiredSuspended }

// halted reports whether Git declares the application and does not want it to run.
func (d declared) halted() bool { return d.stopped() || d.suspended() }

// whole returns an accepted spec with the secret values that the ledger does not
// keep, where Git still holds the same spec.
func (d declared) whole(spec *model.Application) *model.Application {
	if !d.hasSecretsOf(spec) {
		return spec
	}
	full := *d.spec
	full.Commit = spec.Commit
	return &full
}

// hasSecretsOf reports whether an accepted spec lacks secret values, and Git has them.
func (d declared) hasSecretsOf(spec *model.Application) bool {
	return spec != nil && d.spec != nil && d.spec.Digest == spec.Digest &&
		slices.ContainsFunc(spec.Components, func(c model.Component) bool { return c.Redacted() })
}

// workloads are what the runtimes show of one application.
type workloads []model.Workload

// of returns the workload of a component: the stable version, not the job of a
// step. It is nil if the runtimes show none.
func (list workloads) of(component string) *model.Workload {
	for i := range list {
		if w := &list[i]; w.Component == component && !w.Beside && w.Intent == "" {
			return w
		}
	}
	return nil
}

func (f *facts) verdict(v model.Verdict) bool { return f.decision != nil && f.decision.Verdict == v }

func (f *facts) granted() bool { return f.verdict(model.VerdictGranted) && f.git.spec != nil }

// updated reports whether arbitration granted a spec in place of the accepted one.
func (f *facts) updated() bool {
	return f.granted() && f.decision.Spec == f.git.spec.Digest && f.inst.SpecDigest() != f.git.spec.Digest && !takingBack(f.inst)
}

// updateRefused reports whether a refusal is new: of another spec or for another
// reason.
func (f *facts) updateRefused() bool {
	r, old := f.refusal(), f.inst.Refused
	return r != nil && r.Reason != model.ReasonRolledBackSpec && (old == nil || old.Spec != r.Spec || old.Reason != r.Reason)
}

func (f *facts) refusal() *model.Refusal {
	if f.decision == nil {
		return nil
	}
	return f.decision.Refused
}
