package trait

import (
	"cmp"
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{
	Name: "autoscale", Needs: []string{"storage"}, Kinds: []string{"Deployment"}, Stable: true,
	Process: reading("autoscale", autoscale),
})

// scaling is the declaration of the autoscale trait. CPU and memory are the target utilization in percent.
type scaling struct {
	Min, Max, CPU, Memory int
	Metrics               []metric
	Up, Down              *pace
}

// metric is a number that the cluster tells beside CPU and memory, and how large it shall be.
type metric struct {
	Type    string // pods, object or external
	Name    string
	Kind    string // of the object
	Labels  map[string]string
	Average string // of all replicas, or
	Value   string // in all
}

// autoscale lets an autoscaler set the number of replicas, up to the number that may
// run now. The autoscaler then owns that field. It is absent while nothing may run.
func autoscale(c Context, s scaling) (Patch, error) {
	if s.Min < 1 || s.Max < s.Min || s.CPU+s.Memory+len(s.Metrics) < 1 {
		return Patch{}, declared.Faultf(declared.CodeUnreadable, "traits.autoscale", "takes a min of at least 1, a max of at least min, and what decides: cpu or memory in percent, or metrics")
	}
	metrics, err := s.metrics(c)
	up, noUp := s.Up.rules("traits.autoscale.up")
	down, noDown := s.Down.rules("traits.autoscale.down")
	if err := cmp.Or(err, noUp, noDown); err != nil || c.Run == 0 {
		return Patch{}, err
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
	if up != nil || down != nil {
		scaler.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: up, ScaleDown: down}
	}
	return Patch{Objects: []runtime.Object{scaler}, Replicas: Replicas{Scaled: true}}, nil
}

// metrics returns all that decides about the number of replicas.
func (s scaling) metrics(c Context) (all []autoscalingv2.MetricSpec, err error) {
	if s.CPU > 0 {
		if c.Grant.Requests.CPU == 0 {
			return nil, declared.Faultf(declared.CodeConflict, "traits.autoscale.cpu", "is a part of the CPU that the component requests, and it requests none")
		}
		all = append(all, utilization(corev1.ResourceCPU, s.CPU))
	}
	if s.Memory > 0 {
		if c.Grant.Requests.Memory == 0 {
			return nil, declared.Faultf(declared.CodeConflict, "traits.autoscale.memory", "is a part of the memory that the component requests, and it requests none")
		}
		all = append(all, utilization(corev1.ResourceMemory, s.Memory))
	}
	for i, m := range s.Metrics {
		spec, err := m.spec(fmt.Sprintf("traits.autoscale.metrics.%d", i), c)
		if err != nil {
			return nil, err
		}
		all = append(all, spec)
	}
	return all, nil
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

// spec returns the metric as the autoscaler reads it. An object is one that the component comes to, so that nobody
// follows what others have.
func (m metric) spec(path string, c Context) (spec autoscalingv2.MetricSpec, err error) {
	target := autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType}
	amount, err := resource.ParseQuantity(cmp.Or(m.Average, m.Value))
	if err != nil || amount.Sign() <= 0 || (m.Average == "") == (m.Value == "") {
		return spec, declared.Faultf(declared.CodeUnreadable, path, "takes either average or value, an amount above 0 such as 100 or 500m")
	}
	if target.AverageValue = &amount; m.Value != "" {
		target = autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: &amount}
	}
	is := autoscalingv2.MetricIdentifier{Name: m.Name}
	if len(m.Labels) > 0 {
		is.Selector = &metav1.LabelSelector{MatchLabels: m.Labels}
	}
	switch m.Type {
	case "pods":
		if m.Value != "" {
			return spec, declared.Faultf(declared.CodeUnreadable, path+".value", "is of all pods, and a metric of pods has an average")
		}
		spec.Type, spec.Pods = autoscalingv2.PodsMetricSourceType, &autoscalingv2.PodsMetricSource{Metric: is, Target: target}
	case "object":
		of := autoscalingv2.CrossVersionObjectReference{APIVersion: "v1", Kind: "Service", Name: c.Name}
		if m.Kind == "Ingress" {
			of.APIVersion, of.Kind = "networking.k8s.io/v1", m.Kind
		}
		spec.Type, spec.Object = autoscalingv2.ObjectMetricSourceType, &autoscalingv2.ObjectMetricSource{DescribedObject: of, Metric: is, Target: target}
	case "external":
		spec.Type, spec.External = autoscalingv2.ExternalMetricSourceType, &autoscalingv2.ExternalMetricSource{Metric: is, Target: target}
	default:
		return spec, declared.Faultf(declared.CodeUnreadable, path+".type", "%q is not a type of metric", m.Type)
	}
	return spec, nil
}
