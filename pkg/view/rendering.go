package view

import "github.com/d-aros/d-aros/pkg/model"

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
