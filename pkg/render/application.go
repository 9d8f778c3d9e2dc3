package render

import (
	"cmp"
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
	versions  versions // that run of the component, this one among them
}

func newApplication(in Input, spec *model.Application) *application {
	return &application{
		Input: in, spec: spec, redacted: spec.Redact(),
		namespace: Namespace(in.Prefix, in.Instance.App, spec.Policy.Namespace),
	}
}

// unite returns a, and the elements of b that a lacks.
func unite(a, b []Object) []Object {
	has := map[string]bool{}
	for _, o := range a {
		has[identity(o.Object)] = true
	}
	return append(a, slices.DeleteFunc(b, func(o Object) bool { return has[identity(o.Object)] })...)
}

// workload is one component on its way to objects.
type workload struct {
	app     *application
	out     *part
	spec    *model.Component
	grant   model.Grant
	run     int           // replicas that may run now
	done    bool          // it ended well and is not run again
	name    string        // of its objects
	track   string        // TrackStable or TrackNext
	next    *workload     // the newer version that runs beside it, nil if there is none
	traffic model.Traffic // which of the two requests reach
	intent  string        // of the step whose job it is, "" if it is none
	inputs  []model.Value // of that step
}

// objects renders a component in a state. None where no cluster carries it.
func (a *application) objects(c *model.Component, state model.ComponentState) ([]Object, error) {
	if !carried(c) {
		return nil, nil
	}
	if a.isStep(c.Name) && c.Finite() {
		// It runs only when the step asks for it, and is checked all the same.
		state.Run, state.State, state.Hold = 0, model.StateOff, false
	}
	w := a.workload(c, state)
	if b := state.Beside; b != nil && !state.Hold {
		w.traffic = b.Traffic
		if at, next, ok := a.versions.find(c.Name, b.Spec); ok {
			w.next = at.beside(next, state)
		}
	}
	if err := w.render(); err != nil {
		return nil, err
	}
	objects := w.out.seal()
	if w.next != nil {
		if err := w.next.render(); err != nil {
			return nil, err
		}
		return append(objects, w.next.out.seal()...), nil
	}
	if state.Beside != nil { // it is on hold, or of a spec that is not known any more
		objects = append(objects, kept(c.Name, "apps/v1", "Deployment", a.namespace, nextName(w.name)))
	}
	return objects, nil
}

// workload returns the objects to render for a component in a state.
func (a *application) workload(c *model.Component, state model.ComponentState) *workload {
	w := &workload{
		app: a, spec: c, name: ObjectName(a.Instance.App, c.Name), track: TrackStable,
		grant: a.granted(state.Grant), run: max(0, state.Run), done: state.State == model.StateDone,
		out: &part{
			component: c.Name, commit: a.spec.Commit, namespace: a.namespace, labels: a.labels(c.Name),
			workload: cmp.Or(state.Workload, model.WorkloadDigest(c, state.Grant, state.Run)), keep: state.Hold,
			older: a.spec == a.Instance.Previous,
		},
	}
	if state.Hold {
		w.run = max(1, w.run) // all that it has when it runs
	}
	if w.grant.Replicas == 0 && w.run == 0 {
		// Nothing runs. What would run is as declared, so that the template
		// stays what it is when the grant comes back.
		w.grant = declared(c, w.grant)
	}
	return w
}

// declared is a grant of what a component declares.
func declared(c *model.Component, g model.Grant) model.Grant {
	g.Requests, g.QoS, g.Pool = c.Requests, c.QoS, c.Placement.Pool
	return g
}

// carried reports whether a cluster runs the component.
func carried(c *model.Component) bool {
	return !c.Runs() || c.Runtime == "" || c.Runtime == "container"
}

// render renders the objects of a component as its type has it.
func (w *workload) render() error {
	render, ok := renderers[w.spec.Type]
	if !ok {
		return faultf(CodeUnreadable, "type", "%q is not a type of component", w.spec.Type)
	}
	return render(w)
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

// labels returns the labels of every object and pod of a component.
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
	return w.app.configName(c), nil
}
