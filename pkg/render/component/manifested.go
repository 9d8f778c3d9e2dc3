package component

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// manifested returns the ports of pods that an owner wrote: those of the containers, and
// those that Services lead to. An Ingress among the objects lets clients in on all of them, an
// HTTPRoute on those that it leads to.
func (in Input) manifested(objects []*unstructured.Unstructured) (listens, entries []Listening) {
	add := func(port int32, protocol corev1.Protocol) { listens = append(listens, valid(port, protocol)...) }
	enters := false
	for _, u := range objects {
		kind := u.GroupVersionKind().GroupKind().String()
		enters = enters || kind == "Ingress.networking.k8s.io"
		for _, p := range servicePorts(u) {
			if p.TargetPort.Type == intstr.Int { // else a port of a container by its name
				add(cmp.Or(p.TargetPort.IntVal, p.Port), p.Protocol)
			}
		}
	}
	for _, p := range podPorts(objects) {
		add(p.ContainerPort, p.Protocol)
	}
	if enters {
		return listens, listens
	}
	for _, u := range objects {
		if u.GroupVersionKind().GroupKind().String() == "HTTPRoute.gateway.networking.k8s.io" && in.ofAllowedGateways(u) {
			entries = append(entries, in.routed(u, objects)...)
		}
	}
	return listens, entries
}

// podPorts returns the ports of the containers of objects.
func podPorts(objects []*unstructured.Unstructured) (all []corev1.ContainerPort) {
	for _, u := range objects {
		if s, runs := manifest.Workloads[u.GroupVersionKind().GroupKind().String()]; runs {
			for _, c := range manifest.Containers(manifest.PodSpec(u, s)) {
				all = append(all, c.Ports...)
			}
		}
	}
	return all
}

// valid returns a port of pods. Invalid ports and protocols are none: the API server refuses the
// object that has them.
func valid(port int32, protocol corev1.Protocol) []Listening {
	protocol = cmp.Or(protocol, corev1.ProtocolTCP)
	if known := []corev1.Protocol{corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP}; port <= 0 || port > 65535 || !slices.Contains(known, protocol) {
		return nil
	}
	return []Listening{{port, protocol}}
}

// servicePorts returns the ports of an object that is a Service.
func servicePorts(u *unstructured.Unstructured) []corev1.ServicePort {
	var s corev1.Service
	if u.GroupVersionKind().GroupKind().String() != "Service" || runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &s) != nil {
		return nil
	}
	return s.Spec.Ports
}
