package render

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/d-aros/d-aros/pkg/claim"
	"github.com/d-aros/d-aros/pkg/model"
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
	for _, o := range set.Objects {
		if o.Keep {
			continue
		}
		id := identity(o.Object)
		objects = append(objects, claim.Object{Namespace: o.Object.GetNamespace(), Name: id, Component: o.Component})
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
		kind := o.Object.GroupVersionKind().GroupKind()
		lead, leads := routes[kind.String()]
		if !leads {
			continue
		}
		lead(o.Object.Object, add)
		leading = append(leading, routeOf(o, id))
	}
	names := claim.New(set.App, hosts, objects, leading)
	names.Namespace = Namespace("", set.App, spec.Policy.Namespace)
	return names
}

// hostAnnotations name hosts that controllers serve or announce for an object, besides
// those of its fields.
var hostAnnotations = []string{
	"nginx.ingress.kubernetes.io/server-alias",
	"external-dns.alpha.kubernetes.io/hostname",
	"external-dns.alpha.kubernetes.io/internal-hostname",
}

// classAnnotation is the older way to write the class of an Ingress.
const classAnnotation = "kubernetes.io/ingress.class"

// routes are the kinds that lead requests from outside, each with a function that reports
// the hosts and paths of an object. A host without a path is all of it.
var routes = map[string]func(object map[string]any, add func(host, path string)){
	"Ingress.networking.k8s.io":                ingressHosts,
	"Ingress.extensions":                       ingressHosts,
	"HTTPRoute.gateway.networking.k8s.io":      routeHosts,
	"GRPCRoute.gateway.networking.k8s.io":      routeHosts,
	"TLSRoute.gateway.networking.k8s.io":       routeHosts,
	"Gateway.gateway.networking.k8s.io":        listenerHosts,
	"ListenerSet.gateway.networking.k8s.io":    listenerHosts,
	"XListenerSet.gateway.networking.x-k8s.io": listenerHosts,
}

// classFields are the fields with the class, by kind.
var classFields = map[string]string{"Ingress": "ingressClassName", "Gateway": "gatewayClassName"}

func routeOf(o Object, id string) claim.Route {
	r := claim.Route{Object: id, Component: o.Component}
	if field, has := classFields[o.Object.GetKind()]; has {
		r.HasClass = true
		r.Class, _, _ = unstructured.NestedString(o.Object.Object, "spec", field)
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

func ingressHosts(object map[string]any, add func(host, path string)) {
	spec := below(object, "spec")
	if spec["defaultBackend"] != nil || spec["backend"] != nil {
		add("", "/")
	}
	for _, rule := range elements(spec["rules"]) {
		paths := elements(below(rule, "http")["paths"])
		for _, p := range paths {
			add(word(rule["host"]), pathOr(word(p["path"])))
		}
		if len(paths) == 0 {
			add(word(rule["host"]), "/")
		}
	}
	for _, tls := range elements(spec["tls"]) {
		hosts, _ := tls["hosts"].([]any)
		for _, host := range hosts {
			add(word(host), "")
		}
	}
}

func routeHosts(object map[string]any, add func(host, path string)) {
	spec := below(object, "spec")
	hosts, _ := spec["hostnames"].([]any)
	if len(hosts) == 0 {
		hosts = []any{""}
	}
	for _, host := range hosts {
		for _, path := range routePaths(spec) {
			add(word(host), path)
		}
	}
}

// routePaths lists the paths that the rules of a route match.
func routePaths(spec map[string]any) (paths []string) {
	for _, rule := range elements(spec["rules"]) {
		matches := elements(rule["matches"])
		for _, m := range matches {
			path := word(below(m, "path")["value"])
			if method := below(m, "method"); len(method) > 0 { // of a GRPCRoute
				path = "/" + word(method["service"]) + "/" + word(method["method"])
			}
			paths = append(paths, pathOr(path))
		}
		if len(matches) == 0 {
			paths = append(paths, "/")
		}
	}
	if len(paths) == 0 {
		return []string{"/"}
	}
	return paths
}

func listenerHosts(object map[string]any, add func(host, path string)) {
	for _, l := range elements(below(object, "spec")["listeners"]) {
		add(word(l["hostname"]), "")
	}
}

func pathOr(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

// below returns a field that is an object, elements the objects of a list, and word a text.
// What is something else is refused by the API server, and has nothing here.
func below(object map[string]any, field string) map[string]any {
	m, _ := object[field].(map[string]any)
	return m
}

func elements(v any) (all []map[string]any) {
	list, _ := v.([]any)
	for _, e := range list {
		if m, ok := e.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

func word(v any) string {
	s, _ := v.(string)
	return s
}
