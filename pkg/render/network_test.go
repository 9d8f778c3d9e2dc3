package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// A seenPod is a pod of the network as a network plugin sees it.
type seenPod struct {
	name       string // tenant/application/component, or what it is of the cluster
	namespace  string
	labels     labels.Set
	namespaces labels.Set // of its namespace
	component  *model.Component
	app        model.AppID
}

// A network is what a network plugin knows: pods and policies.
type network struct {
	pods     []seenPod
	policies []networkingv1.NetworkPolicy
}

// allows reports whether a pod may call a port of another one. This is the rule of
// Kubernetes: a pod that no policy of a direction selects may do everything in it, others
// what at least one of these policies allows; and both sides must allow it.
func (n *network) allows(t require.TestingT, from, to *seenPod, port int32, protocol corev1.Protocol) bool {
	egress, ingress := true, true
	for _, direction := range []networkingv1.PolicyType{networkingv1.PolicyTypeEgress, networkingv1.PolicyTypeIngress} {
		self, other := from, to
		if direction == networkingv1.PolicyTypeIngress {
			self, other = to, from
		}
		selected, allowed := false, false
		for i := range n.policies {
			p := &n.policies[i]
			if p.Namespace != self.namespace || !slices.Contains(p.Spec.PolicyTypes, direction) || !selects(t, &p.Spec.PodSelector, self.labels) {
				continue
			}
			selected = true
			if direction == networkingv1.PolicyTypeEgress {
				for _, r := range p.Spec.Egress {
					allowed = allowed || through(t, r.To, r.Ports, p.Namespace, other, port, protocol)
				}
			} else {
				for _, r := range p.Spec.Ingress {
					allowed = allowed || through(t, r.From, r.Ports, p.Namespace, other, port, protocol)
				}
			}
		}
		if direction == networkingv1.PolicyTypeEgress {
			egress = !selected || allowed
		} else {
			ingress = !selected || allowed
		}
	}
	return egress && ingress
}

func through(t require.TestingT, peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort, namespace string, other *seenPod, port int32, protocol corev1.Protocol) bool {
	if len(ports) > 0 && !slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		return p.Port.IntVal == port && *p.Protocol == protocol
	}) {
		return false
	}
	return len(peers) == 0 || slices.ContainsFunc(peers, func(p networkingv1.NetworkPolicyPeer) bool {
		switch {
		case p.IPBlock != nil:
			return false // pods of the test have no addresses outside the cluster
		case p.NamespaceSelector == nil:
			return other.namespace == namespace && selects(t, p.PodSelector, other.labels)
		}
		return selects(t, p.NamespaceSelector, other.namespaces) && (p.PodSelector == nil || selects(t, p.PodSelector, other.labels))
	})
}

func selects(t require.TestingT, s *metav1.LabelSelector, set labels.Set) bool {
	for key, value := range s.MatchLabels {
		if got, has := set[key]; !has || got != value {
			return false
		}
	}
	if len(s.MatchExpressions) == 0 {
		return true
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	require.NoError(t, err)
	return selector.Matches(set)
}

// add takes over what was rendered.
func (n *network) add(t require.TestingT, spec *model.Application, namespaces map[string]labels.Set, set Set) {
	for _, o := range set.Objects {
		kind := o.Object.GroupVersionKind().GroupKind().String()
		switch kind {
		case "Namespace":
			namespaces[o.Object.GetName()] = labels.Merge(o.Object.GetLabels(), labels.Set{corev1.LabelMetadataName: o.Object.GetName()})
			continue
		case "NetworkPolicy.networking.k8s.io":
			var p networkingv1.NetworkPolicy
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object.Object, &p))
			n.policies = append(n.policies, p)
			continue
		}
		s, runs := manifest.Workloads[kind]
		if !runs {
			continue
		}
		c, _ := spec.Component(o.Component)
		podLabels, _, err := unstructured.NestedStringMap(o.Object.Object, append(slices.Clone(s.Pod), "metadata", "labels")...)
		require.NoError(t, err)
		n.pods = append(n.pods, seenPod{
			name: spec.ID.String() + "/" + o.Component, namespace: o.Object.GetNamespace(), labels: podLabels,
			namespaces: namespaces[o.Object.GetNamespace()], component: c, app: spec.ID,
		})
	}
}

