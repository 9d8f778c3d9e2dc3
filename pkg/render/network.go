package render

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/component"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/trait"
)

// Traffic between two pods of locked tenants needs the leave of both sides. Its own
// policy lets a pod call every pod of its tenant, and the components of other tenants that
// it connects to. The policy of a component says who may call it, on which ports. So what
// reaches a component is what it is declared for, and no policy depends on the
// declaration of another application.

// led returns the ports of a component that routes of other components lead to. Clients come in there, too.
func led(app *component.Application, name string) (all []component.Listening) {
	to, _ := app.Peer(name)
	for i := range app.Spec.Components {
		for _, target := range trait.Beside(&app.Spec.Components[i]) {
			if n := slices.IndexFunc(to.Ports, func(p declared.Port) bool { return p.Port == target.Port }); n >= 0 && target.Component == name {
				all = append(all, component.At(to.Ports[n]))
			}
		}
	}
	return all
}

// connected is the label of the pods that connect to a component.
func connected(p model.Peer) string {
	name := strings.Join([]string{"connects", p.App.Tenant, p.App.Name, p.Component}, ".")
	if len(name) > 63 {
		name = "connects." + string(model.DigestOf(name))
	}
	return Domain + name
}

// connections returns the labels that let the pods of a component through to the
// components that it connects to. Only D-AROS sets labels of its domain.
func (a *application) connections(c *model.Component) map[string]string {
	labels := map[string]string{}
	for _, text := range c.Connects {
		labels[connected(model.PeerOf(a.spec.ID.Tenant, text))] = "true"
	}
	return labels
}

// around renders the policy of a component that is not part of what it runs: it does not
// count among the objects of the component.
func (w *workload) around() *part {
	out := *w.out
	out.workload, out.release, out.told, out.objects = "", "", Told{}, nil
	if w.app.Tenant.Isolation != model.IsolationLocked || !w.Spec.Runs() {
		return &out
	}
	own := w.app.Instance.App.Tenant
	spec := networkingv1.NetworkPolicySpec{PodSelector: selecting(component.Selector(w.app.Instance.App, w.Spec.Name))}
	listens, entries := w.made.Listens, slices.Concat(w.made.Entries, led(w.app.common, w.Spec.Name))
	if w.next != nil {
		listens = slices.Concat(listens, w.next.made.Listens)
	}
	if len(listens) > 0 {
		spec.PolicyTypes = append(spec.PolicyTypes, networkingv1.PolicyTypeIngress)
		application := selecting(map[string]string{LabelTenant: own, LabelApplication: w.app.Instance.App.Name})
		callers := metav1.LabelSelector{
			MatchLabels: map[string]string{LabelFleet: w.app.Fleet},
			MatchExpressions: []metav1.LabelSelectorRequirement{{
				Key: LabelTenant, Operator: metav1.LabelSelectorOpIn, Values: append([]string{own}, w.app.Network.With(own)...),
			}},
		}
		through := selecting(map[string]string{connected(model.Peer{App: w.app.Instance.App, Component: w.Spec.Name}): "true"})
		spec.Ingress = append(spec.Ingress, networkingv1.NetworkPolicyIngressRule{
			Ports: ports(listens), From: []networkingv1.NetworkPolicyPeer{
				{PodSelector: &application}, {NamespaceSelector: &callers, PodSelector: &through},
			},
		})
	}
	if len(entries) > 0 {
		spec.Ingress = append(spec.Ingress, networkingv1.NetworkPolicyIngressRule{Ports: ports(entries), From: origins(w.app.Network.Ingress)})
	}
	for _, text := range w.Spec.Connects {
		if to := model.PeerOf(own, text); to.App.Tenant != own && w.app.Network.Linked(own, to.App.Tenant) {
			namespaces := selecting(namespaceLabels(w.app.Fleet, to.App.Tenant))
			pods := selecting(map[string]string{LabelTenant: to.App.Tenant, LabelApplication: to.App.Name, LabelComponent: to.Component})
			spec.Egress = append(spec.Egress, networkingv1.NetworkPolicyEgressRule{
				To: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &namespaces, PodSelector: &pods}},
			})
		}
	}
	if spec.Egress != nil {
		spec.PolicyTypes = append(spec.PolicyTypes, networkingv1.PolicyTypeEgress)
	}
	if spec.PolicyTypes != nil {
		out.add(networkPolicy(w.Name, spec))
	}
	return &out
}

