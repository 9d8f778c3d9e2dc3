package evaluate

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// A task is an application that is not in memory.
type task struct {
	*declared
	key      string
	platform *layer
	again    bool // it did not change itself
	known    bool // its answer is recalled
	in       applicationInput
	err      error
}

// evaluateApplications evaluates those that changed and sorts all into usable
// and unusable.
func (p *pass) evaluateApplications(apps []*declared) {
	var tasks []*task
	for _, a := range apps {
		if t := p.remember(a); t != nil {
			tasks = append(tasks, t)
		}
	}
	if p.e.backend != nil {
		p.e.run(len(tasks), func(i int) { tasks[i].recall(p.e) })
	}
	tasks = slices.DeleteFunc(tasks, func(t *task) bool { return t.known || !p.load(t) })
	// What people changed comes before what follows from it.
	slices.SortStableFunc(tasks, func(a, b *task) int { return order(a.again) - order(b.again) })
	if p.e.backend != nil {
		p.e.run(len(tasks), func(i int) { tasks[i].ask(p.e) })
	} else {
		p.here(tasks)
	}

	for _, t := range tasks {
		if t.err != nil {
			p.unsure = true
			t.dir = memoryKey{} // it is no result
			t.result.problems = []model.Problem{unanswered(applicationDir(t.app), t.err)}
		}
	}
	instances := map[model.AppID]applicationMemory{}
	for _, a := range apps {
		if a.problem == nil && a.dir.files != "" {
			instances[a.app] = applicationMemory{a.dir.files, a.dir.policy, a.dir.layers, a.result}
		}
		p.settle(a)
	}
	p.e.instances = instances
}

func order(late bool) int {
	if late {
		return 1
	}
	return 0
}

// unread gives an application up that cannot be read.
func (p *pass) unread(a *declared, err error) {
	p.unsure = true
	problem := at(codeUnreadable, applicationDir(a.app), "cannot be read: "+oneLine(err.Error()))
	a.problem, a.dir = &problem, memoryKey{}
}

// remember fills in the result of an application from memory, or returns what is
// to do.
func (p *pass) remember(a *declared) *task {
	if a.problem != nil || a.tenant.result.tenant == nil {
		return nil
	}
	digest, err := a.files.Digest(applicationDir(a.app))
	if err != nil {
		p.unread(a, err)
		return nil
	}
	tenant := &a.tenant.result
	a.dir = memoryKey{digest, string(tenant.effective), a.tenant.key}
	m, ok := p.e.instances[a.app]
	if ok && m.files == a.dir.files && m.policy == a.dir.policy {
		if m.layers == a.dir.layers {
			a.result = m.result
			return nil
		}
		// The same policy, written elsewhere: only the places of its values moved.
		if m.result.application != nil {
			a.result = m.result.complete(&p.platform.layer, tenant)
			return nil
		}
	}
	return &task{declared: a, platform: &p.platform.layer, again: ok && m.files == a.dir.files, key: keyOf("application", a.app.Tenant, a.app.Name, a.dir.files, a.dir.policy)}
}

// recall looks for the answer elsewhere.
func (t *task) recall(e *Evaluator) {
	if known, ok := e.recall(t.key); ok {
		t.known = true
		t.finish(known.application([]source{{name: applicationDir(t.app)}}))
	}
}

// load reads the files of an application, within the caps.
func (p *pass) load(t *task) bool {
	dir := applicationDir(t.app)
	names, problems, err := cueFiles(t.files, dir)
	if err != nil {
		p.unread(t.declared, err)
		return false
	}
	var files []source
	if len(problems) == 0 {
		if files, problems, err = read(t.files, names); err != nil {
			p.unread(t.declared, err)
			return false
		}
	}
	if len(problems) > 0 {
		t.result = applicationResult{problems: problems}
		return false
	}
	rest, digest, err := beside(t.files, dir)
	if err != nil {
		p.unread(t.declared, err)
		return false
	}
	t.in = applicationInput{app: t.app, files: files, policy: t.tenant.result.effective, rest: rest, source: digest}
	return true
}

// ask has an application evaluated elsewhere.
func (t *task) ask(e *Evaluator) {
	a, err := e.ask(t.key, request{
		Layer: "application", Tenant: t.app.Tenant, Name: t.app.Name, Files: blobs(t.in.files), Policy: t.in.policy, Rest: t.in.rest, Source: t.in.source,
	})
	if err != nil {
		t.err = err
		return
	}
	t.finish(a.application(t.in.files))
}

// fewTasks are too few to make the form for them.
const fewTasks = 3

// here evaluates applications in this process.
func (p *pass) here(tasks []*task) {
	if len(tasks) >= fewTasks && !p.e.form.value.Exists() {
		p.e.form = newForm()
	}
	p.e.run(len(tasks), func(i int) {
		t := tasks[i]
		t.in.form = p.e.form
		t.finish(guarded(t.in))
	})
}

func (t *task) finish(r applicationResult) {
	t.result = r.complete(t.platform, &t.tenant.result)
}

// guarded turns a panic into a problem of the one application that it is about.
func guarded(in applicationInput) (r applicationResult) {
	return guard(applicationDir(in.app), func() applicationResult { return evaluateApplication(in) })
}

func guard(dir string, do func() applicationResult) (r applicationResult) {
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
		p.objects = append(p.objects, objectNames(&app, &a.result.layer)...)
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
