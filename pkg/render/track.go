package render

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Tracks of the pods of a Deployment. While a step of the workflow brings a newer
// version in stages, that runs on a Deployment of its own, whose name ends in
// -next; Service, Ingress and autoscaler stay those of the stable one. So the
// Service can tell by the track which pods requests reach.
const (
	TrackStable = string(model.TrafficStable)
	TrackNext   = string(model.TrafficNext)
)

func nextName(name string) string { return name + "-next" }

// beside returns the newer version of a component on its way to objects.
func (a *application) beside(c *model.Component, state model.ComponentState) *workload {
	b := state.Beside
	state.Run, state.Workload, state.Beside = b.Run, cmp.Or(b.Workload, model.WorkloadDigest(c, state.Grant, b.Run)), nil
	w := a.workload(c, state)
	w.name, w.track = nextName(w.name), TrackNext
	w.out.labels = merge(w.out.labels, map[string]string{LabelTrack: TrackNext})
	return w
}

// podLabels returns the labels that distinguish the pods of a Deployment from all others.
func (w *workload) podLabels() map[string]string {
	labels := w.app.selector(w.spec.Name)
	if w.track == TrackNext {
		labels[LabelTrack] = TrackNext
	}
	return labels
}

// isStaged reports whether a step of the workflow rolls out the component in stages.
func (a *application) isStaged(component string) bool {
	return a.spec.Workflow != nil && slices.ContainsFunc(a.spec.Workflow.Steps, func(s model.Step) bool {
		return (s.Type == "canary" || s.Type == "blue-green") && slices.Contains(s.Components, component)
	})
}

// isStep reports whether a step of the workflow runs the component, or runs it to
// take back what another one did.
func (a *application) isStep(component string) bool {
	return a.spec.Workflow != nil && a.spec.Workflow.Job(component)
}
