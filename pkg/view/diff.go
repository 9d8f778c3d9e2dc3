package view

import "github.com/d-aros/d-aros/pkg/model"

// Diff is what in a cluster is not as the fleet wants it.
type Diff struct {
	Objects    int               `json:"objects"` // that are wanted
	Deviations []model.Deviation `json:"deviations"`
	Notes      []string          `json:"notes"`
}

// DiffOf returns the answer with empty lists in the place of nil ones.
func DiffOf(objects int, deviations []model.Deviation, notes []string) Diff {
	return Diff{Objects: objects, Deviations: append([]model.Deviation{}, deviations...), Notes: append([]string{}, notes...)}
}

// Count returns how many objects deviate in a way.
func (d *Diff) Count(state model.DeviationState) (n int) {
	for i := range d.Deviations {
		if d.Deviations[i].State == state {
			n++
		}
	}
	return n
}

// Rendering is the objects that a cluster gets of an application or of a tenant.
type Rendering struct {
	Objects  []map[string]any `json:"objects"`  // in the order in which they are applied
	Problems []model.Problem  `json:"problems"` // why applications have none
	Notes    []string         `json:"notes"`
}

// RenderingOf returns the answer with empty lists in the place of nil ones.
func RenderingOf(objects []map[string]any, problems []model.Problem, notes []string) Rendering {
	return Rendering{append([]map[string]any{}, objects...), append([]model.Problem{}, problems...), append([]string{}, notes...)}
}