// deny renders the policy of all pods of a namespace: nobody may call them, and they may
// call DNS, the pods of their tenant and the addresses that policy names.
func deny(fleet string, t *model.Tenant) *networkingv1.NetworkPolicy {
	system := selecting(map[string]string{corev1.LabelMetadataName: metav1.NamespaceSystem})
	names, own := selecting(map[string]string{"k8s-app": "kube-dns"}), selecting(namespaceLabels(fleet, t.Name))
	spec := networkingv1.NetworkPolicySpec{
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		Egress: []networkingv1.NetworkPolicyEgressRule{
			{
				Ports: ports([]component.Listening{{Port: 53, Protocol: corev1.ProtocolTCP}, {Port: 53, Protocol: corev1.ProtocolUDP}}),
				To:    []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &system, PodSelector: &names}},
			},
			{To: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &own}}},
		},
	}
	for _, text := range t.Policy.Exits {
		e, err := model.ParseExit(text)
		if err != nil {
			continue // refused where it is declared
		}
		rule := networkingv1.NetworkPolicyEgressRule{To: []networkingv1.NetworkPolicyPeer{{IPBlock: outside(e.CIDR)}}}
		if e.Port > 0 {
			rule.Ports = ports([]component.Listening{{Port: int32(e.Port), Protocol: corev1.Protocol(e.Protocol)}})
		}
		spec.Egress = append(spec.Egress, rule)
	}
	return networkPolicy(systemName, spec)
}

// linkLocal are addresses of the node and its cloud, such as the metadata service. Only an
// exit that names nothing else leads there.
var linkLocal = []netip.Prefix{netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fe80::/10"), netip.MustParsePrefix("fd00:ec2::/32")}

// outside returns the addresses of a network without those that are link-local.
func outside(network netip.Prefix) *networkingv1.IPBlock {
	block := &networkingv1.IPBlock{CIDR: network.String()}
	for _, local := range linkLocal {
		if network.Bits() < local.Bits() && network.Overlaps(local) {
			block.Except = append(block.Except, local.String())
		}
	}
	return block
}

// origins returns where clients come from: what the platform says, else all namespaces
// that belong to no tenant.
func origins(from []model.Origin) (peers []networkingv1.NetworkPolicyPeer) {
	for i := range from {
		o := &from[i]
		if o.CIDR != "" {
			peers = append(peers, networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: o.CIDR}})
			continue
		}
		namespaces := selecting(o.Namespaces)
		peer := networkingv1.NetworkPolicyPeer{NamespaceSelector: &namespaces}
		if len(o.Pods) > 0 {
			pods := selecting(o.Pods)
			peer.PodSelector = &pods
		}
		peers = append(peers, peer)
	}
	if peers == nil {
		peers = append(peers, networkingv1.NetworkPolicyPeer{NamespaceSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: LabelTenant, Operator: metav1.LabelSelectorOpDoesNotExist}},
		}})
	}
	return peers
}

// ports returns ports in order, each once.
func ports(all []component.Listening) (out []networkingv1.NetworkPolicyPort) {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b component.Listening) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Protocol, b.Protocol))
	})
	for _, l := range slices.Compact(sorted) {
		out = append(out, networkingv1.NetworkPolicyPort{Port: new(intstr.FromInt32(l.Port)), Protocol: new(l.Protocol)})
	}
	return out
}

func networkPolicy(name string, spec networkingv1.NetworkPolicySpec) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       spec,
	}
}

func selecting(labels map[string]string) metav1.LabelSelector {
	return metav1.LabelSelector{MatchLabels: labels}
}

// namespaceLabels are labels that the namespaces of a tenant have, and no others.
func namespaceLabels(fleet, tenant string) map[string]string {
	return map[string]string{LabelFleet: fleet, LabelTenant: tenant}
}
