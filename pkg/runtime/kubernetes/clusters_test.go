package kubernetes_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/test/clustertest"
)

// pair is a Mux of two clusters. They are one API server, where each has a fleet and namespaces of
// its own; TestTwoClusters of test/e2e has two.
type pair struct {
	*clustertest.Cluster
	t        testing.TB
	fleet    string
	tenant   model.Tenant
	platform model.Platform
}

func newPair(t testing.TB) *pair {
	c := clustertest.Start(t)
	p := &pair{Cluster: c, t: t, fleet: c.Prefix(t)}
	c.AddNodes(t, p.fleet, 2, "8", "16Gi")
	nodes := map[string]string{clustertest.PoolLabel: p.fleet}
	p.tenant = model.Tenant{Name: "acme", Isolation: model.IsolationOpen, PodSecurity: model.PodSecurityBaseline, Policy: model.Policy{Namespace: "tenant"}}
	p.platform = model.Platform{Pools: []model.PoolSpec{{Name: "east", Selector: nodes}, {Name: "west", Cluster: "west", Selector: nodes}}}
	return p
}

func (p *pair) namespace(cluster string) string { return p.fleet + "-" + cluster + "-acme" }

// open returns a process that ends after a number of writes; below 0: it does not.
func (p *pair) open(ctx context.Context, writes int64) (m *runtime.Mux, dying context.Context) {
	dying, die := context.WithCancel(ctx)
	p.t.Cleanup(die)
	left := &atomic.Int64{}
	left.Store(writes)
	cfg := rest.CopyConfig(p.Config)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if writes >= 0 && r.Method != http.MethodGet && left.Add(-1) < 0 {
				die()
				return nil, context.Canceled
			}
			return next.RoundTrip(r)
		})
	})
	var adapters []runtime.Adapter
	for _, cluster := range []string{"", "west"} {
		name := map[string]string{"": "east", "west": "west"}[cluster]
		r, err := kubernetes.New(cfg, kubernetes.Options{Fleet: p.fleet + "-" + name, Prefix: p.fleet + "-" + name + "-", Cluster: cluster, Patience: patience})
		require.NoError(p.t, err)
		adapters = append(adapters, r)
	}
	m = runtime.NewMux(adapters...)
	p.t.Cleanup(m.Close)
	return m, dying
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// assign is an application whose component is in a pool.
func (p *pair) assign(name, pool string) runtime.Assignment {
	id := model.AppID{Tenant: "acme", Name: name}
	web := model.Component{
		Name: "web", Type: "worker", Runtime: "container", OS: "linux", Replicas: 1, Critical: true, QoS: model.Burstable,
		Requests: model.Resources{CPU: 10, Memory: 16 << 20}, Properties: []byte(`{"image":"example.com/web:1"}`),
	}
	spec := model.Application{ID: id, Desired: model.DesiredRunning, Policy: &model.Policy{Namespace: "tenant"}, Components: []model.Component{web}}.Seal()
	g := model.Grant{Component: "web", Replicas: 1, Requests: web.Requests, QoS: web.QoS, Pool: pool}
	inst := &model.Instance{App: id, Number: 1, Phase: model.PhaseScheduled, Spec: &spec, Components: []model.ComponentState{
		{Grant: g, Run: 1, Spec: web.Content(id), Workload: model.WorkloadDigest(&web, g, 1)},
	}}
	return runtime.Assignment{App: id, Ledger: "pair", Instance: inst, Components: runtime.ComponentsOf(inst), Tenant: &p.tenant, Platform: &p.platform}
}

