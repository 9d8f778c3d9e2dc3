package arbitration

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// claim is one application's case: what it asks for, what it holds, and, as the
// arbitration goes on, what it gets.
type claim struct {
	app       model.AppID
	wanted    *model.Application // the valid spec in Git, nil if there is none
	unusable  *model.Unusable    // why there is none
	instance  *model.Instance    // nil if it was never seen
	holds     []model.Grant      // what it is granted by the ledger
	tenant    int                // its node
	priority  int
	band      int // 0 is the highest
	declared  time.Time
	slot      int  // among those that run, -1: it does not
	touched   bool // see touch
	protected bool // it has not run for the least time that policy gives it
	stale     bool // what was decided about it is to be written anew

	spec     *model.Application // the spec that the verdict is about
	ladder   []rung             // of spec
	rung     int                // where it stands on the ladder, when granted
	standing []standing         // by rung; see stand
	grants   []model.Grant
	taken    []load // what is booked for it
	pool     int    // of its loose components, -1: it has none, or no place

	verdict                  model.Verdict
	reason                   model.Reason
	message                  string
	refused                  *model.Refusal
	update                   []rung    // the ladder of a newer spec that passed the gate, nil if there is none
	findings, updateFindings []finding // of the gate
	short                    []shortage
	victims                  []displaced // in its favour
	favoured                 *claim      // in whose favour it lost
	evictAt                  time.Time   // when it loses its place if the shortage lasts
	position                 int
}

// displaced is what an application gives up for another. It may get a newer spec
// after that, so that it remembers the one that it was about.
type displaced struct {
	claim    *claim
	spec     *model.Application
	from, to cut
	evicted  bool
	why      string
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

// granted says whether the claim holds a place now.
func (c *claim) granted() bool { return c.verdict == model.Granted }

// gather makes a claim for every application that is declared and meant to run,
// in the order of their names.
func (p *problem) gather() {
	block := make([]claim, len(p.fleet.Applications)+len(p.fleet.Unusable))
	p.idle = map[model.AppID]*model.Application{}
	p.claims = make([]*claim, 0, len(block)+len(block)/32+16) // with room for those that arrive
	add := func(app model.AppID, wanted *model.Application, unusable *model.Unusable) {
		c := &block[len(p.claims)]
		if inst, _ := p.ledger.Find(app); p.file(c, app, wanted, unusable, inst) {
			p.claims = append(p.claims, c)
		} else if wanted != nil {
			p.idle[app] = wanted
		}
	}
	for i := range p.fleet.Applications {
		app := p.fleet.Applications[i]
		add(app.ID, app, nil)
	}
	for i := range p.fleet.Unusable {
		add(p.fleet.Unusable[i].App, nil, &p.fleet.Unusable[i])
	}
	slices.SortFunc(p.claims, func(x, y *claim) int { return x.app.Compare(y.app) })
	p.members = make([][]*claim, len(p.nodes))
	for _, c := range p.claims {
		p.enlist(c)
	}
}

// file makes the case of one application, if it has one: it is to run and does
// not rest after its end.
func (p *problem) file(c *claim, app model.AppID, wanted *model.Application, unusable *model.Unusable, inst *model.Instance) bool {
	if wanted != nil && wanted.Desired != "running" && wanted.Desired != "" || inst != nil && p.rests(inst, wanted) {
		return false
	}
	*c = claim{app: app, wanted: wanted, unusable: unusable, instance: inst, rung: -1, pool: -1, slot: -1, tenant: p.tenant(app.Tenant)}
	if inst != nil {
		c.declared = inst.Declared
		if inst.Phase.Active() {
			c.holds = make([]model.Grant, len(inst.Components))
			for i := range inst.Components {
				c.holds[i] = inst.Components[i].Grant
			}
		}
	}
	if c.declared.IsZero() {
		c.declared = p.now
		p.newcomers = append(p.newcomers, c)
	}
	switch {
	case c.wanted != nil:
		c.priority = c.wanted.Priority
	case c.accepted() != nil:
		c.priority = c.accepted().Priority
	}
	c.band = p.band(c.priority)
	p.patient = p.patient || c.policy().ReserveAfter > 0
	return true
}

// enlist enters a claim into the lists of its tenant and of those that run;
// delist takes it out.
func (p *problem) enlist(c *claim) {
	p.members[c.tenant] = append(p.members[c.tenant], c)
	if c.incumbent() {
		c.slot, p.weak = len(p.running), nil
		p.running = append(p.running, c)
	}
}

func (p *problem) delist(c *claim) {
	p.members[c.tenant] = slices.DeleteFunc(p.members[c.tenant], func(o *claim) bool { return o == c })
	if c.slot >= 0 {
		p.weak = nil
		last := p.running[len(p.running)-1]
		p.running[c.slot], last.slot = last, c.slot
		p.running = p.running[:len(p.running)-1]
	}
}

// touch notes that a claim is not any more as keep and pass left it.
func (p *problem) touch(c *claim) {
	if !c.touched {
		c.touched = true
		p.touched = append(p.touched, c)
	}
}

// find returns the claim of an application and its place among all.
func (p *problem) find(app model.AppID) (at int, c *claim) {
	at, ok := slices.BinarySearchFunc(p.claims, app, func(x *claim, app model.AppID) int { return x.app.Compare(app) })
	if !ok {
		return at, nil
	}
	return at, p.claims[at]
}

// rests says whether an instance that has ended is followed by no other at present
// and so asks for nothing, and notes when that ends by itself.
func (p *problem) rests(inst *model.Instance, wanted *model.Application) bool {
	digest := inst.SpecDigest()
	if wanted != nil {
		digest = wanted.Digest
	}
	if !inst.Rests(digest, p.now) {
		return false
	}
	if at := inst.Returns; at.After(p.now) && (p.returns.IsZero() || at.Before(p.returns)) {
		p.returns = at
	}
	return true
}

// band returns the rank of a priority's band: 0 is the highest.
func (p *problem) band(priority int) int {
	rank := 0
	for i := range p.platform.Bands {
		if p.platform.Bands[i].Min > priority {
			rank++
		}
	}
	return rank
}

// bandName names the band of a rank.
func (p *problem) bandName(rank int) string {
	bands := slices.Clone(p.platform.Bands)
	slices.SortFunc(bands, func(x, y model.Band) int { return cmp.Compare(y.Min, x.Min) })
	if rank < len(bands) {
		return bands[rank].Name
	}
	return ""
}

// elders orders claims of one tenant: higher priority, then first come, then name.
func elders(x, y *claim) int {
	return cmp.Or(cmp.Compare(y.priority, x.priority), x.declared.Compare(y.declared), x.app.Compare(y.app))
}

// done says whether a component has ended well under the accepted spec and so
// takes nothing any more.
func (c *claim) done(spec *model.Application, comp *model.Component) bool {
	if c.instance == nil || c.incumbent() && spec.Digest != c.instance.SpecDigest() && stepped(spec, comp.Name) {
		return false
	}
	state, ok := c.instance.Component(comp.Name)
	return ok && state.State == model.StateDone && state.Spec == model.DigestOf(comp)
}

// started is when the application got its present place. Of an instance whose
// history no longer tells, it was long ago.
func (c *claim) started() time.Time {
	for i := len(c.instance.History) - 1; i >= 0; i-- {
		if t := &c.instance.History[i]; t.Instance == c.instance.Number && t.From == model.Admitted && t.To == model.Scheduled {
			return t.At
		}
	}
	return time.Time{}
}
