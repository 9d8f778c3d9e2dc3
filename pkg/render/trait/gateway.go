package trait

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{
	Name: "gateway", Kinds: []string{"Deployment", "StatefulSet"}, Stable: true, Machines: true,
	Process: reading("gateway", gateway),
})

// throughGateway is the declaration of the gateway trait.
type throughGateway struct {
	Name     string // with its namespace
	Listener string
	Hosts    []string
	Routes   []gatewayRoute
}

// gatewayRoute leads some requests to ports of components.
type gatewayRoute struct {
	Path     string
	PathType string
	Method   string
	Matches  map[string]string // headers
	Port     intstr.IntOrString
	Weight   *int64
	Beside   []GatewayTarget
	Rewrite  struct{ Path, Host string }
	Request  headerChange
	Response headerChange
}

// GatewayTarget is a port of another component of the application, with its part of the requests.
type GatewayTarget struct {
	Component string
	Port      int32
	Weight    int64
}

// Beside returns the ports of other components that the routes of a component lead to, as far as these can be read.
func Beside(c *model.Component) (all []GatewayTarget) {
	var traits struct{ Gateway throughGateway }
	_ = json.Unmarshal(c.Traits, &traits) // what cannot be read is refused where it is rendered
	for _, r := range traits.Gateway.Routes {
		all = append(all, r.Beside...)
	}
	return all
}

// headerChange is what becomes of headers on their way.
type headerChange struct {
	Set, Add map[string]string
	Remove   []string
}

// mostOfRoute is how many hosts, rules and targets the Gateway API lets a route have.
const mostOfRoute = 16

// gateway renders one HTTPRoute for all routes of the component. It leads to Services of the application only: other
// namespaces are not named, and the Gateway decides whose routes it takes.
func gateway(c Context, g throughGateway) (patch Patch, err error) {
	namespace, name, ok := strings.Cut(g.Name, "/")
	if !ok {
		return patch, declared.Faultf(declared.CodeUnreadable, "traits.gateway.name", "is a Gateway with its namespace, such as infra/public")
	}
	if err := mayName("traits.gateway.name", "Gateway", g.Name, "gateways", c.Policy.Existing.Gateways); err != nil {
		return patch, err
	}
	parent := declared.Given(map[string]any{"namespace": namespace, "name": name, "sectionName": g.Listener})
	hosts, rules := untyped(g.Hosts), []any(nil)
	if n, m := len(hosts), len(g.Routes); n < 1 || n > mostOfRoute || m < 1 || m > mostOfRoute {
		return patch, declared.Faultf(declared.CodeUnreadable, "traits.gateway", "has %d hosts and %d routes; it takes 1 to %d of each", n, m, mostOfRoute)
	}
	for i, r := range g.Routes {
		path := fmt.Sprintf("traits.gateway.routes.%d", i)
		n := slices.IndexFunc(c.Ports, func(p declared.Port) bool { return p.Is(r.Port) && p.Exposed() })
		if n < 0 {
			return patch, declared.Faultf(declared.CodeReference, path+".port", "leads to port %s, which the component does not expose", r.Port.String())
		}
		patch.Entries = append(patch.Entries, c.Ports[n])
		rule, err := r.rule(path, c, c.Ports[n].Port)
		if err != nil {
			return patch, err
		}
		rules = append(rules, rule)
	}
	patch.Objects = []runtime.Object{&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": map[string]any{"name": c.Name},
		"spec": map[string]any{"parentRefs": []any{parent}, "hostnames": hosts, "rules": rules},
	}}}
	return patch, nil
}

// rule returns the rule of an HTTPRoute.
func (r gatewayRoute) rule(path string, c Context, port int32) (map[string]any, error) {
	if len(r.Beside) >= mostOfRoute {
		return nil, declared.Faultf(declared.CodeUnreadable, path+".beside", "leads to %d others, and a route leads to at most %d", len(r.Beside), mostOfRoute-1)
	}
	backends := []any{backend(c.Name, port, r.Weight)}
	for i, b := range r.Beside {
		peer, ok := c.Peer(b.Component)
		if !ok || peer.Name == c.Name {
			return nil, declared.Faultf(declared.CodeReference, fmt.Sprintf("%s.beside.%d.component", path, i), "names %s, which is no other component of the application with pods", b.Component)
		}
		if !slices.ContainsFunc(peer.Ports, func(p declared.Port) bool { return p.Port == b.Port && p.Exposed() }) {
			return nil, declared.Faultf(declared.CodeReference, fmt.Sprintf("%s.beside.%d.port", path, i), "leads to port %d, which %s does not expose", b.Port, b.Component)
		}
		backends = append(backends, backend(peer.Name, b.Port, &b.Weight))
	}
	var filters []any
	for _, of := range []struct {
		kind, field string
		change      headerChange
	}{{"RequestHeaderModifier", "requestHeaderModifier", r.Request}, {"ResponseHeaderModifier", "responseHeaderModifier", r.Response}} {
		if change := of.change.filter(); len(change) > 0 {
			filters = append(filters, map[string]any{"type": of.kind, of.field: change})
		}
	}
	if r.Rewrite.Path != "" || r.Rewrite.Host != "" {
		filters = append(filters, map[string]any{"type": "URLRewrite", "urlRewrite": r.rewrite()})
	}
	return declared.Given(map[string]any{"matches": []any{r.match()}, "backendRefs": backends, "filters": filters}), nil
}

func backend(service string, port int32, weight *int64) map[string]any {
	to := map[string]any{"name": service, "port": int64(port)}
	if weight != nil {
		to["weight"] = *weight
	}
	return to
}

// match returns which requests a rule is for.
func (r gatewayRoute) match() map[string]any {
	kind := map[string]string{"": "PathPrefix", "Prefix": "PathPrefix", "Exact": "Exact"}[r.PathType]
	path := map[string]any{"type": kind, "value": cmp.Or(r.Path, "/")}
	return declared.Given(map[string]any{"path": path, "method": r.Method, "headers": named(r.Matches)})
}

// rewrite returns what the component is asked for instead of what clients ask for.
func (r gatewayRoute) rewrite() map[string]any {
	to := declared.Given(map[string]any{"hostname": r.Rewrite.Host})
	switch {
	case r.Rewrite.Path == "":
	case r.PathType == "Exact":
		to["path"] = map[string]any{"type": "ReplaceFullPath", "replaceFullPath": r.Rewrite.Path}
	default:
		to["path"] = map[string]any{"type": "ReplacePrefixMatch", "replacePrefixMatch": r.Rewrite.Path}
	}
	return to
}

// filter returns the changes of headers.
func (h headerChange) filter() map[string]any {
	return declared.Given(map[string]any{"set": named(h.Set), "add": named(h.Add), "remove": untyped(h.Remove)})
}

// untyped returns words in order, each once, for an object without a type.
func untyped(words []string) (list []any) {
	for _, word := range sorted(words) {
		list = append(list, word)
	}
	return list
}

// named lists values with their names, in order of these.
func named(values map[string]string) (list []any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, map[string]any{"name": name, "value": values[name]})
	}
	return list
}
