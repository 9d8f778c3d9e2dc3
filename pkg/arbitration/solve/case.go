package solve

import (
	"cmp"
	"slices"
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
	ranking  *ranking
	Capacity model.Digest
}

// New reads the inputs. Their order does not matter.
func New(in Inputs) *Case {
	c := &Case{Inputs: in, Books: &Books{}, Capacity: CapacityDigest(in.Seen.Pools)}
	c.Dimensions = newDimensions(Devices(in.Fleet.Applications, in.Seen.Pools, in.Ledger.Instances))
	c.readPools(&in)
	c.buildTree(&in.Fleet)
	c.setAside(&in.Fleet)
	c.ReadPast(in.Ledger.PastUse)
	c.readApps()
	c.ranking = &ranking{own: make([][]ranked, len(c.Nodes))}
	return c
}

// DropRanking must be called when an application is not any more, or stands otherwise, in case it is ranked among those
// that run.
func (c *Case) DropRanking(app *App) {
	if app.slot >= 0 {
		c.ranking.forget(app.Tenant)
	}
}

// Devices lists every device that is offered or asked for.
func Devices(apps []*model.Application, pools []model.Pool, instances []model.Instance) map[string]bool {
	names, apps := map[string]bool{}, slices.Clip(apps)
	for i := range pools {
		for name := range pools[i].Capacity.Devices {
			names[name] = true
		}
	}
	for i := range instances {
		if spec := instances[i].Spec; spec != nil {
			apps = append(apps, spec)
		}
	}
	for _, app := range apps {
		for i := range app.Components {
			comp := &app.Components[i]
			for name := range comp.Requests.Devices {
				names[name] = true
			}
			for k := range comp.Placement.Flavours {
				for name := range comp.Placement.Flavours[k].Requests.Devices {
					names[name] = true
				}
			}
		}
	}
	return names
}

// readApps makes an App for every application that is declared and meant to run,
// in the order of their names.
func (c *Case) readApps() {
	block := make([]App, len(c.Fleet.Applications)+len(c.Fleet.Unusable))
	c.Roster = newRoster(len(block))
	add := func(id model.AppID, wanted *model.Application, unusable *model.Unusable) {
		app := &block[len(c.Apps)]
		if inst, _ := c.Ledger.Find(id); c.ReadApp(app, id, wanted, unusable, inst) {
			c.Apps = append(c.Apps, app)
		} else if wanted != nil {
			c.Idle[id] = wanted
		}
	}
	for _, declared := range c.Fleet.Applications {
		add(declared.ID, declared, nil)
	}
	for i := range c.Fleet.Unusable {
		add(c.Fleet.Unusable[i].App, nil, &c.Fleet.Unusable[i])
	}
	c.list(len(c.Nodes))
}

// ReadApp fills in what one application asks for and holds. It reports whether the
// application takes part: it is meant to run and does not rest after its end.
func (c *Case) ReadApp(app *App, id model.AppID, wanted *model.Application, unusable *model.Unusable, inst *model.Instance) bool {
	if wanted != nil && wanted.Desired != model.DesiredRunning && wanted.Desired != "" || inst != nil && c.rests(inst, wanted, c.Now) {
		return false
	}
	*app = App{Asked: Asked{ID: id, Wanted: wanted, Unusable: unusable, Instance: inst, Tenant: c.tenantNode(id.Tenant)},
		Place: Place{Level: -1, pool: -1}, slot: -1}
	app.policy = &c.Nodes[app.Tenant].Tenant.Policy
	if inst != nil {
		app.declared = inst.Declared
		if inst.Phase.Active() {
			app.Holds = inst.Grants()
		}
	}
	if app.declared.IsZero() {
		app.declared = c.Now
		c.Newcomers = append(c.Newcomers, app)
	}
	if spec := cmp.Or(app.Wanted, app.Accepted()); spec != nil {
		app.Priority = spec.Priority
	}
	app.Band = c.Fleet.Platform.BandOf(app.Priority)
	c.Patient = c.Patient || app.Policy().ReserveAfter > 0
	for _, spec := range []*model.Application{app.Accepted(), app.Wanted} {
		if spec != nil && expectAnew(spec, app) {
			c.Timed = true
		}
	}
	return true
}
