package render

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// statefulSet renders a store: replicas with names and volumes of their own.
// They start together: in the other policy a broken pod stands in the way of
// the update that mends it.
func (w *workload) statefulSet() error {
	var p service
	if err := w.properties(&p); err != nil {
		return err
	}
	template, traits, err := w.pod("StatefulSet", p.container, p.Ports, corev1.RestartPolicyAlways)
	if err != nil {
		return err
	}
	meta := w.meta(p.container)
	if len(traits.claimTemplates) > 0 {
		// Templates of claims cannot change, so the set says it for its claims.
		meta.Annotations = merge(meta.Annotations, w.app.deletion())
	}
	w.out.add(&appsv1.StatefulSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"},
		ObjectMeta: meta,
		Spec: appsv1.StatefulSetSpec{
			Replicas:             pointer(int32(w.run)),
			Selector:             &metav1.LabelSelector{MatchLabels: w.app.selector(w.spec.Name)},
			ServiceName:          w.name,
			Template:             template,
			VolumeClaimTemplates: traits.claimTemplates,
			PodManagementPolicy:  appsv1.ParallelPodManagement,
			RevisionHistoryLimit: pointer(revisions),
		},
	})
	w.service(p.Ports, true)
	return nil
}
