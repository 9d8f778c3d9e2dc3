package render

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// scaling is the declaration of the autoscale trait. CPU is the target utilization in percent.
type scaling struct{ Min, Max, CPU int }

// autoscale lets an autoscaler set the number of replicas, up to the number that may
// run now. The autoscaler then owns that field. It is absent while nothing may run.
func (p *pod) autoscale(declared scaling) error {
	if declared.Min < 1 || declared.Max < declared.Min || declared.CPU < 1 {
		return faultf(CodeUnreadable, "traits.autoscale", "takes a min of at least 1, a max of at least min and the wanted use of cpu in percent")
	}
	if p.grant.Requests.CPU == 0 {
		return faultf(CodeConflict, "traits.autoscale.cpu", "is a part of the CPU that the component requests, and it requests none")
	}
	if p.run == 0 {
		return nil
	}
	p.out.add(&autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: metav1.ObjectMeta{Name: p.name},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: p.kind, Name: p.name},
			MinReplicas:    new(int32(min(declared.Min, p.run))),
			MaxReplicas:    int32(min(declared.Max, p.run)),
			Metrics: []autoscalingv2.MetricSpec{{
				Type: autoscalingv2.ResourceMetricSourceType,
				Resource: &autoscalingv2.ResourceMetricSource{
					Name: corev1.ResourceCPU,
					Target: autoscalingv2.MetricTarget{
						Type: autoscalingv2.UtilizationMetricType, AverageUtilization: new(int32(declared.CPU)),
					},
				},
			}},
		},
	})
	p.scales = true
	return nil
}
