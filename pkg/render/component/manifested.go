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
// those that Services lead to. An Ingress among the objects lets clients in on all of them.
// Invalid ports and protocols open nothing: the API server refuses the object that has them.
func manifested(objects []*unstructured.Unstructured) (listens, entries []Listening) {
	add := func(port int32, protocol corev1.Protocol) {
		protocol = cmp.Or(protocol, corev1.ProtocolTCP)
		if known := []corev1.Protocol{corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP}; 0 < port && port <= 65535 && slices.Contains(known, protocol) {
			listens = append(listens, Listening{port, protocol})
		}
	}
	enters := false
	for _, u := range objects {
		kind := u.GroupVersionKind().GroupKind().String()
		enters = enters || kind == "Ingress.networking.k8s.io"
		if kind == "Service" {
			var s corev1.Service
			if runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &s) == nil {
				for _, p := range s.Spec.Ports {
					switch {
					case p.TargetPort.Type == intstr.String: // a port of a container by its name
					case p.TargetPort.IntVal != 0:
						add(p.TargetPort.IntVal, p.Protocol)
					default:
						add(p.Port, p.Protocol)
					}
				}
			}
		}
		if s, runs := manifest.Workloads[kind]; runs {
			for _, c := range manifest.Containers(manifest.PodSpec(u, s)) {
				for _, p := range c.Ports {
					add(p.ContainerPort, p.Protocol)
				}
			}
		}
	}
	if enters {
		entries = listens
	}
	return listens, entries
}
