package trait

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "affinity", Machines: true, Process: reading("affinity", affinity)})

// vicinity is the declaration of the affinity trait.
type vicinity struct {
	Near  []nearness  `json:"near"`
	Apart []nearness  `json:"apart"`
	Nodes []nodeLabel `json:"nodes"`
}

// nearness is about the pods of a component. With a weight it is a preference.
type nearness struct {
	Component string `json:"component"`
	Over      string `json:"over"`
	Weight    int32  `json:"weight"`
}

// nodeLabel is about a label of nodes. With a weight it is a preference.
type nodeLabel struct {
	Label  string   `json:"label"`
	Values []string `json:"values"`
	Except []string `json:"except"`
	Weight int32    `json:"weight"`
}

// affinity places pods near to others or apart from them, and on nodes with labels.
func affinity(c Context, v vicinity) (patch Patch, err error) {
	all := &corev1.Affinity{NodeAffinity: onNodes(v.Nodes)}
	near, err := c.terms("traits.affinity.near", v.Near)
	apart, wrong := c.terms("traits.affinity.apart", v.Apart)
	all.PodAffinity, all.PodAntiAffinity = near, (*corev1.PodAntiAffinity)(apart)
	if *all != (corev1.Affinity{}) {
		patch.Pod.Affinity = all
	}
	return patch, cmp.Or(err, wrong)
}

// terms returns what is required, and what is preferred, nil if nothing is.
func (c Context) terms(path string, all []nearness) (*corev1.PodAffinity, error) {
	if len(all) == 0 {
		return nil, nil
	}
	terms := &corev1.PodAffinity{}
	for i, n := range all {
		at := fmt.Sprintf("%s.%d", path, i)
		peer, ok := c.Peer(n.Component)
		if !ok {
			return nil, declared.Faultf(declared.CodeReference, at+".component", "names %s, which is no component of the application with pods", n.Component)
		}
		key, err := c.Domain(cmp.Or(n.Over, "node"))
		if err != nil {
			return nil, err
		}
		term := corev1.PodAffinityTerm{LabelSelector: &metav1.LabelSelector{MatchLabels: peer.Labels}, TopologyKey: key}
		if n.Weight == 0 {
			terms.RequiredDuringSchedulingIgnoredDuringExecution = append(terms.RequiredDuringSchedulingIgnoredDuringExecution, term)
		} else {
			terms.PreferredDuringSchedulingIgnoredDuringExecution = append(terms.PreferredDuringSchedulingIgnoredDuringExecution,
				corev1.WeightedPodAffinityTerm{Weight: n.Weight, PodAffinityTerm: term})
		}
	}
	return terms, nil
}

// onNodes returns what is required of nodes, all of it together, and what is preferred.
func onNodes(labels []nodeLabel) *corev1.NodeAffinity {
	if len(labels) == 0 {
		return nil
	}
	nodes, required := &corev1.NodeAffinity{}, corev1.NodeSelectorTerm{}
	for _, l := range labels {
		var rules []corev1.NodeSelectorRequirement
		if len(l.Values) > 0 {
			rules = append(rules, corev1.NodeSelectorRequirement{Key: l.Label, Operator: corev1.NodeSelectorOpIn, Values: l.Values})
		}
		if len(l.Except) > 0 {
			rules = append(rules, corev1.NodeSelectorRequirement{Key: l.Label, Operator: corev1.NodeSelectorOpNotIn, Values: l.Except})
		}
		if rules == nil {
			rules = append(rules, corev1.NodeSelectorRequirement{Key: l.Label, Operator: corev1.NodeSelectorOpExists})
		}
		if l.Weight == 0 {
			required.MatchExpressions = append(required.MatchExpressions, rules...)
			continue
		}
		nodes.PreferredDuringSchedulingIgnoredDuringExecution = append(nodes.PreferredDuringSchedulingIgnoredDuringExecution,
			corev1.PreferredSchedulingTerm{Weight: l.Weight, Preference: corev1.NodeSelectorTerm{MatchExpressions: rules}})
	}
	if required.MatchExpressions != nil {
		nodes.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{required}}
	}
	return nodes
}
