package model

import (
	"maps"
	"slices"
	"strings"
)

// Adoption names objects of the cluster that others made and that an application takes
// over: one by kind and name, or all those with certain labels.
type Adoption struct {
	Kind     string            `json:"kind,omitempty"` // with its group, as in Deployment.apps
	Name     string            `json:"name,omitempty"`
	Selector map[string]string `json:"selector,omitempty"`
	Prune    bool              `json:"prune,omitempty"` // the objects are deleted once nothing wants them; else they stay
}

// Takes reports whether an object is one of those that a names.
func (a *Adoption) Takes(kind, name string, labels map[string]string) bool {
	if len(a.Selector) == 0 {
		return a.Kind == kind && a.Name == name
	}
	for key, value := range a.Selector {
		if has, ok := labels[key]; !ok || has != value {
			return false
		}
	}
	return true
}

// String names the objects for people.
func (a *Adoption) String() string {
	if len(a.Selector) == 0 {
		return a.Kind + " " + a.Name
	}
	var labels []string
	for _, key := range slices.Sorted(maps.Keys(a.Selector)) {
		labels = append(labels, key+"="+a.Selector[key])
	}
	return "objects with " + strings.Join(labels, ", ")
}
