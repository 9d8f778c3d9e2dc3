package render

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/model"
)

func (p port) exposed() bool { return p.Expose == nil || *p.Expose }

func (p port) protocol() corev1.Protocol {
	if p.Protocol == "" {
		return corev1.ProtocolTCP
	}
	return corev1.Protocol(p.Protocol)
}

// target returns the port of the container.
func (p port) target() int32 {
	if p.TargetPort != 0 {
		return p.TargetPort
	}
	return p.Port
}

// name returns the declared name, or a name such as tcp-8080.
func (p port) name() string {
	if p.Name != "" {
		return p.Name
	}
	return fmt.Sprintf("%s-%d", strings.ToLower(string(p.protocol())), p.Port)
}

// containerPorts renders the ports that a container listens on.
func containerPorts(ports []port) ([]corev1.ContainerPort, error) {
	var listening []corev1.ContainerPort
	taken, bound := map[string]bool{}, map[string]bool{}
	for _, p := range ports {
		number := fmt.Sprintf("%d/%s", p.Port, p.protocol())
		if taken[number] || taken[p.name()] {
			return nil, faultf(CodeConflict, "properties.ports", "says port %s (%s) twice", number, p.name())
		}
		taken[number], taken[p.name()] = true, true
		// Two ports of the Service may lead to one port of the container.
		if target := fmt.Sprintf("%d/%s", p.target(), p.protocol()); !bound[target] {
			bound[target] = true
			listening = append(listening, corev1.ContainerPort{Name: p.name(), ContainerPort: p.target(), Protocol: p.protocol()})
		}
	}
	return listening, nil
}

// service renders the Service of the exposed ports, if there are any. A headless Service
// gives every pod its own name, and exists without ports, too. While two versions run,
// it selects those that receive requests.
func (w *workload) service(ports []port, headless bool) {
	var exposed []corev1.ServicePort
	for _, p := range ports {
		if p.exposed() {
			exposed = append(exposed, corev1.ServicePort{
				Name: p.name(), Protocol: p.protocol(), Port: p.Port, TargetPort: intstr.FromInt32(p.target()),
			})
		}
	}
	spec := corev1.ServiceSpec{Ports: exposed, Selector: w.app.selector(w.spec.Name)}
	if w.traffic != model.TrafficBoth {
		spec.Selector[LabelTrack] = string(w.traffic)
	}
	switch {
	case headless:
		spec.ClusterIP = corev1.ClusterIPNone
	case len(exposed) == 0:
		return
	}
	w.out.add(&corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{Name: w.name},
		Spec:       spec,
	})
}
