package render

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/d-aros/d-aros/pkg/claim"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/component"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// Names returns the names that the objects of a set take: their own, the hosts whose
// requests they lead to the application, and a namespace that is the application's own.
func Names(set Set, spec *model.Application) *claim.Names {
	var hosts []claim.Host
	var objects []claim.Object
	if spec.Policy.Namespace == "application" {
		objects = append(objects, claim.Object{Name: claim.Namespace + set.Namespace})
	}
	var leading []claim.Route
	var open []claim.Service
	for _, o := range set.Objects {
		id := manifest.Identity(o.Object)
		for _, taken := range taken(o.Object) {
			objects = append(objects, claim.Object{Namespace: o.Object.GetNamespace(), Name: ofJobs.ReplaceAllString(taken, "$1*"), Component: o.Component})
		}
		if o.Keep {
			continue // it has only its identity
		}
		add := func(host, path string) {
			host = strings.ToLower(strings.TrimSuffix(host, "."))
			if validation.IsDNS1123Subdomain(strings.TrimPrefix(host, "*.")) != nil {
				host = claim.Every // no host, or a pattern
			}
			hosts = append(hosts, claim.Host{Name: host, Path: path, Component: o.Component})
		}
		for _, key := range hostAnnotations {
			for _, host := range strings.FieldsFunc(o.Object.GetAnnotations()[key], func(r rune) bool { return r == ',' || r == ' ' }) {
				add(host, "")
			}
		}
		kind := o.Object.GroupVersionKind().GroupKind().String()
		if of := declared.Word(declared.Below(o.Object.Object, "spec")["type"]); kind == "Service" && of != "" && of != "ClusterIP" { // reachable from outside
			open = append(open, claim.Service{Object: id, Component: o.Component, Type: of})
			objects = append(objects, entrances(o)...)
			leading = append(leading, routeOf(o, id))
		}
		if lead, leads := routes[kind]; leads {
			lead(o.Object.Object, add)
			leading = append(leading, routeOf(o, id))
		}
	}
	names := claim.New(set.App, hosts, objects, leading)
	names.Services = open
	names.Namespace = Namespace("", set.App, spec.Policy.Namespace)
	return names
}

// ofJobs are the names of the Jobs of a component and of a step. Each ends with a digest that
// another grant or attempt changes, so that what is before it is taken.
var ofJobs = regexp.MustCompile(`^(Job\.batch .+-)[0-9a-f]{8}$`)

// hostAnnotations name hosts that controllers serve or announce for an object, besides
// those of its fields.
var hostAnnotations = []string{
	"nginx.ingress.kubernetes.io/server-alias",
	"external-dns.alpha.kubernetes.io/hostname",
	"external-dns.alpha.kubernetes.io/internal-hostname",
}

// classAnnotation is the older way to write the class of an Ingress.
const classAnnotation = "kubernetes.io/ingress.class"

// classFields are the fields with the class, by kind.
var classFields = map[string]string{
	"Ingress.networking.k8s.io":         "ingressClassName",
	"Ingress.extensions":                "ingressClassName",
	"Gateway.gateway.networking.k8s.io": "gatewayClassName",
	"HTTPProxy.projectcontour.io":       "ingressClassName",
	"Service":                           "loadBalancerClass",
}

func routeOf(o Object, id string) claim.Route {
	kind := o.Object.GroupVersionKind().GroupKind().String()
	r := claim.Route{Object: id, Component: o.Component}
	if field, has := classFields[kind]; has {
		r.Class = declared.Word(declared.Below(o.Object.Object, "spec")[field])
		r.HasClass = kind != "Service" || r.Class != "" // without one, its type alone says who serves it
	}
	for key, value := range o.Object.GetAnnotations() {
		switch {
		case strings.HasPrefix(key, Domain):
		case key == classAnnotation && r.HasClass && r.Class == "":
			r.Class = value
		default:
			r.Annotations = append(r.Annotations, key)
		}
	}
	slices.Sort(r.Annotations)
	return r
}

// taken lists the identities that an object takes: its own, and that of the Secret that is
// made of it.
func taken(u *unstructured.Unstructured) []string {
	ids := []string{manifest.Identity(u)}
	if u.GroupVersionKind().GroupKind().String() != component.ExternalSecret {
		return ids
	}
	name, _, _ := unstructured.NestedString(u.Object, "spec", "target", "name")
	return append(ids, "Secret "+cmp.Or(name, u.GetName()))
}
