package render

import (
	"encoding/json"
	"slices"
)

// A trait adds a capability to a component: it adds to the pods, or adds objects
// beside them.
type trait struct {
	name    string
	kinds   []string // of workloads that can have it, nil: all
	stable  bool     // a newer version beside the stable one does without
	process func(*pod, json.RawMessage) error
}

// registry lists all traits in the order in which they are processed.
var registry = []trait{
	{name: "envFrom", process: reading("envFrom", (*pod).envFrom)},
	{name: "storage", process: reading("storage", (*pod).storage)},
	{name: "probes", process: reading("probes", (*pod).probes)},
	{name: "init", process: reading("init", (*pod).initContainers)},
	{name: "sidecars", process: reading("sidecars", (*pod).sidecars)},
	{name: "security", process: reading("security", (*pod).secure)},
	{name: "lifecycle", process: reading("lifecycle", (*pod).hooks)},
	{name: "ingress", process: reading("ingress", (*pod).ingress), kinds: []string{"Deployment", "StatefulSet"}, stable: true},
	{name: "disruption", process: reading("disruption", (*pod).disruption), kinds: []string{"Deployment", "StatefulSet"}, stable: true},
	{name: "autoscale", process: reading("autoscale", (*pod).autoscale), kinds: []string{"Deployment"}, stable: true},
}

// reading makes a function that reads the declaration of a trait and processes it.
func reading[T any](name string, process func(*pod, T) error) func(*pod, json.RawMessage) error {
	return func(p *pod, declared json.RawMessage) error {
		var v T
		if err := decode(declared, &v); err != nil {
			return faultf(CodeUnreadable, "traits."+name, "%v", err)
		}
		return process(p, v)
	}
}

// addTraits processes the traits of the component.
func (p *pod) addTraits() error {
	var declared map[string]json.RawMessage
	if err := decode(p.spec.Traits, &declared); err != nil {
		return faultf(CodeUnreadable, "traits", "%v", err)
	}
	known := 0
	for _, t := range registry {
		raw, ok := declared[t.name]
		if !ok {
			continue
		}
		known++
		if t.kinds != nil && !slices.Contains(t.kinds, p.kind) {
			return faultf(CodeConflict, "traits."+t.name, "is not for a %s", p.spec.Type)
		}
		if t.stable && p.track == TrackNext {
			continue
		}
		if err := t.process(p, raw); err != nil {
			return err
		}
	}
	if known < len(declared) {
		return faultf(CodeUnreadable, "traits", "has a trait that is not known")
	}
	if p.scales && p.exclusive {
		return faultf(CodeConflict, "traits.autoscale", "excludes persistent storage, which belongs to one replica")
	}
	return nil
}
