package render

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// budget is the declaration of the disruption trait.
type budget struct {
	MaxUnavailable int32 `json:"maxUnavailable"`
}

// disruption bounds how many pods a drain of nodes stops at a time. It is a number of pods
// that may be missing and none that must be there, so it blocks no drain while a grant is
// reduced. Pods that are not ready protect nothing, so they may go.
func (p *pod) disruption(declared budget) error {
	if declared.MaxUnavailable < 1 {
		return faultf(CodeUnreadable, "traits.disruption.maxUnavailable", "is at least 1")
	}
	if p.run == 0 {
		return nil
	}
	p.out.add(&policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: metav1.ObjectMeta{Name: p.name},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable:             new(intstr.FromInt32(declared.MaxUnavailable)),
			Selector:                   &metav1.LabelSelector{MatchLabels: p.app.selector(p.spec.Name)},
			UnhealthyPodEvictionPolicy: new(policyv1.AlwaysAllow),
		},
	})
	return nil
}
