package component

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// store renders a store: replicas with names and volumes of their own. All
// replicas start at the same time: if they started in order, a broken pod would block
// the update that repairs it.
func store(in Input) (Output, error) {
	s, p, err := in.running("StatefulSet")
	if err != nil {
		return Output{}, err
	}
	meta := in.meta(s.container)
	if len(p.patch.Claims) > 0 {
		// Templates of claims cannot change, so the set carries the annotation for them.
		meta.Annotations = declared.Merge(meta.Annotations, in.App.deletion())
	}
	p.out.add(&appsv1.StatefulSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"},
		ObjectMeta: meta,
		Spec: appsv1.StatefulSetSpec{
			Replicas:             new(int32(in.Run)),
			Selector:             &metav1.LabelSelector{MatchLabels: Selector(in.App.ID, in.Spec.Name)},
			ServiceName:          in.Name,
			Template:             p.template,
			VolumeClaimTemplates: p.patch.Claims,
			PodManagementPolicy:  appsv1.ParallelPodManagement,
			MinReadySeconds:      p.patch.Replicas.MinReady,
			RevisionHistoryLimit: new(int32(revisions)),
		},
	})
	p.out.service(in, s.Ports, p.patch.Service, true)
	return p.out, nil
}
