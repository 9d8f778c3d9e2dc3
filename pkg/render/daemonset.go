package render

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// daemonSet renders a daemon: one pod on every node of its pool. It cannot run
// none, so it is not there while it may not run.
func (w *workload) daemonSet() error {
	var p service
	if err := w.properties(&p); err != nil {
		return err
	}
	template, _, err := w.pod("DaemonSet", p.container, p.Ports, corev1.RestartPolicyAlways)
	if err != nil {
		return err
	}
	if w.run > 0 {
		w.out.add(&appsv1.DaemonSet{
			TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"},
			ObjectMeta: w.meta(p.container),
			Spec: appsv1.DaemonSetSpec{
				Selector:             &metav1.LabelSelector{MatchLabels: w.app.selector(w.spec.Name)},
				Template:             template,
				RevisionHistoryLimit: pointer(revisions),
			},
		})
	}
	w.service(p.Ports, false)
	return nil
}
