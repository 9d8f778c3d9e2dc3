package solve

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// KeepPlace books what an incumbent holds: an application that runs keeps its place.
func (c *Case) KeepPlace(app *App) {
	spec := app.Accepted()
	if spec == nil {
		return
	}
	surge := app.held(spec, app.surges(spec))
	app.Spec, app.Levels, app.Grants = spec, c.LevelsOf(app, spec, surge), app.kept(spec, surge)
	app.Level = levelOf(spec, app.Levels, app.Grants)
	if !slices.EqualFunc(app.Grants, app.Holds, model.Grant.SameCapacity) {
		c.noteChange(app)
	}
	app.Verdict, app.Reason = model.VerdictGranted, model.ReasonFits
	if app.Level > 0 {
		app.Reason = model.ReasonCapacityShort
	}
	var loads []Load
	for _, g := range app.Grants {
		pool, known := c.PoolAt[g.Pool]
		if !known || !takes(spec, app, g.Component) {
			continue
		}
		amount := c.Zero()
		amount.addTimes(c.Of(g.Requests), g.Replicas+g.Surge)
		loads = addLoad(loads, pool, amount)
		if comp, ok := spec.Component(g.Component); ok && comp.Gathers() && len(g.Domains) == 1 {
			loads = standIn(loads, pool, c.Pools[pool].domain(g.Domains[0]).name, amount)
		}
		if len(g.Domains) > 0 {
			c.hint(app, &g)
		}
	}
	c.take(app, loads)
	c.Count(app.Tenant, spec, app.Levels[0].Total, 1)
	if app.Unusable != nil {
		app.Refused = &model.Refusal{Reason: unusableReason(app.Unusable), Message: app.Unusable.Message}
	}
}

// takes reports whether a component of a spec takes the room that the application holds for it. What
// the accepted spec lacks goes when somebody needs its room; nothing goes of an application
// whose record is damaged.
func takes(spec *model.Application, app *App, component string) bool {
	if app.Unusable.Damaged() {
		state, ok := app.Instance.Component(component)
		return ok && !state.Finished()
	}
	comp, ok := spec.Component(component)
	return ok && comp.Runs() && !app.done(spec, comp)
}

// PassGate sends what Git declares through the gate: the newer spec of an incumbent, or
// an application that holds no place.
func (c *Case) PassGate(app *App) {
	if app.Incumbent() {
		c.passUpdate(app)
		gate{c.Books, c.Fleet.Platform}.standAsBefore(app)
		return
	}
	if app.Wanted == nil {
		app.Verdict, app.Reason, app.Message = model.VerdictRejected, unusableReason(app.Unusable), app.Unusable.Message
		return
	}
	app.Spec = app.Wanted
	levels, found, ok := gate{c.Books, c.Fleet.Platform}.pass(app, app.Spec, nil)
	app.Findings = found
	if !ok {
		r := refusalOf(app.Spec, app.Passed, found)
		app.Verdict, app.Reason, app.Message = model.VerdictRejected, r.Reason, r.Message
		return
	}
	app.Levels, app.Verdict, app.Reason = levels, model.VerdictWaiting, model.ReasonCapacityShort
	c.Count(app.Tenant, app.Spec, app.Variants.Most(levels), 1)
}

// passUpdate sends the newer spec of an incumbent through the gate. When the gate
// refuses it, the accepted spec counts as before.
func (c *Case) passUpdate(app *App) {
	if app.Wanted == nil || app.Spec == nil {
		return
	}
	app.declined = nil
	surge := app.surges(app.Wanted)
	if app.Wanted.Digest == app.Spec.Digest && slices.Equal(surge, app.Levels[0].surge) {
		return
	}
	if app.Instance.Holds(app.Wanted) {
		message := "it was rolled back before; it is tried again when it changes"
		if r := app.Instance.Refused; r != nil && r.Reason == model.ReasonRolledBackSpec && (r.Spec == app.Wanted.Release || r.Spec == app.Wanted.Digest) {
			message = r.Message // in the words of the rollback
		}
		app.Refused = &model.Refusal{Spec: app.Wanted.Digest, Reason: model.ReasonRolledBackSpec, Message: message}
		return
	}
	c.Count(app.Tenant, app.Spec, app.Levels[0].Total, -1)
	levels, found, ok := gate{c.Books, c.Fleet.Platform}.pass(app, app.Wanted, surge)
	if !ok {
		app.Findings = found
		app.refuse(refusalOf(app.Wanted, app.Passed, found), surge)
		app.Passed = nil // of the spec that is refused
		c.Count(app.Tenant, app.Spec, app.Levels[0].Total, 1)
		return
	}
	c.noteChange(app)
	if app.Wanted.Release == app.Spec.Release && reflect.DeepEqual(levels, app.Levels) {
		// The same release asks for the same: it goes on in its place, by the newer rules.
		app.Spec, app.Levels, app.Findings = app.Wanted, levels, found
		c.Count(app.Tenant, app.Spec, levels[0].Total, 1)
		return
	}
	// Until it is known which of the two it will be, the larger of both counts.
	larger := app.Wanted
	if workloads(app.Spec) > workloads(app.Wanted) {
		larger = app.Spec
	}
	c.Count(app.Tenant, larger, app.Variants.Most(levels).atLeast(app.Levels[0].Total), 1)
	app.Update = &newer{levels: levels, findings: found}
}

// unusableReason tells an invalid spec from what stays for another reason.
func unusableReason(u *model.Unusable) model.Reason {
	other := map[string]model.Reason{model.CodeRemovalHeld: model.ReasonRemovalHeld, model.CodeMoveWaits: model.ReasonMoveWaits, model.CodeRecordDamaged: model.ReasonRecordDamaged}
	return cmp.Or(other[u.Code], model.ReasonInvalidSpec)
}
