package render

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// autoscale lets the load set the number of replicas, up to the number that may run now.
// The field belongs to the autoscaler then. Nothing runs, nothing scales.
func autoscale(c traitContext) (result traitResult, err error) {
	var declared struct{ Min, Max, CPU int }
	if err := c.decode("autoscale", &declared); err != nil {
		return result, err
	}
	if declared.Min < 1 || declared.Max < declared.Min || declared.CPU < 1 {
		return result, faultf(CodeUnreadable, "traits.autoscale", "takes a min of at least 1, a max of at least min and the wanted use of cpu in percent")
	}
	if c.grant.Requests.CPU == 0 {
		return result, faultf(CodeConflict, "traits.autoscale.cpu", "is a part of the CPU that the component requests, and it requests none")
	}
	if c.run == 0 {
		return result, nil
	}
	c.out.add(&autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: metav1.ObjectMeta{Name: c.name},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: c.kind, Name: c.name},
			MinReplicas:    pointer(int32(min(declared.Min, c.run))),
			MaxReplicas:    int32(min(declared.Max, c.run)),
			Metrics: []autoscalingv2.MetricSpec{{
				Type: autoscalingv2.ResourceMetricSourceType,
				Resource: &autoscalingv2.ResourceMetricSource{
					Name: corev1.ResourceCPU,
					Target: autoscalingv2.MetricTarget{
						Type: autoscalingv2.UtilizationMetricType, AverageUtilization: pointer(int32(declared.CPU)),
					},
				},
			}},
		},
	})
	result.scales = true
	return result, nil
}