// TestFlowsAreThoseThatAreDeclared: over random fleets, the flows that the rendered
// policies allow between any two pods are exactly those that the fleet declares.
func TestFlowsAreThoseThatAreDeclared(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		tenants := map[string]*model.Tenant{}
		names := []string{"acme", "globex", "initech"}
		var net model.Network
		for i, a := range names {
			for _, b := range names[i+1:] {
				if rapid.Bool().Draw(t, "linked") {
					net.Links = append(net.Links, [2]string{a, b})
				}
			}
		}
		if rapid.Bool().Draw(t, "origins") {
			net.Ingress = []model.Origin{{Namespaces: map[string]string{corev1.LabelMetadataName: "ingress"}, Pods: map[string]string{"app": "controller"}}}
		}
		var apps []*model.Application
		for _, name := range names {
			tenant := &model.Tenant{Name: name, Isolation: rapid.SampledFrom([]model.Isolation{model.IsolationOpen, model.IsolationLocked, model.IsolationLocked}).Draw(t, "isolation")}
			tenant.Policy.Namespace = rapid.SampledFrom([]string{"tenant", "application"}).Draw(t, "namespace")
			tenant.Policy.Registries = []string{"example.com"}
			tenant.Policy.Kinds = []string{"Deployment", "Service", "Ingress"}
			tenants[name] = tenant
			for _, app := range []string{"api", "shop"} {
				a := &model.Application{ID: model.AppID{Tenant: name, Name: app}, Policy: &tenant.Policy}
				for _, c := range []string{"db", "web", "work"} {
					a.Components = append(a.Components, drawComponent(t, names, c))
				}
				*a = a.Seal()
				apps = append(apps, a)
			}
		}
		n := rendered(t, tenants, apps, net)
		for i := range n.pods {
			for j := range n.pods {
				for _, p := range []struct {
					port     int32
					protocol corev1.Protocol
				}{{53, "UDP"}, {53, "TCP"}, {80, "TCP"}, {5432, "TCP"}, {5432, "UDP"}, {9000, "TCP"}} {
					from, to := &n.pods[i], &n.pods[j]
					want, why := declaredFlow(tenants, &net, from, to, p.port, p.protocol)
					got := n.allows(t, from, to, p.port, p.protocol)
					require.Equal(t, want, got, "%s calls %s at %d/%s (%s)", from.name, to.name, p.port, p.protocol, why)
					seen[why]++
				}
			}
		}
	})
	for _, why := range []string{"open", "names", "application", "connects", "linked", "unlinked", "client", "nothing"} {
		require.NotZero(t, seen[why], "no fleet has a flow of this sort: %s", why)
	}
}

// drawComponent draws a component that listens on some ports and connects to others.
func drawComponent(t *rapid.T, tenants []string, name string) model.Component {
	c := model.Component{Name: name, Type: rapid.SampledFrom([]string{"webservice", "worker", "store", "raw", "cron"}).Draw(t, "type"), Runtime: "container", OS: "linux", Replicas: 1,
		Requests: model.Resources{CPU: 100, Memory: 1 << 20}}
	for range rapid.IntRange(0, 2).Draw(t, "connections") {
		to := rapid.SampledFrom([]string{"api/", "shop/"}).Draw(t, "to") + rapid.SampledFrom([]string{"db", "web"}).Draw(t, "component")
		if tenant := rapid.SampledFrom(append([]string{""}, tenants...)).Draw(t, "of"); tenant != "" {
			to = tenant + "/" + to
		}
		c.Connects = append(c.Connects, to)
	}
	listens, enters := rapid.Bool().Draw(t, "listens"), rapid.Bool().Draw(t, "enters")
	switch {
	case c.Type == "cron":
		c.Properties = []byte(`{"image": "example.com/a:1", "schedule": "@daily"}`)
	case c.Type == "raw":
		objects := []string{`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "raw-NAME"}, "spec": {"selector": {"matchLabels": {"a": "b"}},
			"template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "example.com/a:1", PORTS "resources": {"requests": {"cpu": "1m", "memory": "1Ki"}}}]}}}}`}
		ports := ""
		if listens {
			ports = `"ports": [{"containerPort": 80}],`
			objects = append(objects, `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "raw-NAME"}, "spec": {"ports": [{"port": 1, "targetPort": 5432}]}}`)
			if enters {
				objects = append(objects, `{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "raw-NAME"}, "spec": {}}`)
			}
		}
		text := strings.NewReplacer("NAME", name, "PORTS", ports).Replace(strings.Join(objects, ","))
		c.Properties = []byte(`{"objects": [` + text + `]}`)
	case listens:
		c.Properties = []byte(`{"image": "example.com/a:1", "ports": [{"port": 8080, "targetPort": 80}, {"port": 5432, "expose": false}]}`)
		if enters {
			c.Traits = []byte(`{"ingress": [{"host": "example.com", "port": 8080}]}`)
		}
	default:
		c.Properties = []byte(`{"image": "example.com/a:1"}`)
	}
	return c
}

