package render

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/trait"
)

// revisions is the number of earlier templates that a cluster keeps. Git has the rest.
const revisions = 2

// deployment renders a webservice, a worker or a windows-service, or a newer version of one beside it.
func (w *workload) deployment() error {
	s, p, err := w.running("Deployment")
	if err != nil {
		return err
	}
	if p.patch.Replicas.Exclusive && w.app.spec.Workflow.Staged(w.spec.Name) {
		return declared.Faultf(declared.CodeConflict, "traits.storage", "is one volume, which two versions cannot have at a time; bring the component with a deploy step")
	}
	deadline := progressDeadline(w.app.spec.Policy.StartDeadline)
	if ready := p.patch.Replicas.MinReady; deadline != nil && ready >= *deadline {
		return declared.Faultf(declared.CodeConflict, "traits.update.minReady", "is %d s, and the pods are to run within %d s (startDeadline)", ready, *deadline)
	}
	spec := appsv1.DeploymentSpec{
		Selector:                &metav1.LabelSelector{MatchLabels: w.podLabels()},
		Template:                p.template,
		Strategy:                strategy(w.run, p.patch.Replicas),
		MinReadySeconds:         p.patch.Replicas.MinReady,
		RevisionHistoryLimit:    new(int32(revisions)),
		ProgressDeadlineSeconds: deadline,
	}
	if !p.patch.Replicas.Scaled || w.run == 0 {
		spec.Replicas = new(int32(w.run))
	}
	w.out.add(&appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: w.meta(s.container),
		Spec:       spec,
	})
	return w.reachable(s.Ports, p.patch.Service)
}

// reachable renders the Service of a webservice or a worker. Its ports are those of
// the stable version, unless all requests go to the newer version.
func (w *workload) reachable(ports []declared.Port, reached trait.Service) error {
	if w.track == TrackNext {
		return nil
	}
	if w.next != nil && w.traffic == model.TrafficNext {
		var p service
		if err := w.next.properties(&p); err != nil {
			return err
		}
		ports = p.Ports
	}
	w.service(ports, reached, false)
	return nil
}

// strategy returns how new pods replace old ones. One pod more than granted may run
// during an update if there is capacity for it. If the quota or the pool is full, an
// update of several replicas continues with one pod less. A single replica is kept:
// its update waits for capacity, and misses its deadline without any. Pods that own a
// volume are stopped first, because two pods cannot use the volume. Owners may declare otherwise.
func strategy(replicas int, declared trait.Replicas) appsv1.DeploymentStrategy {
	if declared.Exclusive || declared.Recreate {
		return appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
	}
	surge, missing := intstr.FromInt32(1), intstr.FromInt32(0)
	if replicas > 1 {
		missing = intstr.FromInt32(1)
	}
	if declared.Missing > 0 {
		missing = intstr.FromInt32(declared.Missing)
	}
	return appsv1.DeploymentStrategy{
		Type:          appsv1.RollingUpdateDeploymentStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge, MaxUnavailable: &missing},
	}
}

// progressDeadline returns the seconds after which Kubernetes reports a Deployment as
// stuck.
func progressDeadline(d time.Duration) *int32 {
	if d < time.Second {
		return nil
	}
	return new(int32(min(d/time.Second, 1<<31-1)))
}

// meta returns the metadata of the object that runs the component, with the labels
// and annotations that its owner declares.
func (w *workload) meta(c container) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: w.name, Labels: c.Labels, Annotations: c.Annotations}
}

// running returns the properties of a component that keeps running, and its pods.
func (w *workload) running(kind string) (s service, p *pod, err error) {
	if err := w.properties(&s); err != nil {
		return s, nil, err
	}
	s = s.watched()
	if p, err = w.pod(kind, s.container, s.Ports, corev1.RestartPolicyAlways); err != nil {
		return s, nil, err
	}
	return s, p, p.serve(s)
}

// properties reads the properties of the component.
func (w *workload) properties(into any) error {
	if err := declared.Read(w.spec.Properties, into); err != nil {
		return declared.Faultf(declared.CodeUnreadable, "properties", "%v", err)
	}
	return nil
}
