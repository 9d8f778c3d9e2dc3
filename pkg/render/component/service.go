package component

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/trait"
)

// containerPorts renders the ports that a container listens on.
func containerPorts(ports []declared.Port) ([]corev1.ContainerPort, error) {
	var listening []corev1.ContainerPort
	taken, bound := map[string]bool{}, map[string]bool{}
	for _, p := range ports {
		number := fmt.Sprintf("%d/%s", p.Port, p.Transport())
		if taken[number] || taken[p.Label()] {
			return nil, declared.Faultf(declared.CodeConflict, "properties.ports", "says port %s (%s) twice", number, p.Label())
		}
		taken[number], taken[p.Label()] = true, true
		// Two ports of the Service may lead to one port of the container.
		if target := fmt.Sprintf("%d/%s", p.Target(), p.Transport()); !bound[target] {
			bound[target] = true
			listening = append(listening, corev1.ContainerPort{Name: p.Label(), ContainerPort: p.Target(), Protocol: p.Transport()})
		}
	}
	return listening, nil
}

// service renders the Service of the exposed ports, if there are any. A headless Service
// gives every pod its own name, and exists without ports, too. While two versions run,
// it selects those that receive requests.
func (o *Output) service(in Input, ports []declared.Port, reached trait.Service, headless bool) {
	var exposed []corev1.ServicePort
	for _, p := range ports {
		if p.Exposed() {
			exposed = append(exposed, corev1.ServicePort{
				Name: p.Label(), Protocol: p.Transport(), Port: p.Port, TargetPort: intstr.FromInt32(p.Target()),
			})
		}
	}
	spec := corev1.ServiceSpec{Ports: exposed, Selector: Selector(in.App.ID, in.Spec.Name)}
	if in.Traffic != model.TrafficBoth {
		spec.Selector[LabelTrack] = string(in.Traffic)
	}
	switch {
	case headless:
		spec.ClusterIP = corev1.ClusterIPNone
	case len(exposed) == 0:
		return
	}
	add := func(name string) {
		o.add(&corev1.Service{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       spec,
		})
	}
	if reached.Name != "" {
		add(reached.Name)
	}
	spec.Type = reached.Type
	add(in.Name)
}
