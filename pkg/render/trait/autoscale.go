package trait

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{
	Name: "autoscale", Needs: []string{"storage"}, Kinds: []string{"Deployment"}, Stable: true,
	Process: reading("autoscale", autoscale),
})

// scaling is the declaration of the autoscale trait. CPU and memory are the target utilization in percent.
type scaling struct{ Min, Max, CPU, Memory int }

// autoscale lets an autoscaler set the number of replicas, up to the number that may
// run now. The autoscaler then owns that field. It is absent while nothing may run.
func autoscale(c Context, s scaling) (Patch, error) {
	if s.Min < 1 || s.Max < s.Min || s.CPU < 1 {
		return Patch{}, declared.Faultf(declared.CodeUnreadable, "traits.autoscale", "takes a min of at least 1, a max of at least min and the wanted use of cpu in percent")
	}
	if c.Grant.Requests.CPU == 0 {
		return Patch{}, declared.Faultf(declared.CodeConflict, "traits.autoscale.cpu", "is a part of the CPU that the component requests, and it requests none")
	}
	metrics := []autoscalingv2.MetricSpec{utilization(corev1.ResourceCPU, s.CPU)}
	if s.Memory > 0 {
		if c.Grant.Requests.Memory == 0 {
			return Patch{}, declared.Faultf(declared.CodeConflict, "traits.autoscale.memory", "is a part of the memory that the component requests, and it requests none")
		}
		metrics = append(metrics, utilization(corev1.ResourceMemory, s.Memory))
	}
	if c.Run == 0 {
		return Patch{}, nil
	}
	if c.Given.Replicas.Exclusive {
		return Patch{}, declared.Faultf(declared.CodeConflict, "traits.autoscale", "excludes persistent storage, which belongs to one replica")
	}
	scaler := &autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: metav1.ObjectMeta{Name: c.Name},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: c.Kind, Name: c.Name},
			MinReplicas:    new(int32(min(s.Min, c.Run))),
			MaxReplicas:    int32(min(s.Max, c.Run)),
			Metrics:        metrics,
		},
	}
	return Patch{Objects: []runtime.Object{scaler}, Replicas: Replicas{Scaled: true}}, nil
}

// utilization is the wanted use of what pods request, in percent.
func utilization(name corev1.ResourceName, percent int) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{
		Type: autoscalingv2.ResourceMetricSourceType,
		Resource: &autoscalingv2.ResourceMetricSource{
			Name:   name,
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: new(int32(percent))},
		},
	}
}
