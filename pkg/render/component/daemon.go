package component

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// daemon renders a daemon: one pod on every node of its pool. A DaemonSet cannot
// have zero pods, so it is absent while the daemon may not run.
func daemon(in Input) (Output, error) {
	s, p, err := in.running("DaemonSet")
	if err != nil {
		return Output{}, err
	}
	if in.Run > 0 {
		p.out.add(&appsv1.DaemonSet{
			TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"},
			ObjectMeta: in.meta(s.container),
			Spec: appsv1.DaemonSetSpec{
				Selector:             &metav1.LabelSelector{MatchLabels: Selector(in.App.ID, in.Spec.Name)},
				Template:             p.template,
				RevisionHistoryLimit: new(int32(revisions)),
			},
		})
	}
	p.out.service(in, s.Ports, p.patch.Service, false)
	return p.out, nil
}
