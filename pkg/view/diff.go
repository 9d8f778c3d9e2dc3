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
