package render

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/component"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
)

// application is one spec of an instance, while its objects are rendered.
type application struct {
	Input
	spec      *model.Application
	common    *component.Application // what its components have in common
	namespace string
	versions  versions // all specs of the instance, with this one
}

func newApplication(in Input, spec *model.Application) *application {
	namespace := Namespace(in.Prefix, in.Instance.App, spec.Policy.Namespace)
	return &application{Input: in, spec: spec, namespace: namespace, common: &component.Application{
		ID: in.Instance.App, Spec: spec, Redacted: spec.Redact(), Namespace: namespace,
		Standard: in.Tenant.PodSecurity, Pools: in.Pools, Built: in.Builds,
	}}
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
	component.Input
	app  *application
	out  *part
	next *workload        // the newer version beside it, nil without one
	made component.Output // what it comes to; render fills it in
}

// objects renders a component in a state. A component that this cluster does not run has no
// objects.
func (a *application) objects(c *model.Component, state model.ComponentState) ([]Object, error) {
	if !carried(c) || a.Elsewhere[c.Name] {
		return nil, nil
	}
	if a.spec.Workflow != nil && a.spec.Workflow.Job(c.Name) && c.Finite() {
		// Only the step runs it. It is rendered here to check it.
		state.Run, state.State, state.Hold = 0, model.StateOff, false
	}
	w := a.workload(c, state)
	if b := state.Beside; b != nil && !state.Hold {
		w.Traffic = b.Traffic
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
		objects = append(objects, kept(c.Name, "apps/v1", "Deployment", a.namespace, nextName(w.Name)))
	}
	return append(objects, w.around().seal()...), nil
}

// workload returns the component of this spec in a state.
func (a *application) workload(c *model.Component, state model.ComponentState) *workload {
	w := &workload{
		Input: component.Input{
			App: a.common, Spec: c, Name: ObjectName(a.Instance.App, c.Name), Track: TrackStable,
			Grant: a.granted(state.Grant).AsTold(), Run: max(0, state.Run), Done: state.Finished(),
		},
		app: a, out: &part{
			owner: c.Name, commit: a.spec.Commit, namespace: a.namespace,
			labels:   declared.Merge(a.labels(c.Name), a.connections(c)),
			workload: cmp.Or(state.Workload, model.WorkloadDigest(c, state.Grant, state.Run)), keep: state.Hold,
			release: a.spec.Release, told: Told{Grant: state.Grant.AsPlaced(c), Run: state.Run},
			older: a.spec == a.Instance.Previous,
		},
	}
	if !w.Grant.SameCapacity(state.Grant) {
		w.out.told.Before = new(w.Grant.AsPlaced(c))
	}
	if state.Hold {
		w.Run = max(1, w.Run) // every object that it has while it runs
	}
	if w.Grant.Replicas == 0 && w.Run == 0 {
		// Nothing runs. The template is rendered as declared, so that it is the same
		// when the grant comes back.
		w.Grant = asDeclared(c, w.Grant)
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

// render renders the objects of the component. What an encrypted file of another version has is
// not known without the files of that version, so the live object stays then.
func (w *workload) render() error {
	w.Labels = w.out.labels
	if w.next != nil {
		w.Next = w.next.Spec
	}
	made, err := component.Render(w.Input)
	if err != nil {
		return err
	}
	w.made = made
	w.out.objects, w.out.keep = made.Objects, w.out.keep || made.Keep
	if made.Sealed != "" {
		w.out.keep = w.out.keep || w.out.older && w.app.Builds == nil
		w.out.sealed = &Sealed{File: made.Sealed, Commit: w.app.spec.Commit}
	}
	return nil
}

// labels returns the labels of every object and pod of a component.
func (a *application) labels(name string) map[string]string {
	return declared.Merge(component.Selector(a.Instance.App, name), map[string]string{
		LabelFleet:     a.Fleet,
		LabelInstance:  strconv.Itoa(a.Instance.Number),
		LabelName:      name,
		LabelPartOf:    a.Instance.App.Name,
		LabelManagedBy: ManagedBy,
	})
}
