package trait

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{
	Name: "service", Kinds: []string{"Deployment", "StatefulSet"}, Stable: true, Machines: true,
	Process: reading("service", service),
})

// reached is the declaration of the service trait.
type reached struct {
	Name string             `json:"name"`
	Type corev1.ServiceType `json:"type"`
}

// service gives the component a further name, and another type to its Service.
func service(c Context, r reached) (patch Patch, err error) {
	var exposed []declared.Port
	for _, p := range c.Ports {
		if p.Exposed() {
			exposed = append(exposed, p)
		}
	}
	switch {
	case exposed == nil:
		return patch, declared.Faultf(declared.CodeReference, "traits.service", "has nothing to lead to: the component exposes no port")
	case r.Type != "" && c.Kind == "StatefulSet":
		return patch, declared.Faultf(declared.CodeConflict, "traits.service.type", "is not for a %s, whose replicas have names of their own", c.Component.Type)
	case r.Name == c.Name:
		return patch, declared.Faultf(declared.CodeConflict, "traits.service.name", "is %s, which the component has already", r.Name)
	}
	if r.Type != "" {
		patch.Entries = exposed
	}
	patch.Service = Service(r)
	return patch, nil
}
