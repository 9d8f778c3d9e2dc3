package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/claim"
)

// names renders one component and returns what its objects take, without the objects.
func names(t *testing.T, component string) *claim.Names {
	s := readScenario(t, []byte("kinds: [Ingress, Service, HTTPRoute.gateway.networking.k8s.io, GRPCRoute.gateway.networking.k8s.io, TLSRoute.gateway.networking.k8s.io, Gateway.gateway.networking.k8s.io]\nregistries: [ghcr.io/acme]\ncomponents: ["+component+"]"))
	in := s.input(t, nil)
	set, err := Application(in)
	require.NoError(t, err)
	return Names(set, in.Instance.Spec)
}

func rawNames(t *testing.T, object string) *claim.Names {
	return names(t, "{name: r, type: raw, properties: {objects: ["+object+"]}}")
}

// TestHosts: every way to ask for the requests of a host is found.
func TestHosts(t *testing.T) {
	host := func(name, path string) claim.Host { return claim.Host{Name: name, Path: path, Component: "r"} }
	ingress := func(spec string) string {
		return `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}, spec: {` + spec + `}}`
	}
	route := func(kind, spec string) string {
		return `{apiVersion: gateway.networking.k8s.io/v1, kind: ` + kind + `, metadata: {name: a}, spec: {` + spec + `}}`
	}
	for object, want := range map[string][]claim.Host{
		ingress(`rules: [{host: a.example.com, http: {paths: [{path: /x}, {path: /y}]}}]`): {host("a.example.com", "/x"), host("a.example.com", "/y")},
		ingress(`rules: [{host: "*.example.com"}]`):                                        {host("*.example.com", "/")},
		ingress(`rules: [{host: A.Example.COM}]`):                                          {host("a.example.com", "/")},
		ingress(`rules: [{host: a.example.com.}]`):                                         {host("a.example.com", "/")},
		ingress(`rules: [{http: {paths: [{path: /x}]}}]`):                                  {host("*", "/x")},
		ingress(`rules: [{host: ""}]`):                                                     {host("*", "/")},
		ingress(`defaultBackend: {service: {name: a}}`):                                    {host("*", "/")},
		ingress(`tls: [{hosts: [b.example.com], secretName: s}]`):                          {host("b.example.com", "")},
		ingress(`rules: nonsense`):                                                         nil,
		`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a, annotations: {nginx.ingress.kubernetes.io/server-alias: "c.example.com, ~^d"}}}`: {host("*", ""), host("c.example.com", "")},
		`{apiVersion: v1, kind: Service, metadata: {name: a, annotations: {external-dns.alpha.kubernetes.io/hostname: "e.example.com,f.example.com"}}, spec: {ports: [{port: 80}]}}`: {
			host("e.example.com", ""), host("f.example.com", "")},
		route("HTTPRoute", `hostnames: [a.example.com, "*.b.example.com"], rules: [{matches: [{path: {value: /x}}, {headers: []}]}]`): {
			host("*.b.example.com", "/"), host("*.b.example.com", "/x"), host("a.example.com", "/"), host("a.example.com", "/x")},
		route("HTTPRoute", `rules: []`): {host("*", "/")},
		route("GRPCRoute", `hostnames: [a.example.com], rules: [{matches: [{method: {service: s.S, method: M}}]}]`): {host("a.example.com", "/s.S/M")},
		route("TLSRoute", `hostnames: [a.example.com], rules: [{backendRefs: []}]`):                                 {host("a.example.com", "/")},
		route("Gateway", `gatewayClassName: g, listeners: [{hostname: a.example.com}, {name: every}]`):              {host("*", ""), host("a.example.com", "")},
	} {
		require.Equal(t, want, rawNames(t, object).Hosts, object)
	}
}

// TestHostsOfTheTrait: the trait takes its hosts like an object that its owner wrote.
func TestHostsOfTheTrait(t *testing.T) {
	n := names(t, `{name: web, type: webservice, requests: {cpu: 100m, memory: 64Mi}, properties: {image: ghcr.io/acme/shop:1, ports: [{port: 80, protocol: TCP, expose: true}]},
		traits: {ingress: [{host: a.example.com, port: 80, path: /x, className: public, tls: s, annotations: {example.com/a: b}}]}}`)
	require.Equal(t, []claim.Host{{Name: "a.example.com", Component: "web"}, {Name: "a.example.com", Path: "/x", Component: "web"}}, n.Hosts)
	require.Equal(t, []claim.Route{{Object: "Ingress.networking.k8s.io shop-web", Component: "web", Class: "public", HasClass: true, Annotations: []string{"example.com/a"}}}, n.Routes)
	require.Contains(t, n.Objects, claim.Object{Namespace: "acme", Name: "Deployment.apps shop-web", Component: "web"})
}

// TestClasses: the class of a route, where it is written.
func TestClasses(t *testing.T) {
	for object, want := range map[string]claim.Route{
		`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a, annotations: {kubernetes.io/ingress.class: old}}}`:                                {Class: "old", HasClass: true},
		`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a, annotations: {kubernetes.io/ingress.class: old}}, spec: {ingressClassName: new}}`: {Class: "new", HasClass: true, Annotations: []string{"kubernetes.io/ingress.class"}},
		`{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: a}, spec: {gatewayClassName: g}}`:                                            {Class: "g", HasClass: true},
		`{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: a}, spec: {}}`:                                                             {},
	} {
		got := rawNames(t, object).Routes
		require.Len(t, got, 1)
		want.Component, want.Object = "r", got[0].Object
		require.Equal(t, want, got[0], object)
	}
}
