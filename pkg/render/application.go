package render

import (
	"slices"
	"strconv"

	"github.com/d-aros/d-aros/pkg/model"
)

// application is one spec on its way to objects.
type application struct {
	Input
	spec      *model.Application
	redacted  model.Application // spec with digests in place of secret values
	namespace string
}

func newApplication(in Input, spec *model.Application) *application {
	return &application{
		Input: in, spec: spec, redacted: spec.Redact(),
		namespace: Namespace(in.Prefix, in.Instance.App, spec.Policy.Namespace),
	}
}

// component renders one component. One that is on hold keeps what it has, of
// the spec before too.
func (a *application) component(c *model.Component) ([]Object, error) {
	state, _ := a.Instance.Component(c.Name)
	if state == nil {
		state = &model.ComponentState{Grant: model.Grant{Component: c.Name}}
	}
	objects, err := a.objects(c, *state)
	if err != nil || !state.Hold || a.Instance.Previous == nil {
		return objects, err
	}
	before := newApplication(a.Input, a.Instance.Previous)
	old, ok := before.spec.Component(c.Name)
	if !ok {
		return objects, nil
	}
	held := *state
	for _, g := range a.Instance.PreviousGrants {
		if g.Component == c.Name {
			held.Grant = g
		}
	}
	// What cannot be rendered any more has no identity to keep.
	if was, err := before.objects(old, held); err == nil {
		objects = unite(objects, was)
	}
	return objects, nil
}

// unite returns a and those of b that a has not.
func unite(a, b []Object) []Object {
	has := map[string]bool{}
	for _, o := range a {
		has[identity(o.Object)] = true
	}
	return append(a, slices.DeleteFunc(b, func(o Object) bool { return has[identity(o.Object)] })...)
}

// workload is one component on its way to objects.
type workload struct {
	app   *application
	out   *part
	spec  *model.Component
	grant model.Grant
	run   int    // replicas that may run now
	done  bool   // it ended well and is not run again
	name  string // of its objects
}

// objects renders a component in a state. None where no cluster carries it.
func (a *application) objects(c *model.Component, state model.ComponentState) ([]Object, error) {
	if c.Runs() && c.Runtime != "" && c.Runtime != "container" {
		return nil, nil
	}
	render, ok := renderers[c.Type]
	if !ok {
		return nil, faultf(CodeUnreadable, "type", "%q is not a type of component", c.Type)
	}
	w := &workload{
		app: a, spec: c, name: ObjectName(a.Instance.App, c.Name),
		grant: state.Grant, run: max(0, state.Run), done: state.State == model.StateDone,
		out: &part{
			component: c.Name, commit: a.spec.Commit, namespace: a.namespace, labels: a.labels(c.Name),
			workload: model.WorkloadDigest(c, state.Grant, state.Run), keep: state.Hold,
		},
	}
	if state.Hold {
		w.run = max(1, w.run) // all that it has when it runs
	}
	if w.grant.Replicas == 0 && w.run == 0 {
		// Nothing runs. What would run is as declared, so that the template
		// stays what it is when the grant comes back.
		w.grant.Requests, w.grant.QoS, w.grant.Pool = c.Requests, c.QoS, c.Placement.Pool
	}
	if err := render(w); err != nil {
		return nil, err
	}
	return w.out.seal(), nil
}

// renderers renders each type of component.
var renderers = map[string]func(*workload) error{
	"webservice": (*workload).deployment,
	"worker":     (*workload).deployment,
	"store":      (*workload).statefulSet,
	"daemon":     (*workload).daemonSet,
	"job":        (*workload).job,
	"cron":       (*workload).cronJob,
	"config":     (*workload).config,
	"secret":     (*workload).secret,
	"raw":        (*workload).raw,
	"kustomize":  (*workload).kustomize,
}

// labels are those of every object and pod of a component.
func (a *application) labels(component string) map[string]string {
	return merge(a.selector(component), map[string]string{
		LabelFleet:     a.Fleet,
		LabelInstance:  strconv.Itoa(a.Instance.Number),
		LabelName:      component,
		LabelPartOf:    a.Instance.App.Name,
		LabelManagedBy: ManagedBy,
	})
}

// selector is what tells the pods of a component from all others, for ever:
// Kubernetes does not let selectors change.
func (a *application) selector(component string) map[string]string {
	return map[string]string{
		LabelTenant:      a.Instance.App.Tenant,
		LabelApplication: a.Instance.App.Name,
		LabelComponent:   component,
	}
}

// refer returns the name of the object of a config or secret component of the
// application.
func (w *workload) refer(path, kind, name string) (string, error) {
	c, ok := w.app.spec.Component(name)
	if !ok {
		return "", faultf(CodeReference, path, "refers to component %s, which the application does not have", name)
	}
	if c.Type != kind {
		return "", faultf(CodeReference, path, "refers to component %s as a %s, but it is a %s", name, kind, c.Type)
	}
	return ObjectName(w.app.Instance.App, name), nil
}
