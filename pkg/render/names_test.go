package render

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/claim"
	"github.com/d-aros/d-aros/pkg/model"
)

// names renders one component and returns what its objects take, without the objects.
func names(t *testing.T, component string) *claim.Names {
	kinds := strings.Join(append(slices.Sorted(maps.Keys(routes)), "Ingress", "Service", "Job", "Service.serving.knative.dev"), ", ")
	s := readScenario(t, []byte("kinds: ["+kinds+"]\nregistries: [ghcr.io/acme]\ncomponents: ["+component+"]"))
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

// TestHostsOfForeignKinds: kinds that Kubernetes does not define take hosts, too, in every way in
// which they can; what cannot be told counts as every host.
func TestHostsOfForeignKinds(t *testing.T) {
	for kind, cases := range map[string]map[string][]string{
		"networking.istio.io/v1 VirtualService": {
			`hosts: [a.example.com, "*.b.example.com"]`: {"*.b.example.com", "a.example.com"},
			`hosts: [A.Example.COM.], gateways: [mesh]`: {"a.example.com"},
			`hosts: ["*"]`:               {"*"},
			`hosts: ["*-a.example.com"]`: {"*"},
			`hosts: [db, db.acme.svc, db.acme.svc.cluster.local, DB.acme.svc]`: nil,
			`hosts: [db.acme]`:                     {"db.acme"},
			`hosts: [db.globex.svc.cluster.local]`: {"*"},
			`hosts: [db.Globex.SVC]`:               {"*"},
			`hosts: ["*.acme.svc.cluster.local"]`:  {"*"},
			`hosts: [x.cluster.local]`:             {"x.cluster.local"},
			`hosts: [a.acme.svc.example.com]`:      {"*"},
			`hosts: [{}]`:                          {"*"},
			`hosts: nonsense`:                      nil,
			`http: [{route: [{destination: {host: db.globex.svc.cluster.local}}]}]`: nil,
		},
		"networking.istio.io/v1 ServiceEntry": {`hosts: [a.example.com]`: {"a.example.com"}},
		"networking.istio.io/v1 Gateway": {
			`servers: [{hosts: [a.example.com, "acme/b.example.com", "./*.c.example.com"]}, {hosts: ["*/d.example.com"]}]`: {"*.c.example.com", "a.example.com", "b.example.com", "d.example.com"},
			`servers: [{hosts: ["*"]}, {hosts: ["acme/*"]}]`:                                                               {"*"},
			`servers: [{hosts: ["acme/x/globex.example.com"]}]`:                                                            {"*"},
		},
		"route.openshift.io/v1 Route": {
			`host: a.example.com, path: /x`:                    {"a.example.com/x"},
			`host: a.example.com`:                              {"a.example.com/"},
			`host: www.example.com, wildcardPolicy: Subdomain`: {"*.example.com/"},
			`host: com, wildcardPolicy: Subdomain`:             {"*/"},
			`subdomain: globex`:                                {"*"},
			`to: {kind: Service, name: a}`:                     nil,
		},
		"projectcontour.io/v1 HTTPProxy": {
			`virtualhost: {fqdn: a.example.com}`: {"a.example.com"},
			`virtualhost: {}`:                    {"*"},
			`virtualhost: nonsense`:              {"*"},
			`routes: []`:                         nil,
		},
		"traefik.io/v1alpha1 IngressRoute": {
			"routes: [{match: 'Host(`a.example.com`)'}]":                                                      {"a.example.com"},
			"routes: [{match: 'Host(`a.example.com`, `b.example.com`) && PathPrefix(`/x`)'}]":                 {"a.example.com", "b.example.com"},
			"routes: [{match: '(Host(\"a.example.com\") || host(`b.example.com`)) && !Path(`/x`)'}]":          {"a.example.com", "b.example.com"},
			"routes: [{match: 'Host(`a.example.com`) || PathPrefix(`/`)'}]":                                   {"*"},
			"routes: [{match: '!Host(`a.example.com`)'}]":                                                     {"*"},
			"routes: [{match: 'HostRegexp(`.+`)'}]":                                                           {"*"},
			"routes: [{match: 'PathPrefix(`/Host(`)'}]":                                                       {"*"},
			"routes: [{match: 'Host(`a.example.com`'}]":                                                       {"*"},
			"routes: [{match: 'Host()'}]":                                                                     {"*"},
			"routes: [{match: 'Host(`{x:.+}`)'}]":                                                             {"*"},
			"routes: [{match: 'Path(`Host(x)`) && Host(`a.example.com`)'}, {match: 'Host(`b.example.com`)'}]": {"a.example.com", "b.example.com"},
			"routes: [{kind: Rule}]":                                                                          {"*"},
			"routes: nonsense":                                                                                nil,
		},
		"traefik.containo.us/v1alpha1 IngressRoute": {"routes: [{match: 'Host(`a.example.com`)'}]": {"a.example.com"}},
		"traefik.io/v1alpha1 IngressRouteTCP": {
			"routes: [{match: 'HostSNI(`a.example.com`)'}]": {"a.example.com"},
			"routes: [{match: 'HostSNI(`*`)'}]":             {"*"},
		},
		"traefik.containo.us/v1alpha1 IngressRouteTCP": {"routes: [{match: 'HostSNI(`a.example.com`)'}]": {"a.example.com"}},
		"serving.knative.dev/v1beta1 DomainMapping":    {`ref: {name: a}`: {"a.example.com"}},
		"externaldns.k8s.io/v1alpha1 DNSEndpoint": {
			`endpoints: [{dnsName: a.example.com, recordType: A}, {dnsName: "*.B.example.com."}]`: {"*.b.example.com", "a.example.com"},
			`endpoints: [{dnsName: _x.example.com, recordType: TXT}, {}]`:                         {"*"},
		},
	} {
		version, kind, _ := strings.Cut(kind, " ")
		for spec, want := range cases {
			n := rawNames(t, "{apiVersion: "+version+", kind: "+kind+", metadata: {name: a.example.com}, spec: {"+spec+"}}")
			var got []string
			for _, h := range n.Hosts {
				got = append(got, h.Name+h.Path)
			}
			require.Equal(t, want, got, "%s %s", kind, spec)
			require.Len(t, n.Routes, 1)
			require.Equal(t, kind == "HTTPProxy", n.Routes[0].HasClass, kind)
		}
	}
}

// TestServices: what is reachable from outside the cluster, and the ports and addresses that
// a cluster has once.
func TestServices(t *testing.T) {
	service := func(spec string) string {
		return `{apiVersion: v1, kind: Service, metadata: {name: a, annotations: {example.com/pool: b}}, spec: {` + spec + `}}`
	}
	type want struct{ of, class, taken string }
	for object, w := range map[string]want{
		service(`ports: [{port: 80}]`):                                                                     {},
		service(`type: ClusterIP, clusterIP: None`):                                                        {},
		service(`type: {}`):                                                                                {},
		service(`type: NodePort, ports: [{port: 80}, {nodePort: 0}]`):                                      {of: "NodePort"},
		service(`type: NodePort, ports: [{port: 80, nodePort: 30080}]`):                                    {of: "NodePort", taken: "NodePort 30080"},
		service(`type: LoadBalancer, healthCheckNodePort: 30081`):                                          {of: "LoadBalancer", taken: "NodePort 30081"},
		service(`type: LoadBalancer, loadBalancerIP: "::ffff:192.0.2.1"`):                                  {of: "LoadBalancer", taken: "LoadBalancer 192.0.2.1"},
		service(`type: LoadBalancer, loadBalancerClass: example.com/inner`):                                {of: "LoadBalancer", class: "example.com/inner"},
		service(`type: nodeport`):                                                                          {of: "nodeport"},
		`{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: a}, spec: {type: NodePort}}`: {},
	} {
		n := rawNames(t, object)
		var got want
		for _, s := range n.Services {
			got.of = s.Type
			require.Equal(t, []claim.Route{{Object: "Service a", Component: "r", Class: w.class, HasClass: w.class != "", Annotations: []string{"example.com/pool"}}}, n.Routes)
			got.class = n.Routes[0].Class
		}
		for _, o := range n.Objects {
			if o.Namespace == "" {
				got.taken = o.Name
			}
		}
		require.Equal(t, w, got, object)
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

// TestNamesOfWhatStays: a Secret of which only digests are known is not sent, and keeps its name.
func TestNamesOfWhatStays(t *testing.T) {
	s := readScenario(t, []byte("components: [{name: pw, type: secret, properties: {data: {a: b}}}]"))
	in := s.input(t, nil)
	want := []claim.Object{{Namespace: "acme", Name: "Secret shop-pw", Component: "pw"}}
	for _, spec := range []model.Application{*in.Instance.Spec, in.Instance.Spec.Redact()} {
		in.Instance.Spec = &spec
		set, err := Application(in)
		require.NoError(t, err)
		require.Equal(t, want, Names(set, &spec).Objects)
	}
}

// TestNamesOfJobs: the Jobs of one component are one name, whatever the digest at their ends.
func TestNamesOfJobs(t *testing.T) {
	for job, want := range map[string]string{"a-0123abcd": "a-*", "a-0123abc": "a-0123abc", "a-0123abcg": "a-0123abcg", "a-b-01234567": "a-b-*", "01234567": "01234567"} {
		n := names(t, `{name: r, type: raw, requests: {cpu: 100m, memory: 64Mi}, properties: {objects: [{apiVersion: batch/v1, kind: Job, metadata: {name: "`+job+`"}, spec: {template: {spec: {restartPolicy: Never,
			containers: [{name: main, image: ghcr.io/acme/a:1, resources: {requests: {cpu: 100m, memory: 64Mi}}}]}}}}]}}`)
		require.Equal(t, []claim.Object{{Namespace: "acme", Name: "Job.batch " + want, Component: "r"}}, n.Objects)
	}
	require.Contains(t, names(t, `{name: j, type: job, requests: {cpu: 100m, memory: 64Mi}, properties: {image: ghcr.io/acme/a:1}}`).Objects,
		claim.Object{Namespace: "acme", Name: "Job.batch shop-j-*", Component: "j"})
}
