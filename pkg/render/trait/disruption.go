package trait

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{
	Name: "disruption", Kinds: []string{"Deployment", "StatefulSet"}, Stable: true,
	Process: reading("disruption", disruption),
})

// budget is the declaration of the disruption trait.
type budget struct {
	MaxUnavailable int32 `json:"maxUnavailable"`
}

// disruption bounds how many pods a drain of nodes stops at a time. It is a number of pods
// that may be missing and none that must be there, so it blocks no drain while a grant is
// reduced. Pods that are not ready protect nothing, so they may go.
func disruption(c Context, b budget) (Patch, error) {
	if b.MaxUnavailable < 1 {
		return Patch{}, declared.Faultf(declared.CodeUnreadable, "traits.disruption.maxUnavailable", "is at least 1")
	}
	if c.Run == 0 {
		return Patch{}, nil
	}
	return Patch{Objects: []runtime.Object{&policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: metav1.ObjectMeta{Name: c.Name},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable:             new(intstr.FromInt32(b.MaxUnavailable)),
			Selector:                   &metav1.LabelSelector{MatchLabels: c.Selector},
			UnhealthyPodEvictionPolicy: new(policyv1.AlwaysAllow),
		},
	}}}, nil
}
