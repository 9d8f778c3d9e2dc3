package render

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/d-aros/d-aros/pkg/model"
)

// revisions is how many earlier templates a cluster keeps. Git has the rest.
const revisions = int32(2)

// deployment renders a webservice or a worker, or a newer version of one beside it.
func (w *workload) deployment() error {
	var p service
	if err := w.properties(&p); err != nil {
		return err
	}
	template, traits, err := w.pod("Deployment", p.container, p.Ports, corev1.RestartPolicyAlways)
	if err != nil {
		return err
	}
	if traits.exclusive && w.app.isStaged(w.spec.Name) {
		return faultf(CodeConflict, "traits.storage", "is one volume, which two versions cannot have at a time; bring the component with a deploy step")
	}
	spec := appsv1.DeploymentSpec{
		Selector:                &metav1.LabelSelector{MatchLabels: w.podLabels()},
		Template:                template,
		Strategy:                strategy(w.run, traits.exclusive),
		RevisionHistoryLimit:    pointer(revisions),
		ProgressDeadlineSeconds: progressDeadline(w.app.spec.Policy.StartDeadline),
	}
	if !traits.scales || w.run == 0 {
		spec.Replicas = pointer(int32(w.run))
	}
	w.out.add(&appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: w.meta(p.container),
		Spec:       spec,
	})
	return w.reachable(p.Ports)
}

// reachable renders the service of a webservice or a worker. It is that of the
// stable version, unless requests go to the newer one alone.
func (w *workload) reachable(ports []port) error {
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
	w.service(ports, false)
	return nil
}

// strategy says how pods of an old template make way for new ones. One more than
// granted may run meanwhile where there is room for it. Where there is none,
// because the quota or the pool is full, an update of several replicas goes on
// all the same by giving up one; a single replica is not given up: its update
// waits for room and misses its deadline without.
// Pods that own a volume cannot be two at a time.
func strategy(replicas int, exclusive bool) appsv1.DeploymentStrategy {
	if exclusive {
		return appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
	}
	surge, missing := intstr.FromInt32(1), intstr.FromInt32(0)
	if replicas > 1 {
		missing = intstr.FromInt32(1)
	}
	return appsv1.DeploymentStrategy{
		Type:          appsv1.RollingUpdateDeploymentStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge, MaxUnavailable: &missing},
	}
}

// progressDeadline is when Kubernetes reports a deployment as stuck.
func progressDeadline(d time.Duration) *int32 {
	if d < time.Second {
		return nil
	}
	return pointer(int32(min(d/time.Second, 1<<31-1)))
}

// meta is the metadata of what runs the component: its owner's labels and
// annotations are on it too.
func (w *workload) meta(c container) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: w.name, Labels: c.Labels, Annotations: c.Annotations}
}

func (w *workload) properties(into any) error {
	if err := decode(w.spec.Properties, into); err != nil {
		return faultf(CodeUnreadable, "properties", "%v", err)
	}
	return nil
}

func pointer[T any](v T) *T { return &v }
