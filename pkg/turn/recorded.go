package turn

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// AsRecorded returns the workloads that the runtimes would show if they were as the ledger says, by application and
// component. It stands in for an observation where there is no cluster to look at.
func AsRecorded(l *model.Ledger) (list []model.Workload) {
	for i := range l.Instances {
		in := &l.Instances[i]
		if !in.Phase.Active() {
			continue
		}
		for _, s := range in.Components {
			w := model.Workload{App: in.App, Component: s.Grant.Component, Digest: s.Workload, Replicas: s.Run}
			switch {
			case s.State == model.StateReady:
				w.Ready, w.Current = s.Run, true
				if e := in.Shown.Of(w.Component); e != nil && e.Unready.IsZero() {
					w.Replicas, w.Ready, w.Images = e.Told, e.Ready, e.Images
				}
			case s.State == model.StateUnready:
				if e := in.Shown.Of(w.Component); e != nil {
					w.Replicas, w.Ready, w.Images, w.Why, w.Rolling = e.Told, e.Ready, e.Images, e.Why, e.Moves
				}
			case s.Finished():
				w.Done, w.Current = true, true
			}
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b model.Workload) int {
		return cmp.Or(a.App.Compare(b.App), cmp.Compare(a.Component, b.Component))
	})
	return list
}
