package evaluate

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// A task is an application that is not in the cache.
type task struct {
	*declared
	id       string // of its request
	platform *layer.Layer
	again    bool // its own files did not change
	known    bool // the backend has its answer
	in       applicationInput
	lost     error // why its files cannot be read
	err      error // why it was not evaluated
}

// evaluateApplications evaluates the applications that are not in the cache.
func (p *pass) evaluateApplications(apps []*declared) {
	var tasks []*task
	for _, a := range apps {
		if t := p.fromCache(a); t != nil {
			tasks = append(tasks, t)
		}
	}
	if p.e.backend != nil {
		p.e.run(len(tasks), func(i int) { tasks[i].recall(p.e) })
	}
	tasks = slices.DeleteFunc(tasks, func(t *task) bool { return t.known })
	// Applications that people changed come before those whose policy changed.
	slices.SortStableFunc(tasks, func(a, b *task) int { return order(a.again) - order(b.again) })
	if p.e.backend != nil {
		p.e.run(len(tasks), func(i int) { tasks[i].ask(p.e) })
	} else {
		p.here(tasks)
	}

	for _, t := range tasks {
		switch {
		case t.lost != nil:
			t.unread(t.lost)
		case t.err != nil:
			t.part.unsure = true
			t.key = applicationKey{} // it is no result
			t.result.problems = []model.Problem{unanswered(layer.ApplicationDir(t.app), t.err)}
		}
	}
}

func order(late bool) int {
	if late {
		return 1
	}
	return 0
}

// fromCache fills in the result of an application from the cache, or returns the task
// to evaluate it.
func (p *pass) fromCache(a *declared) *task {
	t := a.part
	if a.problem != nil || t.layer.result.tenant == nil {
		a.key = applicationKey{}
		return nil
	}
	if a.key.files == "" {
		var err error
		if a.key.files, err = a.files.Digest(layer.ApplicationDir(a.app)); err != nil {
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
		if m.key.layers == a.key.layers || !t.moved && m.result.application != nil {
			a.result = m.result
			return nil
		}
		// The same policy, written elsewhere: only the places of its values moved.
		if m.result.application != nil {
			a.result = m.result.complete(&p.platform.layer, &t.layer.result)
			return nil
		}
	}
	return &task{declared: a, platform: &p.platform.layer, again: ok && m.key.files == a.key.files, id: keyOf("application", a.app.Tenant, a.app.Name, a.key.files, a.key.policy)}
}

// recall asks the backend for an answer that it has.
func (t *task) recall(e *Evaluator) {
	if known, ok := e.recall(t.id); ok {
		t.known = true
		t.finish(known.application([]layer.Source{{Name: layer.ApplicationDir(t.app)}}))
	}
}

// load reads the files of an application, within the caps. It returns false if there
// is nothing left to evaluate.
func (t *task) load() bool {
	dir := layer.ApplicationDir(t.app)
	names, problems, err := layer.List(t.files, dir)
	if err != nil {
		t.lost = err
		return false
	}
	var files []layer.Source
	if len(problems) == 0 {
		if files, problems, err = layer.Read(t.files, names); err != nil {
			t.lost = err
			return false
		}
	}
	if len(problems) > 0 {
		t.result = applicationResult{problems: problems}
		return false
	}
	rest, digest, err := beside(t.files, dir)
	if err != nil {
		t.lost = err
		return false
	}
	t.in = applicationInput{app: t.app, files: files, policy: t.part.layer.result.policy, rest: rest, source: digest}
	return true
}

// ask has the backend evaluate an application. It frees the files afterwards.
func (t *task) ask(e *Evaluator) {
	if !t.load() {
		return
	}
	in := t.in
	t.in = applicationInput{}
	a, err := e.ask(t.id, request{
		Layer: "application", Tenant: t.app.Tenant, Name: t.app.Name, Files: blobs(in.files), Policy: in.policy, Rest: in.rest, Source: in.source,
	})
	if err != nil {
		t.err = err
		return
	}
	t.finish(a.application(in.files))
}

// fewTasks is the number of applications from which on compiling the form pays.
const fewTasks = 3

// here evaluates applications in this process.
func (p *pass) here(tasks []*task) {
	tasks = slices.DeleteFunc(slices.Clone(tasks), func(t *task) bool { return !t.load() })
	if len(tasks) >= fewTasks && !p.e.form.Made() {
		p.e.form = layer.NewForm()
	}
	for i, t := range tasks {
		t.in.form = p.e.form
		if i > 0 && tasks[i-1].part == t.part {
			t.in.form = tasks[i-1].in.form.Under(t.in.policy)
		}
	}
	p.e.run(len(tasks), func(i int) {
		t := tasks[i]
		t.finish(guarded(t.in))
	})
}

func (t *task) finish(r applicationResult) {
	t.result = r.complete(t.platform, &t.part.layer.result)
}

// guarded turns a panic into a problem of the one application that it is about.
func guarded(in applicationInput) (r applicationResult) {
	return guard(layer.ApplicationDir(in.app), func() applicationResult { return evaluateApplication(in) })
}

func guard(dir string, do func() applicationResult) (r applicationResult) {
	defer func() {
		if e := recover(); e != nil {
			r = applicationResult{problems: []model.Problem{layer.GaveUp(dir, e)}}
		}
	}()
	return do()
}
