package component

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
func deployment(in Input) (Output, error) {
	s, p, err := in.running("Deployment")
	if err != nil {
		return Output{}, err
	}
	if p.patch.Replicas.Exclusive && in.App.Spec.Workflow.Staged(in.Spec.Name) {
		return Output{}, declared.Faultf(declared.CodeConflict, "traits.storage", "is one volume, which two versions cannot have at a time; bring the component with a deploy step")
	}
	var deadline *int32 // after which Kubernetes reports a Deployment as stuck
	if d := in.App.Spec.Policy.StartDeadline; d >= time.Second {
		deadline = new(int32(min(d/time.Second, 1<<31-1)))
	}
	if ready := p.patch.Replicas.MinReady; deadline != nil && ready >= *deadline {
		return Output{}, declared.Faultf(declared.CodeConflict, "traits.update.minReady", "is %d s, and the pods are to run within %d s (startDeadline)", ready, *deadline)
	}
	spec := appsv1.DeploymentSpec{
		Selector:                &metav1.LabelSelector{MatchLabels: in.podLabels()},
		Template:                p.template,
		Strategy:                strategy(in.Run, p.patch.Replicas),
		MinReadySeconds:         p.patch.Replicas.MinReady,
		RevisionHistoryLimit:    new(int32(revisions)),
		ProgressDeadlineSeconds: deadline,
	}
	if !p.patch.Replicas.Scaled || in.Run == 0 {
		spec.Replicas = new(int32(in.Run))
	}
	p.out.add(&appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: in.meta(s.container),
		Spec:       spec,
	})
	err = p.out.reachable(in, s.Ports, p.patch.Service)
	return p.out, err
}

// reachable renders the Service of a webservice or a worker. Its ports are those of
// the stable version, unless all requests go to the newer version.
func (o *Output) reachable(in Input, ports []declared.Port, reached trait.Service) error {
	if in.Track == TrackNext {
		return nil
	}
	if in.Next != nil && in.Traffic == model.TrafficNext {
		var p service
		if err := properties(in.Next, &p); err != nil {
			return err
		}
		ports = p.Ports
	}
	o.service(in, ports, reached, false)
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

// meta returns the metadata of the object that runs the component, with the labels
// and annotations that its owner declares.
func (in Input) meta(c container) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: in.Name, Labels: c.Labels, Annotations: c.Annotations}
}

// running returns the properties of a component that keeps running, and its pods.
func (in Input) running(kind string) (s service, p *pod, err error) {
	if err := properties(in.Spec, &s); err != nil {
		return s, nil, err
	}
	s = s.watched()
	if p, err = in.pod(kind, s.container, s.Ports, corev1.RestartPolicyAlways); err != nil {
		return s, nil, err
	}
	return s, p, p.serve(s)
}

// properties reads the properties of a component.
func properties(c *model.Component, into any) error {
	if err := declared.Read(c.Properties, into); err != nil {
		return declared.Faultf(declared.CodeUnreadable, "properties", "%v", err)
	}
	return nil
}

// podLabels returns the labels that distinguish the pods of a Deployment from all others.
func (in Input) podLabels() map[string]string {
	labels := Selector(in.App.ID, in.Spec.Name)
	if in.Track == TrackNext {
		labels[LabelTrack] = TrackNext
	}
	return labels
}
