package solve

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// keepPlace books what an incumbent holds: an application that runs keeps its place.
func (p *Case) KeepPlace(c *App) {
	spec := c.Accepted()
	if spec == nil {
		return
	}
	surge := c.held(spec, c.surges(spec))
	c.Spec, c.Levels, c.Grants = spec, p.levelsOf(c, spec, surge), c.kept(spec, surge)
	c.Level = levelOf(spec, c.Levels, c.Grants)
	if !SameGrants(c.Grants, c.Holds) {
		p.noteChange(c)
	}
	c.Verdict, c.Reason = model.Granted, model.Fits
	if c.Level > 0 {
		c.Reason = model.CapacityShort
	}
	var loads []Load
	for i := range c.Grants {
		g := &c.Grants[i]
		comp, ok := spec.Component(g.Component)
		pool, known := p.PoolAt[g.Pool]
		if !ok || !known || !comp.Runs() || c.done(spec, comp) {
			continue
		}
		amount := p.Zero()
		amount.addTimes(p.Of(g.Requests), g.Replicas+g.Surge)
		loads = addLoad(loads, pool, amount)
		if len(g.Domains) > 0 {
			p.hint(c, g)
		}
	}
	p.take(c, loads)
	p.Count(c.Tenant, spec, c.Levels[0].Total, 1)
	if c.Unusable != nil {
		c.Refused = &model.Refusal{Reason: unusableReason(c.Unusable), Message: c.Unusable.Message}
	}
}

// passGate sends what Git says through the gate: the newer spec of an incumbent, or
// an application that holds no place.
func (p *Case) PassGate(c *App) {
	if c.Incumbent() {
		p.passUpdate(c)
		return
	}
	if c.Wanted == nil {
		c.Verdict, c.Reason, c.Message = model.Rejected, unusableReason(c.Unusable), c.Unusable.Message
		return
	}
	c.Spec = c.Wanted
	levels := p.levelsOf(c, c.Spec, nil)
	found, ok := gate{p.Books, p.Fleet.Platform}.check(c, c.Spec, levels)
	c.Findings = found
	if !ok {
		r := refusal(found)
		c.Verdict, c.Reason, c.Message = model.Rejected, r.Reason, r.Message
		return
	}
	c.Levels, c.Verdict, c.Reason = levels, model.Waiting, model.CapacityShort
	p.Count(c.Tenant, c.Spec, levels[0].Total, 1)
}

// passUpdate sends the newer spec of an incumbent through the gate. When the gate
// refuses it, the accepted spec counts as before.
func (p *Case) passUpdate(c *App) {
	if c.Wanted == nil || c.Spec == nil {
		return
	}
	surge := c.surges(c.Wanted)
	if c.Wanted.Digest == c.Spec.Digest && slices.Equal(surge, c.Levels[0].surge) {
		return
	}
	if slices.Contains(c.Instance.Held, c.Wanted.Digest) {
		c.Refused = &model.Refusal{Spec: c.Wanted.Digest, Reason: model.RolledBackSpec,
			Message: "this spec was rolled back because it did not start; it is tried again when it changes"}
		return
	}
	p.Count(c.Tenant, c.Spec, c.Levels[0].Total, -1)
	levels := p.levelsOf(c, c.Wanted, surge)
	found, ok := gate{p.Books, p.Fleet.Platform}.check(c, c.Wanted, levels)
	if !ok {
		c.Findings = found
		c.refuse(refusal(found), surge)
		p.Count(c.Tenant, c.Spec, c.Levels[0].Total, 1)
		return
	}
	// Until it is known which of the two it will be, the larger of both counts.
	larger, most := c.Wanted, p.Zero()
	if workloads(c.Spec) > workloads(c.Wanted) {
		larger = c.Spec
	}
	for r := range most {
		most[r] = max(c.Levels[0].Total[r], levels[0].Total[r])
	}
	p.Count(c.Tenant, larger, most, 1)
	c.Update = &newer{levels, found}
	p.noteChange(c)
}

// unusableReason tells an invalid spec from a removal that awaits confirmation.
func unusableReason(u *model.Unusable) model.Reason {
	if u.Code == model.CodeRemovalHeld {
		return model.RemovalHeld
	}
	return model.InvalidSpec
}
