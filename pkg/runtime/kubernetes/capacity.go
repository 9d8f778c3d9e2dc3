package kubernetes

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/d-aros/d-aros/pkg/model"
)

// pools returns what the cluster offers to each pool of the platform, in order: nothing to those of other clusters.
func (r *Runtime) pools(platform *model.Platform) []model.Pool {
	if platform == nil {
		return nil
	}
	foreign := map[string]model.Resources{}
	for _, obj := range r.nodes.pods.GetStore().List() {
		pod := obj.(*corev1.Pod)
		if pod.Spec.NodeName == "" || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		foreign[pod.Spec.NodeName] = foreign[pod.Spec.NodeName].Add(amounts(pod.Spec.Containers[0].Resources.Requests, true))
	}
	var usable []*corev1.Node
	for _, obj := range r.nodes.nodes.GetStore().List() {
		if node := obj.(*corev1.Node); takesPods(node) {
			usable = append(usable, node)
		}
	}
	slices.SortFunc(usable, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	var pools []model.Pool
	for i := range platform.Pools {
		spec := &platform.Pools[i]
		if spec.Cluster != r.o.Cluster {
			pools = append(pools, model.Pool{Name: spec.Name})
			continue
		}
		pools = append(pools, pool(spec, usable, foreign))
	}
	slices.SortFunc(pools, func(a, b model.Pool) int { return cmp.Compare(a.Name, b.Name) })
	return pools
}

// pool sums up the nodes that belong to a pool, or takes what is declared.
func pool(spec *model.PoolSpec, usable []*corev1.Node, foreign map[string]model.Resources) model.Pool {
	p := model.Pool{Name: spec.Name}
	selector := labels.SelectorFromSet(spec.Selector)
	for _, node := range usable {
		if len(spec.Selector) == 0 || !selector.Matches(labels.Set(node.Labels)) {
			continue
		}
		offer := amounts(node.Status.Allocatable, false).Sub(foreign[node.Name]).Max(model.Resources{}) // pods may ask for more than their node offers now
		p.AddNode(offer, node.Labels, spec.TopologyKey)
	}
	if spec.Capacity != nil {
		p.Capacity = *spec.Capacity
	}
	return p
}

// takesPods reports whether a node is ready and new pods may be placed on it.
func takesPods(node *corev1.Node) bool {
	return !node.Spec.Unschedulable && isReady(node) && !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	})
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// amounts reads CPU, memory and devices. Fractions are rounded up in requests and down
// in offers, so that the capacity is never too large.
func amounts(list corev1.ResourceList, asked bool) model.Resources {
	var r model.Resources
	for name, q := range list {
		n := q.Value()
		if !asked && q.MilliValue() < n*1000 {
			n--
		}
		switch {
		case name == corev1.ResourceCPU:
			r.CPU = q.MilliValue()
		case name == corev1.ResourceMemory:
			r.Memory = n
		case device(string(name)) && n > 0:
			r = r.With(string(name), n)
		}
	}
	return r
}

// device reports whether a resource is a device. Other resources of Kubernetes (disk,
// huge pages, pods, volumes) are not arbitrated.
func device(name string) bool {
	domain, _, ok := strings.Cut(name, "/")
	return ok && domain != "kubernetes.io" && !strings.HasSuffix(domain, ".kubernetes.io")
}