// deployment returns that of an application in a cluster, nil if there is none.
func (p *pair) deployment(cluster, name string) *appsv1.Deployment {
	d, err := p.Clientset.AppsV1().Deployments(p.namespace(cluster)).Get(p.t.Context(), render.ObjectName(model.AppID{Tenant: "acme", Name: name}, "web"), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(p.t, err)
	return d
}

// bring acts until an assignment is carried out or the process ends. All the time the component runs somewhere, if it did.
func (p *pair) bring(m *runtime.Mux, ctx context.Context, a runtime.Assignment, ran bool) (done bool) {
	var r runtime.Report
	for limit := time.After(patience); ; {
		_, err := m.Inspect(ctx, &p.platform)
		if err == nil {
			r = m.Act(ctx, []runtime.Assignment{a})
			if done = r.Err == nil && r.Outcomes[0].OK(); done {
				return true
			}
		}
		if ran {
			serves := func(d *appsv1.Deployment) bool {
				return d != nil && d.DeletionTimestamp == nil && d.Status.ReadyReplicas == 1
			}
			require.True(p.t, serves(p.deployment("east", a.App.Name)) || serves(p.deployment("west", a.App.Name)), "it is never gone")
		}
		select {
		case <-ctx.Done():
			return false
		case <-m.Changed():
		case <-limit:
			require.FailNow(p.t, "it is not carried out", "%v %+v", err, r)
		}
	}
}

// TestCrashWhileMoving kills the process that moves a component to another cluster between any two
// of its writes: the next one ends the move, and the component is never gone.
func TestCrashWhileMoving(t *testing.T) {
	p := newPair(t)
	whole, ctx := p.open(t.Context(), -1)
	require.True(t, p.bring(whole, ctx, runtime.Assignment{App: model.AppID{Tenant: "acme"}, Tenant: &p.tenant, Platform: &p.platform}, false))
	for survive, done := int64(0), false; !done; survive++ {
		require.Less(t, survive, int64(20), "the move never ends")
		name := fmt.Sprintf("app%d", survive)
		require.True(t, p.bring(whole, ctx, p.assign(name, "east"), false))
		require.Eventually(t, func() bool { d := p.deployment("east", name); return d != nil && d.Status.ReadyReplicas == 1 }, patience, 20*time.Millisecond)

		dying, until := p.open(t.Context(), survive)
		done = p.bring(dying, until, p.assign(name, "west"), true)
		dying.Close()

		next, ctx := p.open(t.Context(), -1)
		require.True(t, p.bring(next, ctx, p.assign(name, "west"), true))
		require.Eventually(t, func() bool { return p.deployment("east", name) == nil }, patience, 20*time.Millisecond)
		require.NotNil(t, p.deployment("west", name))
		next.Close()
	}
}

// TestRightsMove: what a component may read of its cluster is bound in the cluster that it runs in, during a move in both,
// and then no longer where it was. A process that starts in the middle ends it.
func TestRightsMove(t *testing.T) {
	p := newPair(t)
	p.tenant.Policy.Reading = []string{"read nodes"}
	assign := func(pool string) (app, shared runtime.Assignment) {
		app = p.assign("shop", pool)
		app.Instance.Spec.Components[0].Traits = []byte(`{"rights":[{"cluster":true,"verbs":["read"],"resources":["nodes"]}]}`)
		app.Instance.Spec.Policy.Reading = p.tenant.Policy.Reading
		seal := app.Instance.Spec.Seal()
		app.Instance.Spec = &seal
		web := &seal.Components[0]
		g := model.Grant{Component: "web", Replicas: 1, Requests: web.Requests, QoS: web.QoS, Pool: pool}
		app.Instance.Components = []model.ComponentState{{Grant: g, Run: 1, Spec: web.Content(app.App), Workload: model.WorkloadDigest(web, g, 1)}}
		app.Components = runtime.ComponentsOf(app.Instance)
		held := (&model.Ledger{Instances: []model.Instance{*app.Instance}}).WithObjects()["acme"]
		return app, runtime.Assignment{App: model.AppID{Tenant: "acme"}, Ledger: "pair", Tenant: &p.tenant, Platform: &p.platform, Shared: held}
	}
	bound := func(cluster string) bool {
		_, err := p.Clientset.RbacV1().ClusterRoleBindings().Get(t.Context(), "d-aros:"+p.fleet+"-"+cluster+":acme:shop:web", metav1.GetOptions{})
		require.True(t, err == nil || apierrors.IsNotFound(err), "%v", err)
		_, role := p.Clientset.RbacV1().ClusterRoles().Get(t.Context(), "d-aros:"+p.fleet+"-"+cluster+":acme:shop:web", metav1.GetOptions{})
		require.Equal(t, apierrors.IsNotFound(err), apierrors.IsNotFound(role))
		return err == nil
	}
	m, ctx := p.open(t.Context(), -1)
	app, shared := assign("east")
	require.True(t, p.bring(m, ctx, shared, false))
	require.True(t, bound("east"))
	require.False(t, bound("west"))
	require.True(t, p.bring(m, ctx, app, false))
	require.Eventually(t, func() bool { d := p.deployment("east", "shop"); return d != nil && d.Status.ReadyReplicas == 1 }, patience, 20*time.Millisecond)

	_, err := m.Inspect(ctx, &p.platform)
	require.NoError(t, err)
	app, shared = assign("west")
	r := m.Act(ctx, []runtime.Assignment{shared})
	require.NoError(t, r.Err)
	require.True(t, r.Outcomes[0].UnderWay, "%+v", r.Outcomes[0])
	require.True(t, bound("east"), "its pods are still there")
	require.True(t, bound("west"))
	m.Close()
	m, ctx = p.open(t.Context(), -1)
	require.True(t, p.bring(m, ctx, app, true))
	require.True(t, p.bring(m, ctx, shared, false))
	require.False(t, bound("east"))
	require.True(t, bound("west"))

	shared.Shared = model.Occupancy{}
	require.True(t, p.bring(m, ctx, shared, false))
	require.False(t, bound("west"))
}
