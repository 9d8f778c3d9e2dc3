package arbitration

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// claim is one application's case: what it asks for, what it holds, and, as the
// arbitration goes on, what it gets.
type claim struct {
	app      model.AppID
	wanted   *model.Application // the valid spec in Git, nil if there is none
	unusable *model.Unusable    // why there is none
	instance *model.Instance    // nil if it was never seen
	holds    []model.Grant      // what it is granted by the ledger

	spec        *model.Application // the spec that the verdict is about
	grants      []model.Grant
	level       level
	verdict     model.Verdict
	reason      model.Reason
	message     string
	refused     *model.Refusal
	constraints []model.Constraint
	short       []shortage
	position    int
}

// incumbent says whether the application holds a place.
func (c *claim) incumbent() bool { return c.instance != nil && c.instance.Phase.Active() }

// accepted is the spec that holds the place, nil for those that hold none.
func (c *claim) accepted() *model.Application {
	if c.incumbent() {
		return c.instance.Spec
	}
	return nil
}

// priority is that of the spec in Git, or of what runs.
func (c *claim) priority() int {
	switch {
	case c.wanted != nil:
		return c.wanted.Priority
	case c.accepted() != nil:
		return c.accepted().Priority
	}
	return 0
}

// gather makes a claim for every application that is declared and meant to run.
func gather(fleet *model.Fleet, ledger *model.Ledger) []*claim {
	var claims []*claim
	add := func(c *claim) {
		if inst, ok := ledger.Find(c.app); ok {
			if spent(inst, c.wanted) {
				return
			}
			c.instance = inst
			if inst.Phase.Active() {
				for _, s := range inst.Components {
					c.holds = append(c.holds, s.Grant)
				}
			}
		}
		claims = append(claims, c)
	}
	for i := range fleet.Applications {
		if app := &fleet.Applications[i]; app.Desired != "terminated" {
			add(&claim{app: app.ID, wanted: app})
		}
	}
	for i := range fleet.Unusable {
		add(&claim{app: fleet.Unusable[i].App, unusable: &fleet.Unusable[i]})
	}
	return claims
}

// spent says whether the instance ended for good with just this spec: it is not
// tried again before Git says something else.
func spent(inst *model.Instance, wanted *model.Application) bool {
	return inst.Phase == model.Terminated && inst.Reason == model.Unrecoverable &&
		(wanted == nil || wanted.Digest == inst.SpecDigest())
}

// order sorts claims by who is served first: incumbents, then band, priority
// and name. Priority stands for the band too, since bands are its ranges.
func (a *arbiter) order(x, y *claim) int {
	place := func(c *claim) int {
		if c.incumbent() {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(place(x), place(y)),
		cmp.Compare(y.priority(), x.priority()),
		x.app.Compare(y.app),
	)
}

// done says whether a component has ended well under the accepted spec and so
// takes nothing any more.
func (c *claim) done(spec *model.Application, component string) bool {
	if c.instance == nil {
		return false
	}
	state, ok := c.instance.Component(component)
	if !ok || state.State != model.StateDone {
		return false
	}
	comp, ok := spec.Component(component)
	return ok && state.Spec == model.DigestOf(comp)
}

// holdsGrant returns what the ledger grants to a component.
func (c *claim) holdsGrant(component string) (model.Grant, bool) {
	i := slices.IndexFunc(c.holds, func(g model.Grant) bool { return g.Component == component })
	if i < 0 {
		return model.Grant{}, false
	}
	return c.holds[i], true
}
