package trait

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{
	Name: "ingress", Kinds: []string{"Deployment", "StatefulSet"}, Stable: true, Machines: true,
	Process: reading("ingress", ingress),
})

// route leads requests for a host and path to a port of the component.
type route struct {
	Host        string             `json:"host"`
	Port        intstr.IntOrString `json:"port"`
	Path        string             `json:"path"`
	PathType    string             `json:"pathType"`
	ClassName   string             `json:"className"`
	TLS         string             `json:"tls"`
	Annotations map[string]string  `json:"annotations"`
}

// ingress renders one Ingress for all routes of the component.
func ingress(c Context, routes []route) (patch Patch, err error) {
	if len(routes) == 0 {
		return patch, nil
	}
	object := &networkingv1.Ingress{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "Ingress"},
		ObjectMeta: metav1.ObjectMeta{Name: c.Name},
	}
	secrets := map[string][]string{} // hosts by the secret that has their certificate
	for i, r := range routes {
		path := fmt.Sprintf("traits.ingress.%d", i)
		n := slices.IndexFunc(c.Ports, func(p declared.Port) bool { return p.Is(r.Port) && p.Exposed() })
		if n < 0 {
			return patch, declared.Faultf(declared.CodeReference, path+".port", "leads to port %s, which the component does not expose", r.Port.String())
		}
		if err := cmp.Or(declared.RefuseReserved(path, nil, r.Annotations), takeOver(object, path, r)); err != nil {
			return patch, err
		}
		if r.TLS != "" {
			secrets[r.TLS] = append(secrets[r.TLS], r.Host)
		}
		addPath(object, r, c.Name, c.Ports[n].Port)
		patch.Entries = append(patch.Entries, c.Ports[n])
	}
	slices.SortFunc(object.Spec.Rules, func(a, b networkingv1.IngressRule) int { return strings.Compare(a.Host, b.Host) })
	for secret, hosts := range secrets {
		slices.Sort(hosts)
		object.Spec.TLS = append(object.Spec.TLS, networkingv1.IngressTLS{SecretName: secret, Hosts: slices.Compact(hosts)})
	}
	slices.SortFunc(object.Spec.TLS, func(a, b networkingv1.IngressTLS) int { return strings.Compare(a.SecretName, b.SecretName) })
	patch.Objects = []runtime.Object{object}
	return patch, nil
}

// takeOver adds the class and the annotations of a route to the Ingress. It refuses
// routes that contradict each other.
func takeOver(object *networkingv1.Ingress, path string, r route) error {
	if r.ClassName != "" {
		if was := object.Spec.IngressClassName; was != nil && *was != r.ClassName {
			return declared.Faultf(declared.CodeConflict, path+".className", "is %s, another route says %s", r.ClassName, *was)
		}
		object.Spec.IngressClassName = &r.ClassName
	}
	for k, v := range r.Annotations {
		if was, ok := object.Annotations[k]; ok && was != v {
			return declared.Faultf(declared.CodeConflict, path+".annotations", "says %s differently than another route", k)
		}
	}
	object.Annotations = declared.Merge(object.Annotations, r.Annotations)
	return nil
}

// addPath adds a route to the rule of its host, in order of paths.
func addPath(object *networkingv1.Ingress, r route, service string, port int32) {
	i := slices.IndexFunc(object.Spec.Rules, func(rule networkingv1.IngressRule) bool { return rule.Host == r.Host })
	if i < 0 {
		i = len(object.Spec.Rules)
		object.Spec.Rules = append(object.Spec.Rules, networkingv1.IngressRule{
			Host: r.Host, IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{}},
		})
	}
	http := object.Spec.Rules[i].HTTP
	http.Paths = append(http.Paths, networkingv1.HTTPIngressPath{
		Path:     cmp.Or(r.Path, "/"),
		PathType: new(networkingv1.PathType(cmp.Or(r.PathType, "Prefix"))),
		Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{
			Name: service, Port: networkingv1.ServiceBackendPort{Number: port},
		}},
	})
	slices.SortFunc(http.Paths, func(a, b networkingv1.HTTPIngressPath) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(string(*a.PathType), string(*b.PathType)),
			cmp.Compare(a.Backend.Service.Port.Number, b.Backend.Service.Port.Number))
	})
}
