package render

import (
	"cmp"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// routes are the kinds that lead requests from outside, each with a function that reports
// the hosts and paths of an object. A host without a path is all of it. Policy allows the
// kinds that Kubernetes does not define; who allows another such kind trusts its tenants.
var routes = map[string]func(object map[string]any, add func(host, path string)){
	"Ingress.networking.k8s.io":                ingressHosts,
	"Ingress.extensions":                       ingressHosts,
	"HTTPRoute.gateway.networking.k8s.io":      routeHosts,
	"GRPCRoute.gateway.networking.k8s.io":      routeHosts,
	"TLSRoute.gateway.networking.k8s.io":       routeHosts,
	"Gateway.gateway.networking.k8s.io":        hostsIn("listeners", "hostname"),
	"ListenerSet.gateway.networking.k8s.io":    hostsIn("listeners", "hostname"),
	"XListenerSet.gateway.networking.x-k8s.io": hostsIn("listeners", "hostname"),
	"VirtualService.networking.istio.io":       meshHosts,
	"ServiceEntry.networking.istio.io":         meshHosts,
	"Gateway.networking.istio.io":              serverHosts,
	"Route.route.openshift.io":                 openShiftHost,
	"HTTPProxy.projectcontour.io":              proxyHost,
	"IngressRoute.traefik.io":                  ruleHosts,
	"IngressRouteTCP.traefik.io":               ruleHosts,
	"IngressRoute.traefik.containo.us":         ruleHosts,
	"IngressRouteTCP.traefik.containo.us":      ruleHosts,
	"DomainMapping.serving.knative.dev":        domainHost,
	"DNSEndpoint.externaldns.k8s.io":           hostsIn("endpoints", "dnsName"),
}

func ingressHosts(object map[string]any, add func(host, path string)) {
	spec := declared.Below(object, "spec")
	if spec["defaultBackend"] != nil || spec["backend"] != nil {
		add("", "/")
	}
	for _, rule := range declared.Elements(spec["rules"]) {
		paths := declared.Elements(declared.Below(rule, "http")["paths"])
		for _, p := range paths {
			add(declared.Word(rule["host"]), cmp.Or(declared.Word(p["path"]), "/"))
		}
		if len(paths) == 0 {
			add(declared.Word(rule["host"]), "/")
		}
	}
	for _, tls := range declared.Elements(spec["tls"]) {
		for _, host := range declared.Items(tls["hosts"]) {
			add(declared.Word(host), "")
		}
	}
}

func routeHosts(object map[string]any, add func(host, path string)) {
	spec := declared.Below(object, "spec")
	hosts := declared.Items(spec["hostnames"])
	if len(hosts) == 0 {
		hosts = []any{""}
	}
	for _, host := range hosts {
		for _, path := range routePaths(spec) {
			add(declared.Word(host), path)
		}
	}
}

// routePaths lists the paths that the rules of a route match.
func routePaths(spec map[string]any) (paths []string) {
	for _, rule := range declared.Elements(spec["rules"]) {
		matches := declared.Elements(rule["matches"])
		for _, m := range matches {
			path := declared.Word(declared.Below(m, "path")["value"])
			if method := declared.Below(m, "method"); len(method) > 0 { // of a GRPCRoute
				path = "/" + declared.Word(method["service"]) + "/" + declared.Word(method["method"])
			}
			paths = append(paths, cmp.Or(path, "/"))
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

// hostsIn returns a function that reports a field of each element of a list of the spec.
func hostsIn(list, field string) func(object map[string]any, add func(host, path string)) {
	return func(object map[string]any, add func(host, path string)) {
		for _, e := range declared.Elements(declared.Below(object, "spec")[list]) {
			add(declared.Word(e[field]), "")
		}
	}
}