// rendered is the network of a fleet, with a DNS server, an ingress controller and a pod
// of the platform beside it.
func rendered(t require.TestingT, tenants map[string]*model.Tenant, apps []*model.Application, of model.Network) network {
	namespaces := map[string]labels.Set{}
	n := network{}
	for _, name := range []string{"acme", "globex", "initech"} {
		held := model.Occupancy{}
		for _, a := range apps {
			if a.ID.Tenant == name {
				held.Apps = append(held.Apps, a.ID)
			}
		}
		n.add(t, nil, namespaces, Tenant("example", "", tenants[name], held))
	}
	for _, a := range apps {
		inst := &model.Instance{App: a.ID, Number: 1, Phase: model.PhaseRunning, Spec: a}
		for i := range a.Components {
			c := &a.Components[i]
			inst.Components = append(inst.Components, model.ComponentState{Grant: model.Grant{Component: c.Name, Replicas: 1, Requests: c.Requests}, Run: 1})
		}
		set, err := Application(Input{Fleet: "example", Instance: inst, Tenant: tenants[a.ID.Tenant], Network: of})
		require.NoError(t, err)
		n.add(t, a, namespaces, set)
	}
	for _, p := range []struct{ name, namespace, key, value string }{
		{"dns", "kube-system", "k8s-app", "kube-dns"}, {"kube", "kube-system", "app", "other"},
		{"controller", "ingress", "app", "controller"}, {"beside", "ingress", "app", "beside"}, {"monitor", "monitoring", "app", "prometheus"},
	} {
		n.pods = append(n.pods, seenPod{name: p.name, namespace: p.namespace, labels: labels.Set{p.key: p.value},
			namespaces: labels.Set{corev1.LabelMetadataName: p.namespace}})
	}
	return n
}

// declaredFlow reports whether a fleet declares that a pod may call a port of another, and
// by which rule.
func declaredFlow(tenants map[string]*model.Tenant, net *model.Network, from, to *seenPod, port int32, protocol corev1.Protocol) (bool, string) {
	locked := func(p *seenPod) bool {
		return p.component != nil && tenants[p.app.Tenant].Isolation == model.IsolationLocked
	}
	connects := func() bool {
		return from.component != nil && to.component != nil && slices.ContainsFunc(from.component.Connects, func(text string) bool {
			return model.PeerOf(from.app.Tenant, text) == (model.Peer{App: to.app, Component: to.component.Name})
		})
	}
	listens, enters := declaredPorts(to, port, protocol)
	switch {
	case !locked(from) && !locked(to):
		return true, "open"
	case to.name == "dns" && port == 53:
		return true, "names"
	case to.component == nil:
		return false, "outside"
	case from.component == nil:
		client := net.Ingress == nil || from.name == "controller"
		return enters && client, "client"
	case from.app == to.app:
		return listens, "application"
	case from.app.Tenant == to.app.Tenant:
		return connects() && listens, "connects"
	case connects() && !net.Linked(from.app.Tenant, to.app.Tenant):
		return false, "unlinked"
	case connects():
		return listens || !locked(to), "linked"
	}
	// An open tenant lets its pods call whom they like; a locked one lets in only those.
	return false, "nothing"
}

// declaredPorts reports whether a component listens on a port, and whether clients are let
// in there. Nobody is kept out of a tenant that is open.
func declaredPorts(p *seenPod, port int32, protocol corev1.Protocol) (listens, enters bool) {
	if p.component == nil {
		return false, false
	}
	text := string(p.component.Properties) + string(p.component.Traits)
	if protocol != corev1.ProtocolTCP || !strings.Contains(text, fmt.Sprint(`ort": `, port)) {
		return false, false
	}
	return true, strings.Contains(text, "ngress") && (port == 80 || p.component.Type == "raw")
}
