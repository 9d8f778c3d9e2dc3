package render

import (
	"cmp"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/component"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// Tracks of the pods of a Deployment. While a workflow step rolls out a newer version
// in stages, that version has its own Deployment, whose name ends in -next. Service,
// Ingress and autoscaler stay those of the stable version, and the Service selects by
// track the pods that receive requests.
const (
	TrackStable = component.TrackStable
	TrackNext   = component.TrackNext
)

func nextName(name string) string { return name + "-next" }

// beside returns the newer version of a component, which runs beside the stable one.
func (a *application) beside(c *model.Component, state model.ComponentState) *workload {
	b := state.Beside
	state.Run, state.Workload, state.Beside = b.Run, cmp.Or(b.Workload, model.WorkloadDigest(c, state.Grant, b.Run)), nil
	w := a.workload(c, state)
	w.Name, w.Track = nextName(w.Name), TrackNext
	w.out.labels, w.out.told.Traffic = declared.Merge(w.out.labels, map[string]string{LabelTrack: TrackNext}), b.Traffic
	return w
}
