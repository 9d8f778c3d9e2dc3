package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestFiftyPodsWithoutRequests: pods for which nobody wrote requests have those of policy,
// count against the quota of 4 CPUs, and leave the rest of it to others.
func TestFiftyPodsWithoutRequests(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "32Gi")
	part := func(name string, replicas int) string {
		return fmt.Sprintf("%s: {type: \"worker\", replicas: %d, properties: image: \"registry.example.com/web:1\"}\n", name, replicas)
	}
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 4, ""), app("acme", "many", part("a", 20)+part("b", 20)+part("c", 10))))
	in := w.phase("acme/many", model.PhaseRunning)
	var used model.Resources
	for i := range in.Components {
		used = used.Add(in.Components[i].Takes())
	}
	require.Equal(t, model.Resources{CPU: 2500, Memory: 50 * 64 << 20}, used)

	d, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").Get(t.Context(), "many-a", metav1.GetOptions{})
	require.NoError(t, err)
	requests := d.Spec.Template.Spec.Containers[0].Resources.Requests
	require.Equal(t, "50m", requests.Cpu().String())
	require.Equal(t, "64Mi", requests.Memory().String())

	w.commit("more", app("acme", "shop", web(4, "1")))
	refused := w.phase("acme/shop", model.PhaseRejected)
	require.Contains(t, refused.Message, "asks for 2000m cpu, tenant acme has 1500m of 4000m left")
}

// TestQuotaBelowUse: a quota that is lowered from 40 to 6 CPUs at 6500m granted starts no
// outage: the pod that dies has its place in the ResourceQuota, and a fix of an image arrives.
func TestQuotaBelowUse(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "32Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 40, ""), app("acme", "shop", web(13, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	quota := func() string {
		q, err := w.cluster.Clientset.CoreV1().ResourceQuotas(w.name+"-acme").Get(t.Context(), "d-aros", metav1.GetOptions{})
		require.NoError(t, err)
		hard := q.Spec.Hard["requests.cpu"]
		return hard.String()
	}
	require.Equal(t, "40", quota())
	w.commit("less", tenant("acme", 6, ""))
	w.until("the tenant is over quota", func(l *model.Ledger) bool { return len(l.OverQuota) == 1 })
	w.settled()
	require.Equal(t, "7", quota(), "13 pods, and one more of a rolling update")
	over := w.ledger().OverQuota
	require.Equal(t, []any{"acme", "cpu", int64(6500), int64(6000)}, []any{over[0].Tenant, over[0].Resource, over[0].Granted, over[0].Limit})
	require.False(t, over[0].Since.IsZero())

	pods := w.cluster.Clientset.CoreV1().Pods(w.name + "-acme")
	list, err := pods.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 13)
	died := list.Items[0]
	require.NoError(t, pods.Delete(t.Context(), died.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
	require.Eventually(t, func() bool {
		now, err := pods.List(t.Context(), metav1.ListOptions{})
		d, errOf := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").Get(t.Context(), "shop-web", metav1.GetOptions{})
		gone := err == nil && !slices.ContainsFunc(now.Items, func(p corev1.Pod) bool { return p.UID == died.UID })
		return gone && errOf == nil && d.Status.ReadyReplicas == 13
	}, patience, 100*time.Millisecond, "the pod that died comes back")

	w.commit("a fix", app("acme", "shop", web(13, "2")))
	w.until("the fix runs", func(l *model.Ledger) bool {
		in, ok := l.Find(model.AppID{Tenant: "acme", Name: "shop"})
		d, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").Get(t.Context(), "shop-web", metav1.GetOptions{})
		return err == nil && ok && in.Phase == model.PhaseRunning && in.Refused == nil && d.Spec.Template.Spec.Containers[0].Image == "registry.example.com/web:2"
	})
	w.commit("more", app("acme", "more", web(1, "1")))
	require.Equal(t, model.ReasonQuotaExceeded, w.phase("acme/more", model.PhaseRejected).Reason)
}
