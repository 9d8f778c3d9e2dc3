package kubernetes_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/runtimetest"
)

// TestConformance holds the adapter to the contract of all runtimes, on a real API server.
func TestConformance(t *testing.T) {
	c := clustertest.Start(t)
	s := subject(t, c)
	s.Program = model.Component{
		Type: "worker", Runtime: "container", OS: "linux", Requests: model.Resources{CPU: 10, Memory: 16 << 20}, QoS: model.Burstable,
		Properties: []byte(`{"image":"example.com/web:1"}`),
	}
	s.Crashing, s.ExitCode = []byte(`{"image":"example.com/web:1","labels":{"kwok.d-aros.dev/fail":"crash"}}`), 1
	s.Interfere = func(t testing.TB, app model.AppID, component string) {
		_, err := c.Clientset.AppsV1().Deployments(s.Tenant.Name).Patch(t.Context(), render.ObjectName(app, component), types.MergePatchType,
			fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, 5), metav1.PatchOptions{FieldManager: "somebody"})
		require.NoError(t, err)
	}
	runtimetest.Run(t, s)
}

// TestConformanceOfMachines holds it to the same contract where it carries virtual machines: a controller in the test plays KubeVirt.
func TestConformanceOfMachines(t *testing.T) {
	c := clustertest.Start(t)
	s := subject(t, c)
	c.KubeVirt(t, s.Tenant.Name)
	s.Program = model.Component{
		Type: "vm", Runtime: "virtual-machine", OS: "linux", Requests: model.Resources{CPU: 10, Memory: 16 << 20}, QoS: model.Burstable,
		Properties: []byte(`{"image":"example.com/guest:1","disks":[{"name":"data","type":"persistent","size":"1Gi"}]}`),
	}
	s.Crashing, s.ExitCode = []byte(`{"image":"example.com/guest:1","labels":{"kubevirt.d-aros.dev/guest":"crash"}}`), 1
	s.Endless = true
	machines := dynamic.NewForConfigOrDie(c.Config).Resource(clustertest.Machines).Namespace(s.Tenant.Name)
	s.Interfere = func(t testing.TB, app model.AppID, component string) {
		_, err := machines.Patch(t.Context(), render.ObjectName(app, component)+"-0", types.MergePatchType,
			[]byte(`{"spec":{"runStrategy":"Halted"}}`), metav1.PatchOptions{FieldManager: "somebody"})
		require.NoError(t, err)
	}
	runtimetest.Run(t, s)
}

// subject is the adapter with a pool of its own, and hands on its connection.
func subject(t *testing.T, c *clustertest.Cluster) runtimetest.Subject {
	fleet := c.Prefix(t)
	c.AddNodes(t, fleet, 2, "4", "16Gi")
	open := func(t testing.TB, cfg *rest.Config, patience time.Duration) runtime.Adapter {
		r, err := kubernetes.New(cfg, kubernetes.Options{Fleet: fleet, Patience: patience})
		require.NoError(t, err)
		t.Cleanup(r.Close)
		return r
	}
	return runtimetest.Subject{
		Open: func(t testing.TB) runtime.Adapter { return open(t, c.Config, patience) },
		Behind: func(t testing.TB) (runtime.Adapter, func(bool)) {
			host, err := url.Parse(c.Config.Host)
			require.NoError(t, err)
			g := newGate(t, host.Host)
			cfg := rest.CopyConfig(c.Config)
			cfg.Host = "https://" + g.listener.Addr().String()
			return open(t, cfg, 0), g.set
		},
		Tenant:   model.Tenant{Name: fleet, Isolation: model.IsolationOpen, PodSecurity: model.PodSecurityBaseline, Policy: model.Policy{Namespace: "tenant"}},
		Platform: &model.Platform{Pools: []model.PoolSpec{{Name: "test", Selector: map[string]string{clustertest.PoolLabel: fleet}}}},
	}
}
