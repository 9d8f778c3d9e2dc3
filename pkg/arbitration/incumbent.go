package arbitration

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// keep books what an incumbent holds: who runs keeps its place.
func (a *arbiter) keep(c *claim) {
	spec := c.accepted()
	if spec == nil {
		return
	}
	c.spec, c.grants, c.level = spec, c.holds, levelOf(spec, c.holds)
	c.verdict, c.reason = model.Granted, model.Fits
	if c.level != full {
		c.reason = model.CapacityShort
	}
	a.account(c, spec)
	a.take(c, spec, c.grants)
	if c.unusable != nil {
		c.refused = &model.Refusal{Reason: unusableReason(c.unusable), Message: c.unusable.Message}
	}
}

// update tries the spec in Git in place of the accepted one. When it is refused
// or does not fit, the accepted one stays as it is.
func (a *arbiter) update(c *claim) {
	if !c.incumbent() || c.wanted == nil || c.wanted.Digest == c.spec.Digest {
		return
	}
	if slices.Contains(c.instance.Held, c.wanted.Digest) {
		c.refused = &model.Refusal{Spec: c.wanted.Digest, Reason: model.RolledBackSpec,
			Message: "this spec was rolled back because it did not start; it is tried again when it changes"}
		return
	}
	a.unaccount(c, c.spec)
	held := a.giveBack(c, c.spec, c.grants)
	constraints, refusal := a.gate(c, c.wanted)
	if refusal == nil {
		for _, l := range levels(c.wanted) {
			grants, short := a.place(c, c.wanted, l, held)
			if grants == nil {
				c.short = short
				continue
			}
			c.spec, c.grants, c.level, c.constraints = c.wanted, grants, l, constraints
			c.reason = model.Fits
			if l != full {
				c.reason = model.CapacityShort
			}
			break
		}
		if c.spec != c.wanted {
			refusal = &model.Refusal{Reason: model.CapacityShort, Message: "does not fit beside what runs: it " + sentence(c.short)}
		}
	}
	if refusal != nil {
		refusal.Spec = c.wanted.Digest
		c.refused, c.constraints = refusal, constraints
	}
	a.account(c, c.spec)
	a.take(c, c.spec, c.grants)
}

// shrink degrades incumbents to their minimum, last in order first, while a pool
// holds less than was granted of it.
func (a *arbiter) shrink(claims []*claim) {
	for _, pool := range a.pools {
		for i := len(claims) - 1; i >= 0 && !pool.used.Fits(pool.Capacity); i-- {
			c := claims[i]
			if c.verdict != model.Granted || c.level != full || !degradable(c.spec) || a.use(c, c.spec, c.grants)[pool].IsZero() {
				continue
			}
			a.giveBack(c, c.spec, c.grants)
			c.grants, c.level, c.reason = lower(c.spec, c.grants), minimum, model.CapacityShort
			a.take(c, c.spec, c.grants)
		}
	}
}

// lower returns the grants of the minimum level in the pools of those given.
func lower(spec *model.Application, grants []model.Grant) []model.Grant {
	low := grantsAt(spec, minimum)
	for i := range low {
		if n := slices.IndexFunc(grants, func(g model.Grant) bool { return g.Component == low[i].Component }); n >= 0 {
			low[i].Pool = grants[n].Pool
		}
	}
	return low
}

// restore returns a degraded incumbent to its full level when that fits and the
// degradation has held long enough.
func (a *arbiter) restore(c *claim) {
	if c.verdict != model.Granted || c.level == full || !c.incumbent() || c.spec != c.accepted() ||
		a.now.Sub(c.instance.Since) < RestoreHold {
		return
	}
	held := a.giveBack(c, c.spec, c.grants)
	if grants, short := a.place(c, c.spec, full, held); grants != nil {
		c.grants, c.level, c.reason = grants, full, model.Fits
	} else {
		c.short = short
	}
	a.take(c, c.spec, c.grants)
}

// unusableReason tells an invalid spec from a removal that awaits confirmation.
func unusableReason(u *model.Unusable) model.Reason {
	if u.Code == model.CodeRemovalHeld {
		return model.RemovalHeld
	}
	return model.InvalidSpec
}
