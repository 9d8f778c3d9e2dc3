package kubernetes_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/test/clustertest"
)

// What nodes report is part of what is seen: of nodes of the pool alone, in the pool's name,
// and only what an agent could have written. What a node wrote that is gone, and what leaves no
// room for others, is taken out.
func TestReportsOfNodes(t *testing.T) {
	f := setup(t)
	namespace := f.fleet + "-nodes"
	r, err := kubernetes.New(f.Config, kubernetes.Options{Fleet: f.fleet, Agents: namespace})
	require.NoError(t, err)
	t.Cleanup(r.Close)
	_, err = f.Clientset.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	nodes := f.AddNodes(t, f.fleet, 3, "4", "8Gi")
	small, hostile, huge := nodes[0], nodes[1], nodes[2]
	pools := []model.PoolSpec{{Name: "edge", Selector: map[string]string{clustertest.PoolLabel: "another"}}, {Name: "general", Selector: map[string]string{clustertest.PoolLabel: f.fleet}}}
	platform := &model.Platform{Pools: pools}
	see := func(what string, want ...model.Shortfall) {
		t.Helper()
		var seen model.Observation
		require.Eventually(t, func() bool {
			seen, err = r.Inspect(t.Context(), platform)
			return err == nil && len(seen.Shortfalls) == len(want)
		}, patience, 10*time.Millisecond, what)
		require.ElementsMatch(t, want, seen.Shortfalls, what)
	}
	see("nobody was asked yet")
	plans := map[string][]byte{"general": []byte("{}"), "edge": []byte("{}")}
	require.NoError(t, r.Plan(t.Context(), nil, plans))

	client := f.Clientset.CoreV1().ConfigMaps(namespace)
	report := qos.NewReport([]qos.Shortfall{
		{Workload: "acme/shop/web", Resource: "cpu", Promised: 250, Kept: 10, Reason: "it is small"},
		{Workload: "system/sshd.service", Setting: "cpu.max", Reason: "invalid argument"}, {Workload: "nobody", Setting: "cpu.max"},
	}).Encode()
	write := func(pool string, data map[string]string) {
		t.Helper()
		c, err := client.Get(t.Context(), kubernetes.ReportName(f.fleet, pool), metav1.GetOptions{})
		require.NoError(t, err)
		c.Data = data
		_, err = client.Update(t.Context(), c, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	write("edge", map[string]string{small: report})
	write("general", map[string]string{
		small: report, "gone": report, hostile: strings.Replace(report, `"reason"`, `"evict":"acme/shop","reason"`, 1), huge: strings.Repeat("x", qos.MaxReport+1),
	})
	unit := model.Shortfall{Unit: "sshd.service", Pool: "general", Node: small, Setting: "cpu.max", Why: "invalid argument"}
	want := model.Shortfall{App: model.AppID{Tenant: "acme", Name: "shop"}, Component: "web", Pool: "general", Node: small, Resource: "cpu", Promised: 250, Kept: 10, Why: "it is small"}
	see("of a node of the pool", unit, want)

	require.NoError(t, r.Plan(t.Context(), nil, plans))
	c, err := client.Get(t.Context(), kubernetes.ReportName(f.fleet, "general"), metav1.GetOptions{})
	require.NoError(t, err)
	require.NotContains(t, c.Data, "gone")
	require.NotContains(t, c.Data, huge)
	require.Contains(t, c.Data, small)
	require.Contains(t, c.Data, hostile)
	version := c.ResourceVersion
	see("it stays", unit, want)
	require.NoError(t, r.Plan(t.Context(), nil, plans))
	c, err = client.Get(t.Context(), c.Name, metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, version, c.ResourceVersion, "nothing differs")

	write("general", nil)
	see("it is kept again")
}
