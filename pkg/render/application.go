package render

import (
	"cmp"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
)

// application is one spec of an instance, while its objects are rendered.
type application struct {
	Input
	spec      *model.Application
	redacted  model.Application // spec with digests in place of secret values
	namespace string
	versions  versions // all specs of the instance, with this one
}

func newApplication(in Input, spec *model.Application) *application {
	return &application{
		Input: in, spec: spec, redacted: spec.Redact(),
		namespace: Namespace(in.Prefix, in.Instance.App, spec.Policy.Namespace),
	}
}

// unite appends the objects of b that a does not have to a.
func unite(a, b []Object) []Object {
	has := map[string]bool{}
	for _, o := range a {
		has[manifest.Identity(o.Object)] = true
	}
	return append(a, slices.DeleteFunc(b, func(o Object) bool { return has[manifest.Identity(o.Object)] })...)
}

// workload is one component in a state, while its objects are rendered.
type workload struct {
	app     *application
	out     *part
	spec    *model.Component
	grant   model.Grant
	run     int           // replicas that may run now
	done    bool          // it succeeded and is not run again
	name    string        // of its objects
	track   string        // TrackStable or TrackNext
	next    *workload     // the newer version beside it, nil without one
	traffic model.Traffic // the versions that receive requests
	step    *StepJob      // that it is, nil: none
	flows   flows         // to its pods; render fills it in
}

// objects renders a component in a state. A component that this cluster does not run has no
// objects.
func (a *application) objects(c *model.Component, state model.ComponentState) ([]Object, error) {
	if !carried(c) || a.Elsewhere[c.Name] {
		return nil, nil
	}
	if a.isStep(c.Name) && c.Finite() {
		// Only the step runs it. It is rendered here to check it.
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
		objects = append(objects, w.next.out.seal()...)
	} else if state.Beside != nil { // the newer version is on hold, or its spec is not known any more
		objects = append(objects, kept(c.Name, "apps/v1", "Deployment", a.namespace, nextName(w.name)))
	}
	return append(objects, w.around().seal()...), nil
}

// workload returns the component of this spec in a state.
func (a *application) workload(c *model.Component, state model.ComponentState) *workload {
	w := &workload{
		app: a, spec: c, name: ObjectName(a.Instance.App, c.Name), track: TrackStable,
		grant: a.granted(state.Grant).AsTold(), run: max(0, state.Run), done: state.Finished(),
		out: &part{
			component: c.Name, commit: a.spec.Commit, namespace: a.namespace,
			labels:   declared.Merge(a.labels(c.Name), a.connections(c)),
			workload: cmp.Or(state.Workload, model.WorkloadDigest(c, state.Grant, state.Run)), keep: state.Hold,
			release: a.spec.Release, told: Told{Grant: state.Grant.AsPlaced(c), Run: state.Run},
			older: a.spec == a.Instance.Previous,
		},
	}
	if !w.grant.SameCapacity(state.Grant) {
		w.out.told.Before = new(w.grant.AsPlaced(c))
	}
	if state.Hold {
		w.run = max(1, w.run) // every object that it has while it runs
	}
	if w.grant.Replicas == 0 && w.run == 0 {
		// Nothing runs. The template is rendered as declared, so that it is the same
		// when the grant comes back.
		w.grant = asDeclared(c, w.grant)
	}
	return w
}

// asDeclared returns a grant with the requests, QoS profile and pool that the component
// declares. Where it declares no requests, those of the grant stay.
func asDeclared(c *model.Component, g model.Grant) model.Grant {
	g.Requests, g.QoS, g.Pool, g.Domains = c.Requests.Or(g.Requests), c.QoS, c.Placement.Pool, nil
	return g
}

// carried reports whether a cluster has the objects of the component.
func carried(c *model.Component) bool { return carrier.Check(c, carrier.InCluster) == nil }

// render renders the objects of the component by its type.
func (w *workload) render() error {
	render, ok := renderers[w.spec.Type]
	if !ok {
		return declared.Faultf(declared.CodeUnreadable, "type", "%q is not a type of component", w.spec.Type)
	}
	if err := render(w); err != nil {
		return err
	}
	if w.spec.Health != "" {
		for _, u := range w.out.objects {
			if !outlives(u) {
				u.SetAnnotations(declared.Merge(u.GetAnnotations(), map[string]string{AnnotationJudged: w.spec.Definition}))
			}
		}
	}
	admission := w.admission(manifest.Accounts(w.out.objects))
	admission.Token = slices.ContainsFunc(w.out.objects, func(u *unstructured.Unstructured) bool { return u.GetKind() == "Role" })
	return w.out.patch(patching{
		name: w.name, stable: ObjectName(w.app.Instance.App, w.spec.Name),
		partly: w.run == 0 || w.track == TrackNext || w.step != nil, running: w.run > 0,
	}, admission)
}

// renderers renders each type of component.
var renderers = map[string]func(*workload) error{
	"webservice":      (*workload).deployment,
	"worker":          (*workload).deployment,
	"store":           (*workload).statefulSet,
	"daemon":          (*workload).daemonSet,
	"job":             (*workload).job,
	"cron":            (*workload).cronJob,
	"vm":              func(w *workload) error { return new(machine).render(w) },
	"windows-service": (*workload).deployment,
	"config":          (*workload).config,
	"secret":          (*workload).secret,
	"external-secret": (*workload).externalSecret,
	"raw":             (*workload).raw,
	"kustomize":       (*workload).kustomize,
	"helm":            func(w *workload) error { return new(helmProperties).render(w) },
}

// labels returns the labels of every object and pod of a component.
func (a *application) labels(component string) map[string]string {
	return declared.Merge(a.selector(component), map[string]string{
		LabelFleet:     a.Fleet,
		LabelInstance:  strconv.Itoa(a.Instance.Number),
		LabelName:      component,
		LabelPartOf:    a.Instance.App.Name,
		LabelManagedBy: ManagedBy,
	})
}

// selector returns the labels that only the pods of a component have. They never
// change, because Kubernetes refuses a change of a selector.
func (a *application) selector(component string) map[string]string {
	return map[string]string{
		LabelTenant:      a.Instance.App.Tenant,
		LabelApplication: a.Instance.App.Name,
		LabelComponent:   component,
	}
}

// placement returns where the pods of the component may run.
func (w *workload) placement() placement {
	return placement{w.spec, w.grant.Pool, w.grant.Domains, w.app.Pools}
}
