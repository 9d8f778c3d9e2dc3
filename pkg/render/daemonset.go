package render

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// daemonSet renders a daemon: one pod on every node of its pool. A DaemonSet cannot
// have zero pods, so it is absent while the daemon may not run.
func (w *workload) daemonSet() error {
	s, p, err := w.running("DaemonSet")
	if err != nil {
		return err
	}
	if w.run > 0 {
		w.out.add(&appsv1.DaemonSet{
			TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"},
			ObjectMeta: w.meta(s.container),
			Spec: appsv1.DaemonSetSpec{
				Selector:             &metav1.LabelSelector{MatchLabels: w.app.selector(w.spec.Name)},
				Template:             p.template,
				RevisionHistoryLimit: new(int32(revisions)),
			},
		})
	}
	w.service(s.Ports, p.patch.Service, false)
	return nil
}
