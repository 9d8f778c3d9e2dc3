package evaluate

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// maxTurns bounds the turns of applications that are remembered.
const maxTurns = 100_000

// A task is the evaluation of an application that is not in the cache.
type task struct {
	*declared
	id   string // of the request
	turn int    // 0: people changed its files; 1: only its policy changed
	nth  int    // how many of its tenant come before it
	came bool   // to the backend, which did not refuse it at once
	lost error  // why its files cannot be read
	err  error  // why it was not evaluated
}

// evaluateApplications evaluates the applications that are not in the cache.
func (p *pass) evaluateApplications(apps []*declared) {
	var tasks []*task
	for _, a := range apps {
		if t := p.fromCache(a); t != nil {
			tasks = append(tasks, t)
		}
	}
	p.e.backend.Run(len(tasks), func(i int) {
		if known := p.e.recall(tasks[i].id); known != nil {
			tasks[i].result = known.complete(p.platform, tasks[i].part.layer.result)
		}
	})
	unknown := slices.DeleteFunc(slices.Clone(tasks), func(t *task) bool { return t.result != nil })
	p.e.order(unknown)
	p.e.backend.Run(len(unknown), func(i int) { unknown[i].evaluate(p) })

	if len(p.e.turns) > maxTurns {
		clear(p.e.turns)
	}
	for _, t := range unknown {
		if t.came {
			p.e.turns[t.app] = p.e.fleets
		}
		switch {
		case t.lost != nil:
			t.unread(t.lost)
		case t.err != nil:
			t.part.unsure = true
			t.key = applicationKey{} // it is no result
			t.result = &result{Problems: []model.Problem{unanswered(layer.ApplicationDir(t.app), t.err)}}
		}
	}
}

// order sorts tasks as they are evaluated: first what people changed, then the tenants in turn, least
// recently evaluated first. The applications of a tenant take turns in the same way, so an application whose
// evaluation keeps failing cannot hold up the others, even if each commit changes its files.
func (e *Evaluator) order(tasks []*task) {
	before := map[string]int{}
	slices.SortStableFunc(tasks, func(a, b *task) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(e.turns[a.app], e.turns[b.app]))
	})
	for _, t := range tasks {
		t.nth = before[t.app.Tenant]
		before[t.app.Tenant]++
	}
	slices.SortStableFunc(tasks, func(a, b *task) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.nth, b.nth), cmp.Compare(e.asked[a.app.Tenant], e.asked[b.app.Tenant]))
	})
	for tenant := range before {
		e.asked[tenant] = e.fleets
	}
}

// fromCache fills in the result of an application from the cache, or returns the task
// to evaluate it.
func (p *pass) fromCache(a *declared) *task {
	t := a.part
	if a.problem != nil || t.layer.result.Tenant == nil {
		a.key = applicationKey{}
		return nil
	}
	if a.key.files == "" {
		var err error
		if a.key.files, err = inputs(a.files, a.app); err != nil {
			a.unread(err)
			return nil
		}
	}
	a.key.policy, a.key.layers = t.policy, t.layer.key
	m, ok := cachedApplication{}, false
	if before := p.e.parts[t.name]; before != nil {
		m, ok = before.instances[a.app.Name]
	}
	if ok && m.key.files == a.key.files && m.key.policy == a.key.policy {
		if m.key.layers == a.key.layers || !t.moved && m.result.Application != nil {
			a.result = m.result
			return nil
		}
		// The same policy, written elsewhere: only the places of its values moved.
		if m.result.Application != nil {
			a.result = m.result.complete(p.platform, t.layer.result)
			return nil
		}
	}
	missing := &task{declared: a, id: keyOf("application", a.app.Tenant, a.app.Name, a.key.files, a.key.policy)}
	if ok && m.key.files == a.key.files {
		missing.turn = 1
	}
	return missing
}

// evaluate reads the files of an application, within the caps, and has the backend
// evaluate them.
func (t *task) evaluate(p *pass) {
	dir := layer.ApplicationDir(t.app)
	if t.err = p.e.backend.Refused(t.app.Tenant, t.id); t.err != nil {
		return // without reading its files
	}
	t.came = true
	r := request{Layer: "application", Tenant: t.app.Tenant, Name: t.app.Name, Policy: t.part.layer.result.Policy}
	problems, err := r.read(t.files, dir)
	if err == nil && len(problems) == 0 {
		if err = r.beside(t.files, dir); err == nil {
			problems, err = layer.Unread(t.files, dir, r.Rest)
		}
	}
	switch {
	case err != nil:
		t.lost = err
	case len(problems) > 0:
		t.result = &result{Problems: problems}
	default:
		if t.result, t.err = p.e.ask(t.app.Tenant, t.id, r); t.err == nil {
			t.result = t.result.complete(p.platform, t.part.layer.result)
		}
	}
}
