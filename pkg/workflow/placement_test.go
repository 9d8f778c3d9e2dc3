package workflow

import "github.com/d-aros/d-aros/pkg/model"

// Placement is what is to run of one version of a component: for stories, in which
// no lifecycle lays on the components what a run aims at.
type Placement struct {
	Component string        `json:"component"`
	Version   model.Version `json:"version"`
	Beside    bool          `json:"beside,omitempty"` // the stable version, which stays what others call the component
	Replicas  int           `json:"replicas"`
	Traffic   bool          `json:"traffic"` // requests reach it
}

// Placements returns what is to run because of run, a run that was saved, by
// component, the stable version first. Granted says how many replicas arbitration
// gives to a component. It is a level, not an event: it holds until the run, or the
// one after it, says otherwise, and what is not in it is not to run.
func Placements(run *model.Run, granted func(component string) int) (placements []Placement) {
	for _, t := range run.Targets {
		n := granted(t.Component)
		stable := Placement{Component: t.Component, Version: t.Stable, Replicas: n, Traffic: true}
		if t.Next == nil {
			placements = append(placements, stable)
			continue
		}
		next := Placement{
			Component: t.Component, Version: *t.Next, Beside: true,
			Replicas: t.Share.Of(n), Traffic: t.Traffic != model.TrafficStable,
		}
		stable.Traffic = t.Traffic != model.TrafficNext
		if !t.Share.Extra {
			stable.Replicas -= next.Replicas
		}
		placements = append(placements, stable, next)
	}
	return placements
}
