package manifest

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// AdmitUsage refuses objects whose pods together request more than the component was
// granted: arbitration counted only the grant.
func (a Admission) AdmitUsage(path string, objects []*unstructured.Unstructured) error {
	most, err := scaled(path, objects)
	if err != nil {
		return err
	}
	for _, n := range slices.Sorted(maps.Values(most)) {
		if err := a.admitCount(path, "spec.maxReplicas", n); err != nil {
			return err
		}
	}
	var asked model.Resources
	for _, u := range objects {
		kind := u.GroupVersionKind().GroupKind().String()
		s, runs := Workloads[kind]
		if !runs {
			continue
		}
		n, err := a.replicas(path, u, kind, s)
		if err != nil {
			return err
		}
		asked = asked.Add(podRequests(PodSpec(u, s)).Times(max(n, most[kind+" "+u.GetName()])))
	}
	granted := a.Grant.Requests.Times(a.Grant.Replicas)
	if over := asked.Exceeds(granted); over != nil {
		return declared.Against("resources.requests."+over[0], declared.CodeUndeclared, path, "asks for %s, but the component was granted %s (%s): declare it in resources.requests and replicas",
			asked, granted, strings.Join(over, ", "))
	}
	return nil
}

// replicas returns the number of pods of a workload. For a DaemonSet, whose nodes are
// not known here, it is the number of replicas that the component declares.
func (a Admission) replicas(path string, u *unstructured.Unstructured, kind string, s Shape) (int, error) {
	if kind == "DaemonSet.apps" {
		return max(1, a.Grant.Replicas), nil
	}
	if s.Replicas == nil {
		return 1, nil
	}
	v, there, err := unstructured.NestedFieldNoCopy(u.Object, s.Replicas...)
	if err == nil && !there {
		return 1, nil
	}
	n, ok := v.(int64)
	if err != nil || !ok || n < 0 || n > 1<<20 {
		return 0, declared.Faultf(declared.CodeUnreadable, path, "has %s that is not a count", strings.Join(s.Replicas, "."))
	}
	return int(n), a.admitCount(path, strings.Join(s.Replicas, "."), int(n))
}

// admitCount refuses more pods of a workload than policy allows.
func (a Admission) admitCount(path, field string, n int) error {
	if most := a.Policy.MaxReplicas; most > 0 && n > most {
		return declared.Against("policy.limits.maxReplicas", declared.CodeField, path, "has %s of %d, policy allows %d (limits.maxReplicas)", field, n, most)
	}
	return nil
}

// scaled returns the maximum replicas of the autoscalers among the objects, by the
// identity of the workload that each scales. That workload must be among the objects.
func scaled(path string, objects []*unstructured.Unstructured) (map[string]int, error) {
	there := map[string]bool{}
	for _, u := range objects {
		there[Identity(u)] = true
	}
	most := map[string]int{}
	for _, u := range objects {
		if u.GroupVersionKind().GroupKind().String() != Autoscaler {
			continue
		}
		ref, _, _ := unstructured.NestedStringMap(u.Object, "spec", "scaleTargetRef")
		kind := schema.FromAPIVersionAndKind(ref["apiVersion"], ref["kind"]).GroupKind()
		target := kind.String() + " " + ref["name"]
		if !there[target] {
			return nil, declared.Faultf(declared.CodeReference, path, "scales %s, which the component does not bring", target)
		}
		n, _, _ := unstructured.NestedInt64(u.Object, "spec", "maxReplicas")
		if n < 1 || n > 1<<20 {
			return nil, declared.Faultf(declared.CodeUnreadable, path, "has an Autoscaler without spec.maxReplicas")
		}
		most[target] = max(most[target], int(n))
	}
	return most, nil
}

// podRequests returns the requests that the scheduler counts for a pod, at most: the
// sum of its containers and sidecars, the largest init container with the sidecars
// before it, or the requests of the pod as a whole.
func podRequests(spec *corev1.PodSpec) model.Resources {
	var sum, largest model.Resources
	for _, c := range spec.InitContainers {
		asked := requests(c.Resources)
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sum = sum.Add(asked)
			largest = largest.Max(sum)
		} else {
			largest = largest.Max(sum.Add(asked))
		}
	}
	for _, c := range spec.Containers {
		sum = sum.Add(requests(c.Resources))
	}
	sum = sum.Max(largest)
	if spec.Resources != nil {
		sum = sum.Max(requests(*spec.Resources))
	}
	for name, q := range spec.Overhead {
		sum = sum.Add(amount(name, q))
	}
	return sum
}

// requests returns the requests of a container. A limit without a request counts as
// one.
func requests(r corev1.ResourceRequirements) model.Resources {
	var sum model.Resources
	for name, q := range r.Requests {
		sum = sum.Add(amount(name, q))
	}
	for name, q := range r.Limits {
		if _, said := r.Requests[name]; !said {
			sum = sum.Add(amount(name, q))
		}
	}
	return sum
}

// amount converts one entry of a list of resources. Storage is not arbitrated.
func amount(name corev1.ResourceName, q resource.Quantity) model.Resources {
	switch {
	case name == corev1.ResourceCPU:
		return model.Resources{CPU: max(0, q.MilliValue())}
	case name == corev1.ResourceMemory:
		return model.Resources{Memory: max(0, q.Value())}
	case strings.Contains(string(name), "/"):
		return model.Resources{Devices: map[string]int64{string(name): max(0, q.Value())}}
	}
	return model.Resources{}
}
