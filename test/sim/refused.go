package sim

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// refusalWords are why the API server refuses the objects of a component from now on, the final reasons first.
var refusalWords = []string{
	"none", string(model.OutcomeImmutable), string(model.OutcomeInvalid), string(model.OutcomeKindUnknown),
	string(model.OutcomeForbidden), string(model.OutcomeQuotaExceeded), string(model.OutcomeWebhookTimeout),
}

// refused is an attempt of a process at a component that the API server refused.
type refused struct {
	instance int
	release  model.Digest
	reason   model.Reason
}

// refuses has the API server refuse what is sent about a component.
func (w *World) refuses(p part, why string) {
	if delete(w.refusals, p); why != "none" {
		w.refusals[p] = model.Reason(why)
	}
}

// refuse reports whether the API server refuses what is about to be sent about a component.
func (a *applying) refuse(p part) bool {
	reason := a.world.refusals[p]
	if reason == "" || a.world.apiDown {
		return false
	}
	a.line("send a request that is refused")
	if inst := a.says(p.app); inst != nil {
		a.process.refused[p] = refused{inst.Number, inst.Release(), reason}
	}
	return true
}

const ruleRefused = "what is refused is on the branch"

// refusalsAreTold: what the API server refused before a pass is on the branch after it, if the same release is accepted.
func (w *World) refusalsAreTold(p *process, asked map[part]refused) {
	for at, r := range asked {
		if now, still := p.refused[at]; !still || now != r {
			continue // it has been applied again
		}
		delete(p.refused, at)
		inst, ok := w.origin.now().Find(at.app)
		if !ok || !inst.Phase.Active() || inst.Number != r.instance || inst.Release() != r.release || w.origin.now().DamagedOf(at.app) != nil {
			continue
		}
		if !slices.ContainsFunc(inst.Outcomes, func(o model.Outcome) bool { return o.Component == at.component && o.Reason == r.reason }) {
			w.violate(ruleRefused, "%s was refused %s of %s (%s), and the branch does not say so", p.name, at.component, at.app, r.reason)
		}
	}
}

// refusalsEndUpdates: no attempt changes an outcome that is final, so nobody waits for one. A step that is under way judges
// its objects itself.
func (w *World) refusalsEndUpdates(after *model.Ledger) {
	for _, inst := range active(after) {
		final := slices.ContainsFunc(inst.Outcomes, func(o model.Outcome) bool { return o.Final() })
		if final && inst.Phase != model.PhaseDegraded && (inst.Run == nil || inst.Run.Phase.Ended()) && after.DamagedOf(inst.App) == nil {
			w.violate("what is refused for good ends an update", "%s#%d is %s, and %s is refused for good", inst.App, inst.Number, inst.Phase, inst.Outcomes[0].Object)
		}
	}
}

// nothingIsRefused: at rest an outcome is gone with its cause.
func (w *World) nothingIsRefused() {
	for _, inst := range active(w.origin.now()) {
		if len(inst.Outcomes) > 0 && w.origin.now().DamagedOf(inst.App) == nil {
			w.violate(ruleRefused, "nothing refuses %s of %s any more, and the branch says so", inst.Outcomes[0].Object, inst.App)
		}
	}
}
