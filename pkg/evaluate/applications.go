package evaluate

import (
	"github.com/d-aros/d-aros/pkg/model"
)

// evaluateApplications evaluates those that changed and sorts all into usable
// and unusable.
func (p *pass) evaluateApplications(apps []*declared) {
	var work []func()
	for _, a := range apps {
		if do := p.prepare(a); do != nil {
			work = append(work, do)
		}
	}
	p.e.run(len(work), func(i int) { work[i]() })

	instances := map[model.AppID]applicationMemory{}
	for _, a := range apps {
		if a.problem == nil && a.dir.files != "" {
			instances[a.app] = applicationMemory{a.dir.files, a.dir.policy, a.dir.layers, a.result}
		}
		p.settle(a)
	}
	p.e.instances = instances
}

// prepare fills in the result of an application from memory, or returns what
// computes it.
func (p *pass) prepare(a *declared) (do func()) {
	if a.problem != nil || a.tenant.result.tenant == nil {
		return nil
	}
	dir := applicationDir(a.app)
	unreadable := func(err error) func() {
		p.unsure = true
		problem := at(codeUnreadable, dir, "cannot be read: "+oneLine(err.Error()))
		a.problem = &problem
		return nil
	}
	digest, err := a.files.Digest(dir)
	if err != nil {
		return unreadable(err)
	}
	tenant := &a.tenant.result
	key := memoryKey{digest, string(tenant.effective), a.tenant.key}
	if m, ok := p.e.instances[a.app]; ok && m.files == key.files && m.policy == key.policy {
		if m.layers == key.layers {
			a.dir, a.result = key, m.result
			return nil
		}
		// The same policy, written elsewhere: only the places of its values moved.
		if m.result.application != nil {
			moved := *m.result.application
			moved.Policy = m.result.choices.within(tenant.tenant.Policy, &m.result.layer)
			a.dir, a.result = key, m.result
			a.result.application = &moved
			return nil
		}
	}
	names, problems, err := cueFiles(a.files, dir)
	if err != nil {
		return unreadable(err)
	}
	var files []source
	if len(problems) == 0 {
		if files, problems, err = read(a.files, names); err != nil {
			return unreadable(err)
		}
	}
	a.dir = key
	if len(problems) > 0 {
		a.result = applicationResult{problems: problems}
		return nil
	}
	rest, source, err := beside(a.files, dir)
	if err != nil {
		a.dir = memoryKey{}
		return unreadable(err)
	}
	in := applicationInput{
		app: a.app, files: files, platform: &p.platform.layer, tenant: tenant,
		rest: rest, source: source,
	}
	return func() {
		a.result = guarded(dir, func() applicationResult { return evaluateApplication(in) })
	}
}

// guarded turns a panic into a problem of the one application that it is about.
func guarded(dir string, do func() applicationResult) (r applicationResult) {
	defer func() {
		if e := recover(); e != nil {
			r = applicationResult{problems: []model.Problem{gaveUp(dir, e)}}
		}
	}()
	return do()
}

// settle puts an application where it belongs.
func (p *pass) settle(a *declared) {
	switch {
	case a.problem != nil:
		p.report(a.app.Tenant, a.app.Name, *a.problem)
		p.unusable(a.app, *a.problem)
	case a.tenant.result.tenant == nil && len(a.tenant.result.problems) > 0:
		p.unusable(a.app, a.tenant.result.problems[0])
	case a.tenant.result.tenant == nil:
		p.unusable(a.app, p.platform.problems[0])
	case a.result.application == nil:
		problems := a.result.problems
		if a.pinned {
			problems = pinnedAt(a.commit, problems)
		}
		p.report(a.app.Tenant, a.app.Name, problems...)
		p.unusable(a.app, problems[0])
	default:
		problems := p.offered(a)
		if len(problems) > 0 {
			p.report(a.app.Tenant, a.app.Name, problems...)
			p.unusable(a.app, problems[0])
			return
		}
		app := *a.result.application
		app.Commit = a.commit
		p.fleet.Applications = append(p.fleet.Applications, app)
		for _, h := range a.result.hosts {
			p.hosts = append(p.hosts, claim{app.ID, h})
		}
	}
}

func (p *pass) unusable(app model.AppID, problem model.Problem) {
	p.fleet.Unusable = append(p.fleet.Unusable, model.Unusable{App: app, Message: inOneLine(problem), Code: problem.Code})
}

// pinnedAt says that the places are in the pinned commit, not in today's files.
func pinnedAt(commit string, problems []model.Problem) []model.Problem {
	out := make([]model.Problem, len(problems))
	for i, problem := range problems {
		problem.Message += " (in the pinned commit " + commit[:min(12, len(commit))] + ")"
		out[i] = problem
	}
	return out
}
