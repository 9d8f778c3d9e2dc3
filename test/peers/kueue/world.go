package main

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta1"
)

// namespace and flavor are those of everything.
const (
	namespace = "fleet"
	flavor    = "general"
)

// world is what is to be decided, as the bench of arbitration writes it. CPU is in thousandths.
type world struct {
	Fair      bool       `json:"fair"` // fair sharing
	Queues    []queue    `json:"queues"`
	Workloads []declared `json:"workloads"` // the oldest first
}

type queue struct {
	Name, Cohort string
	Nominal      int64
	Borrow       *int64 // nil: without limit
}

type declared struct {
	Name, Queue string
	CPU         int64
	Priority    int32
	Running     bool
}

func (q queue) objects() (*kueue.ClusterQueue, *kueue.LocalQueue) {
	quota := kueue.ResourceQuota{Name: corev1.ResourceCPU, NominalQuota: *resource.NewMilliQuantity(q.Nominal, resource.DecimalSI)}
	if q.Borrow != nil {
		quota.BorrowingLimit = resource.NewMilliQuantity(*q.Borrow, resource.DecimalSI)
	}
	whole := &kueue.ClusterQueue{
		ObjectMeta: metav1.ObjectMeta{Name: q.Name},
		Spec: kueue.ClusterQueueSpec{
			Cohort:            kueue.CohortReference(q.Cohort),
			QueueingStrategy:  kueue.BestEffortFIFO,
			NamespaceSelector: &metav1.LabelSelector{},
			ResourceGroups: []kueue.ResourceGroup{{
				CoveredResources: []corev1.ResourceName{corev1.ResourceCPU},
				Flavors:          []kueue.FlavorQuotas{{Name: flavor, Resources: []kueue.ResourceQuota{quota}}},
			}},
			Preemption: &kueue.ClusterQueuePreemption{
				ReclaimWithinCohort: kueue.PreemptionPolicyAny,
				WithinClusterQueue:  kueue.PreemptionPolicyLowerPriority,
			},
			FlavorFungibility: &kueue.FlavorFungibility{WhenCanBorrow: kueue.Borrow, WhenCanPreempt: kueue.TryNextFlavor},
		},
	}
	local := &kueue.LocalQueue{
		ObjectMeta: metav1.ObjectMeta{Name: q.Name, Namespace: namespace},
		Spec:       kueue.LocalQueueSpec{ClusterQueue: kueue.ClusterQueueReference(q.Name)},
	}
	return whole, local
}

// object returns the nth workload. Its time of creation is unique: Kueue's order among equals depends on the iteration of
// maps.
func (d declared) object(n int) *kueue.Workload {
	created := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC))
	requests := corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(d.CPU, resource.DecimalSI)}
	w := &kueue.Workload{
		ObjectMeta: metav1.ObjectMeta{Name: d.Name, Namespace: namespace, UID: types.UID(fmt.Sprint("u", n)), CreationTimestamp: created},
		Spec: kueue.WorkloadSpec{
			QueueName: kueue.LocalQueueName(d.Queue),
			Priority:  &d.Priority,
			PodSets: []kueue.PodSet{{
				Name: kueue.DefaultPodSetName, Count: 1,
				Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
					Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: requests}}},
				}},
			}},
		},
	}
	if d.Running {
		count := int32(1)
		w.Status.Admission = &kueue.Admission{
			ClusterQueue: kueue.ClusterQueueReference(d.Queue),
			PodSetAssignments: []kueue.PodSetAssignment{{
				Name: kueue.DefaultPodSetName, Count: &count, ResourceUsage: requests,
				Flavors: map[corev1.ResourceName]kueue.ResourceFlavorReference{corev1.ResourceCPU: flavor},
			}},
		}
		for _, kind := range []string{kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted} {
			w.Status.Conditions = append(w.Status.Conditions, metav1.Condition{
				Type: kind, Status: metav1.ConditionTrue, Reason: "Admitted", LastTransitionTime: created,
			})
		}
	}
	return w
}
