package render

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// A trait adds a capability to a component: it turns its part of the
// declaration into pieces of a pod and objects beside it.
type trait struct {
	name      string
	kinds     []string // of workloads that can have it, nil: all
	conflicts []string // traits that it excludes
	stable    bool     // a newer version beside the stable one does without
	process   func(traitContext) (traitResult, error)
}

// registry lists all traits in the order in which they are processed.
var registry = []trait{
	{name: "envFrom", process: envFrom},
	{name: "storage", process: storage},
	{name: "probes", process: probes},
	{name: "ingress", kinds: []string{"Deployment", "StatefulSet"}, stable: true, process: ingress},
	{name: "autoscale", kinds: []string{"Deployment"}, stable: true, process: autoscale},
}

// traitContext has the facts that a trait may use.
type traitContext struct {
	*workload
	kind     string // of the workload: Deployment, StatefulSet, DaemonSet, Job
	ports    []port
	declared json.RawMessage // the trait as declared
}

// decode reads the declaration of the trait.
func (c traitContext) decode(name string, into any) error {
	if err := decode(c.declared, into); err != nil {
		return faultf(CodeUnreadable, "traits."+name, "%v", err)
	}
	return nil
}

// traitResult has the parts that a trait adds.
type traitResult struct {
	initContainers []corev1.Container
	containers     []corev1.Container
	volumes        []corev1.Volume
	mounts         []corev1.VolumeMount
	env            []corev1.EnvVar
	envFrom        []corev1.EnvFromSource
	claimTemplates []corev1.PersistentVolumeClaim
	references     []string // config and secret components whose change is to reach the pods

	liveness, readiness, startup *corev1.Probe

	exclusive bool // two pods cannot run at the same time
	scales    bool // something else sets the number of replicas
}

func (r *traitResult) add(o traitResult) {
	r.initContainers = append(r.initContainers, o.initContainers...)
	r.containers = append(r.containers, o.containers...)
	r.volumes = append(r.volumes, o.volumes...)
	r.mounts = append(r.mounts, o.mounts...)
	r.env = append(r.env, o.env...)
	r.envFrom = append(r.envFrom, o.envFrom...)
	r.claimTemplates = append(r.claimTemplates, o.claimTemplates...)
	r.references = append(r.references, o.references...)
	if o.liveness != nil || o.readiness != nil || o.startup != nil {
		r.liveness, r.readiness, r.startup = o.liveness, o.readiness, o.startup
	}
	r.exclusive = r.exclusive || o.exclusive
	r.scales = r.scales || o.scales
}

// traits processes the traits of a component.
func (w *workload) traits(context traitContext) (traitResult, error) {
	var sum traitResult
	var declared map[string]json.RawMessage
	if err := decode(w.spec.Traits, &declared); err != nil {
		return sum, faultf(CodeUnreadable, "traits", "%v", err)
	}
	known := 0
	for _, t := range registry {
		raw, ok := declared[t.name]
		if !ok {
			continue
		}
		known++
		if t.kinds != nil && !slices.Contains(t.kinds, context.kind) {
			return sum, faultf(CodeConflict, "traits."+t.name, "is not for a %s", w.spec.Type)
		}
		for _, other := range t.conflicts {
			if _, both := declared[other]; both {
				return sum, faultf(CodeConflict, "traits."+t.name, "excludes trait %s", other)
			}
		}
		if t.stable && w.track == TrackNext {
			continue
		}
		context.declared = raw
		result, err := t.process(context)
		if err != nil {
			return sum, err
		}
		sum.add(result)
	}
	if known < len(declared) {
		return sum, faultf(CodeUnreadable, "traits", "has a trait that is not known")
	}
	if sum.scales && sum.exclusive {
		return sum, faultf(CodeConflict, "traits.autoscale", "excludes persistent storage, which belongs to one replica")
	}
	return sum, nil
}
