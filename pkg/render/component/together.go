package component

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// preference is the weight of the domains in which a component would rather stand together.
const preference = 100

// together binds the pods of a component that stands together to the domains of its grant, beside what else binds them to
// nodes. A requirement is one of every alternative that the pods have.
func (p placement) together(spec *corev1.PodSpec) error {
	if !p.spec.Gathers() || len(p.domains) == 0 {
		return nil
	}
	key, err := p.topologyKey(p.spec.Placement.Together.Over)
	if err != nil {
		return err
	}
	here := corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: p.domains}
	spec.Affinity = cmp.Or(spec.Affinity, &corev1.Affinity{})
	nodes := cmp.Or(spec.Affinity.NodeAffinity, &corev1.NodeAffinity{})
	spec.Affinity.NodeAffinity = nodes
	if p.spec.Placement.Together.Mode == model.TogetherPreferred {
		nodes.PreferredDuringSchedulingIgnoredDuringExecution = append(nodes.PreferredDuringSchedulingIgnoredDuringExecution, corev1.PreferredSchedulingTerm{
			Weight: preference, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{here}},
		})
		return nil
	}
	required := cmp.Or(nodes.RequiredDuringSchedulingIgnoredDuringExecution, &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{}}})
	nodes.RequiredDuringSchedulingIgnoredDuringExecution = required
	for i := range required.NodeSelectorTerms {
		term := &required.NodeSelectorTerms[i]
		term.MatchExpressions = append(term.MatchExpressions, here)
	}
	return nil
}
