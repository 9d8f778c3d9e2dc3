package turn

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
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
					w.Replicas, w.Ready, w.Images, w.Says = e.Told, e.Ready, e.Images, e.Says
				}
			case s.State == model.StateUnready:
				if e := in.Shown.Of(w.Component); e != nil {
					w.Replicas, w.Ready, w.Images, w.Says, w.Why, w.Rolling = e.Told, e.Ready, e.Images, e.Says, e.Why, e.Moves
				}
			case s.Finished():
				w.Done, w.Current = true, true
			}
			list = append(list, w)
		}
	}
	slices.SortFunc(list, compareWorkloads)
	return list
}

func compareWorkloads(a, b model.Workload) int {
	return cmp.Or(a.App.Compare(b.App), cmp.Compare(a.Component, b.Component))
}

// AsStarted is AsRecorded after the runtimes carried out what the ledger says: what it starts is ready, of both versions
// where there are two, and what it stops is gone. What failed stays so, and no job ends.
func AsStarted(l *model.Ledger) []model.Workload {
	list := AsRecorded(l)
	for i := range list {
		w := &list[i]
		in, _ := l.Find(w.App)
		s, _ := in.Component(w.Component)
		if s.State == model.StateStarting || s.State == model.StateWaiting || s.State == model.StateOff {
			w.Ready, w.Current = w.Replicas, true
		}
		if b := s.Beside; b != nil {
			list = append(list, model.Workload{App: w.App, Component: w.Component, Beside: true, Digest: b.Workload, Replicas: b.Run, Ready: b.Run, Current: true})
		}
	}
	slices.SortStableFunc(list, compareWorkloads) // the newer version behind the older one
	return list
}

// Recall returns what the runtimes showed when a ledger was saved.
func Recall(ledger *model.Ledger) model.Recalled {
	all := model.Recalled{Pools: ledger.Pools}
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		all.Workloads = append(all.Workloads, slices.Concat(lifecycle.Recall(inst), workflow.Recall(inst))...)
	}
	return all
}
