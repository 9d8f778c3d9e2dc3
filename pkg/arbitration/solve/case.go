package solve

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Inputs are everything that one arbitration depends on. The fleet must have a platform.
type Inputs struct {
	Fleet  model.Fleet
	Seen   model.Observation
	Ledger model.Ledger
	Now    time.Time
}

// Case is one arbitration: its inputs, the books of what is taken, and the
// applications with what was decided about each so far. The stages run in this
// order: Keep, PassGates, ShareFairly, Stand, Allot, Number.
type Case struct {
	Inputs
	*Books
	*Roster
	demanded [][]Vector // by band, then node; see addDemand
	ranking  *ranking   // kept between passes as long as the same applications run and stand as they did
	Capacity model.Digest
}

// newCase reads the inputs. Their order does not matter.
func New(in Inputs) *Case {
	p := &Case{Inputs: in, Books: &Books{}, Capacity: CapacityDigest(in.Seen.Pools)}
	p.Dimensions = newDimensions(Devices(in.Fleet.Applications, in.Seen.Pools, in.Ledger.Instances))
	p.readPools(&in)
	p.buildTree(&in.Fleet)
	p.setAside(&in.Fleet)
	p.readApps()
	return p
}

// dropRanking forgets the order of those that run if the application is one.
func (p *Case) DropRanking(c *App) {
	if c.slot >= 0 {
		p.ranking = nil
	}
}

// grow takes over pools whose capacity has grown, and keeps what is booked.
func (p *Case) Grow(capacity model.Digest) {
	p.Capacity = capacity
	p.growPools(&p.Inputs)
}

// devices lists every device that is offered or asked for.
func Devices(apps []*model.Application, pools []model.Pool, instances []model.Instance) map[string]bool {
	names := map[string]bool{}
	add := func(r model.Resources) {
		for name := range r.Devices {
			names[name] = true
		}
	}
	spec := func(a *model.Application) {
		for i := range a.Components {
			add(a.Components[i].Requests)
		}
	}
	for i := range pools {
		add(pools[i].Capacity)
	}
	for _, app := range apps {
		spec(app)
	}
	for i := range instances {
		if s := instances[i].Spec; s != nil {
			spec(s)
		}
	}
	return names
}

// readApps makes an App for every application that is declared and meant to run,
// in the order of their names.
func (p *Case) readApps() {
	block := make([]App, len(p.Fleet.Applications)+len(p.Fleet.Unusable))
	p.Roster = newRoster(len(block))
	add := func(id model.AppID, wanted *model.Application, unusable *model.Unusable) {
		c := &block[len(p.Apps)]
		if inst, _ := p.Ledger.Find(id); p.ReadApp(c, id, wanted, unusable, inst) {
			p.Apps = append(p.Apps, c)
		} else if wanted != nil {
			p.Idle[id] = wanted
		}
	}
	for _, app := range p.Fleet.Applications {
		add(app.ID, app, nil)
	}
	for i := range p.Fleet.Unusable {
		add(p.Fleet.Unusable[i].App, nil, &p.Fleet.Unusable[i])
	}
	p.list(len(p.Nodes))
}

// readApp fills in what one application asks for and holds. It reports whether the
// application takes part: it is meant to run and does not rest after its end.
func (p *Case) ReadApp(c *App, id model.AppID, wanted *model.Application, unusable *model.Unusable, inst *model.Instance) bool {
	if wanted != nil && wanted.Desired != "running" && wanted.Desired != "" || inst != nil && p.rests(inst, wanted, p.Now) {
		return false
	}
	*c = App{Asked: Asked{ID: id, Wanted: wanted, Unusable: unusable, Instance: inst, Tenant: p.tenantNode(id.Tenant)},
		Place: Place{Level: -1, pool: -1}, slot: -1}
	if inst != nil {
		c.declared = inst.Declared
		if inst.Phase.Active() {
			c.Holds = make([]model.Grant, len(inst.Components))
			for i := range inst.Components {
				c.Holds[i] = inst.Components[i].Grant
			}
		}
	}
	if c.declared.IsZero() {
		c.declared = p.Now
		p.Newcomers = append(p.Newcomers, c)
	}
	switch {
	case c.Wanted != nil:
		c.Priority = c.Wanted.Priority
	case c.Accepted() != nil:
		c.Priority = c.Accepted().Priority
	}
	c.Band = bandOf(p.Fleet.Platform.Bands, c.Priority)
	p.Patient = p.Patient || c.Policy().ReserveAfter > 0
	return true
}

// bandOf returns the rank of a priority's band: 0 is the highest.
func bandOf(bands []model.Band, priority int) (rank int) {
	for i := range bands {
		if bands[i].Min > priority {
			rank++
		}
	}
	return rank
}
