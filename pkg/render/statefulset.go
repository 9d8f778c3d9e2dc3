package render

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// statefulSet renders a store: replicas with names and volumes of their own. All
// replicas start at the same time: if they started in order, a broken pod would block
// the update that repairs it.
func (w *workload) statefulSet() error {
	s, p, err := w.running("StatefulSet")
	if err != nil {
		return err
	}
	meta := w.meta(s.container)
	if len(p.patch.Claims) > 0 {
		// Templates of claims cannot change, so the set carries the annotation for them.
		meta.Annotations = declared.Merge(meta.Annotations, w.app.deletion())
	}
	w.out.add(&appsv1.StatefulSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"},
		ObjectMeta: meta,
		Spec: appsv1.StatefulSetSpec{
			Replicas:             new(int32(w.run)),
			Selector:             &metav1.LabelSelector{MatchLabels: w.app.selector(w.spec.Name)},
			ServiceName:          w.name,
			Template:             p.template,
			VolumeClaimTemplates: p.patch.Claims,
			PodManagementPolicy:  appsv1.ParallelPodManagement,
			MinReadySeconds:      p.patch.Replicas.MinReady,
			RevisionHistoryLimit: new(int32(revisions)),
		},
	})
	w.service(s.Ports, p.patch.Service, true)
	return nil
}
