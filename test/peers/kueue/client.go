package main

import (
	"context"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta1"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// apiServer is an API server that costs nothing: it knows the workloads by name, finds every list empty, and takes each
// patch of a status without keeping it.
type apiServer struct {
	client.Client // nil: whatever else the scheduler asked for would end the program

	workloads map[string]*kueue.Workload // as they were declared
	stop      func(*kueue.Workload)      // is told about each workload that is evicted
	retry     chan struct{}              // gets one when a cycle begins after which more may fit than before

	calls, cycles, admitted, evicted atomic.Int64

	deciding atomic.Bool // a cycle has looked at its first workload
	freed    atomic.Bool // somebody was evicted since the last cycle
}

func (a *apiServer) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	a.calls.Add(1)
	switch into := into.(type) {
	case *kueue.Workload:
		*into = *a.workloads[key.Name]
	case *corev1.Namespace:
		if !a.deciding.Swap(true) {
			a.cycles.Add(1)
		}
	}
	return nil
}

func (a *apiServer) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

func (a *apiServer) Status() client.SubResourceWriter { return status{of: a} }

// ClusterQueueActive is asked about every queue when a cycle begins, and before the scheduler waits for work.
func (a *apiServer) ClusterQueueActive(kueue.ClusterQueueReference) bool {
	a.calls.Add(1)
	a.deciding.Store(false)
	if a.freed.Swap(false) {
		select {
		case a.retry <- struct{}{}:
		default:
		}
	}
	return true
}

type status struct {
	client.SubResourceWriter
	of *apiServer
}

func (s status) Patch(_ context.Context, obj client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	s.of.calls.Add(1)
	w, ok := obj.(*kueue.Workload)
	if !ok {
		return nil
	}
	switch {
	case apimeta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadEvicted):
		s.of.evicted.Add(1)
		s.of.stop(s.of.workloads[w.Name])
		s.of.freed.Store(true)
	case apimeta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadQuotaReserved):
		s.of.admitted.Add(1)
	}
	return nil
}
