package solve

import "github.com/d-aros/d-aros/pkg/model"

// asks is the grant of one replica of a component, without a pool: what it requests,
// and the default of its tenant's policy where it requests nothing.
//
// A default is no part of a release. So while the release stays, the objects keep what
// they were told, and the default counts at once where it is more.
func (app *App) asks(spec *model.Application, comp *model.Component) model.Grant {
	comp = comp.Placed(app.Holds, app.flavour)
	g := model.Grant{Component: comp.Name, Requests: comp.Requests}
	if declaresAll(comp) {
		return g
	}
	held, ok := model.Find(app.Holds, comp.Name)
	if ok && app.Incumbent() && app.Instance.Spec != nil && spec.Release == app.Instance.Spec.Release { // of the release that runs
		g.Requests = comp.Requests.Or(held.AsTold().Requests)
		app.countDefault(comp, &g)
		return g
	}
	g.Requests = comp.Asks(app.policy)
	return g
}

// Asks is what one replica of a component counts.
func (app *App) Asks(spec *model.Application, comp *model.Component) model.Resources {
	return app.asks(spec, comp).Requests
}

// countDefault makes a grant that is held count the default of policy, where that is
// more than the component was told.
func (app *App) countDefault(comp *model.Component, g *model.Grant) {
	if comp = comp.Placed(app.Holds, app.flavour); declaresAll(comp) {
		return
	}
	told, given := g.AsTold().Requests, comp.Asks(app.policy)
	counted := told
	if comp.Requests.CPU == 0 {
		counted.CPU = max(told.CPU, given.CPU)
	}
	if comp.Requests.Memory == 0 {
		counted.Memory = max(told.Memory, given.Memory)
	}
	if g.Requests, g.Told = counted, nil; counted.CPU != told.CPU || counted.Memory != told.Memory {
		g.Told = new(told)
	}
}

// declaresAll reports whether no default of policy applies to a component.
func declaresAll(comp *model.Component) bool {
	return comp.Requests.CPU > 0 && comp.Requests.Memory > 0 || !comp.Runs()
}

// untold is what is counted in a pool of running applications and what their objects do
// not say yet: a default of policy. Nobody has to give way for it.
func (a *allotment) untold(pool string) Vector {
	sum := a.Zero()
	for _, app := range a.Running {
		if !app.Granted() {
			continue
		}
		for _, g := range app.Grants {
			if comp, ok := app.Spec.Component(g.Component); g.Told == nil || g.Pool != pool || !ok || app.done(app.Spec, comp) {
				continue
			}
			sum.addTimes(a.Of(g.Requests.Sub(*g.Told)), g.Replicas+g.Surge)
		}
	}
	return sum
}
