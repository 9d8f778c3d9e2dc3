package kubernetes_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/test/clustertest"
)

// planted is a value that must never leave the cluster.
const planted = "planted-value-Xq7"

// lived is an application that runs, with a configuration, a secret and two pods, and what a ledger says of it.
type lived struct {
	*clustertest.Cluster
	t      *testing.T
	fleet  string // also the tenant and its namespace
	app    model.AppID
	nodes  []string
	ledger *model.Ledger
}

func live(t *testing.T) *lived {
	t.Parallel() // they wait more than they compute
	c := clustertest.Start(t)
	v := &lived{Cluster: c, t: t, fleet: c.Prefix(t)}
	v.app = model.AppID{Tenant: v.fleet, Name: "shop"}
	v.nodes = c.AddNodes(t, v.fleet, 1, "4", "16Gi")
	r, err := kubernetes.New(c.Config, kubernetes.Options{Fleet: v.fleet, Patience: patience})
	require.NoError(t, err)
	t.Cleanup(r.Close)
	tenant := model.Tenant{Name: v.fleet, Isolation: model.IsolationOpen, PodSecurity: model.PodSecurityBaseline, Policy: model.Policy{Namespace: "tenant"}}
	platform := &model.Platform{Pools: []model.PoolSpec{{Name: "test", Selector: map[string]string{clustertest.PoolLabel: v.fleet}}}}
	spec := model.Application{ID: v.app, Desired: model.DesiredRunning, Policy: &model.Policy{Namespace: "tenant"}, Components: []model.Component{
		{Name: "settings", Type: "config", Properties: []byte(`{"data":{"mode":"calm"}}`)},
		{Name: "token", Type: "secret", Properties: []byte(`{"data":{"token":"` + planted + `"}}`)},
		{
			Name: "web", Type: "worker", Runtime: "container", OS: "linux", Replicas: 2, Critical: true, QoS: model.Burstable,
			Requests: model.Resources{CPU: 10, Memory: 16 << 20}, Properties: []byte(`{"image":"example.com/web:1"}`),
		},
	}}.Seal()
	inst := model.Instance{App: v.app, Number: 1, Phase: model.PhaseRunning, Spec: &spec}
	for i := range spec.Components {
		c := &spec.Components[i]
		g := model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, QoS: c.QoS, Pool: "test"}
		if c.Name == "web" {
			inst.Components = append(inst.Components, model.ComponentState{Grant: g, Run: c.Replicas, Spec: c.Content(v.app), Workload: model.WorkloadDigest(c, g, c.Replicas)})
		}
	}
	assign := runtime.Assignment{App: v.app, Instance: &inst, Components: runtime.ComponentsOf(&inst), Tenant: &tenant, Platform: platform}
	report := r.Act(t.Context(), []runtime.Assignment{
		{App: model.AppID{Tenant: v.fleet}, Tenant: &tenant, Platform: platform, Shared: model.Occupancy{Apps: []model.AppID{v.app}}}, assign,
	})
	for i := range report.Outcomes {
		require.True(t, report.Outcomes[i].OK(), "%+v", report.Outcomes[i])
	}
	known := inst
	redacted := spec.Redact() // as the status branch has it
	known.Spec = &redacted
	v.ledger = &model.Ledger{Platform: platform, Tenants: []model.Tenant{tenant}, Instances: []model.Instance{known}}
	return v
}

// follow looks at the application with a connection and with rights.
func (v *lived) follow(cfg *rest.Config, o kubernetes.LiveOptions, as runtime.Person) *kubernetes.Followed {
	v.t.Helper()
	o.Fleet = v.fleet
	l, err := kubernetes.NewLive(v.t.Context(), cfg, o)
	require.NoError(v.t, err)
	f, err := l.Follow(v.app, as)
	require.NoError(v.t, err)
	v.t.Cleanup(f.Close)
	return f
}

// until looks again at each change until what is seen is as wanted.
func (v *lived) until(f *kubernetes.Followed, what string, want func(runtime.Live) bool) runtime.Live {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), patience)
	defer cancel()
	for {
		_, changed := f.Changed()
		seen, err := f.Look(ctx, v.ledger)
		if err == nil && want(seen) {
			return seen
		}
		select {
		case <-changed:
		case <-ctx.Done():
			v.t.Fatalf("it never came: %s; last %+v, %v", what, seen, err)
		}
	}
}

func ofKind(l runtime.Live, kind string) (list []runtime.LiveObject) {
	for i := range l.Objects {
		if l.Objects[i].Kind == kind {
			list = append(list, l.Objects[i])
		}
	}
	return list
}

func ready(o runtime.LiveObject) bool { return o.State == runtime.LiveReady }

// TestLive: what an application has is a tree of owners, with conditions and events, compared with what is wanted.
func TestLive(t *testing.T) {
	v := live(t)
	_, err := v.Clientset.CoreV1().Pods(v.fleet).Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "other", Labels: map[string]string{render.LabelFleet: v.fleet, render.LabelTenant: v.fleet, render.LabelApplication: "other"}},
		Spec: corev1.PodSpec{NodeSelector: map[string]string{clustertest.PoolLabel: clustertest.SharedPool},
			Containers: []corev1.Container{{Name: "c", Image: "example.com/other:1"}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	f := v.follow(v.Config, kubernetes.LiveOptions{}, runtime.Person{})
	seen := v.until(f, "two pods are ready", func(l runtime.Live) bool {
		pods := ofKind(l, "Pod")
		return len(pods) == 2 && !slices.ContainsFunc(pods, func(o runtime.LiveObject) bool { return !ready(o) }) && len(l.Events) > 0 && ready(ofKind(l, "Deployment.apps")[0])
	})
	require.Empty(t, seen.Stale)
	require.Empty(t, seen.Unseen)
	require.Empty(t, seen.Unwanted)
	require.Len(t, seen.Objects, seen.Total)

	web, sets := ofKind(seen, "Deployment.apps")[0], ofKind(seen, "ReplicaSet.apps")
	require.Len(t, sets, 1)
	require.Equal(t, web.ID, sets[0].Owner)
	require.Equal(t, &runtime.LiveReadiness{Ready: 2, Wanted: 2}, web.Ready)
	require.NotEmpty(t, web.Conditions)
	for _, pod := range ofKind(seen, "Pod") {
		require.Equal(t, sets[0].ID, pod.Owner, "the pod of another application is not here")
		require.Equal(t, "web", pod.Component)
		require.Equal(t, "example.com/web:1", pod.Containers[0].Image)
	}
	at := func(id string) int {
		return slices.IndexFunc(seen.Objects, func(o runtime.LiveObject) bool { return o.ID == id })
	}
	for _, o := range seen.Objects {
		require.Less(t, at(o.Owner), at(o.ID), "an owner comes before what it made")
		require.Empty(t, o.Fields, "%s %s is as wanted", o.Kind, o.Name)
	}
	require.True(t, web.Compared)

	_, err = v.Clientset.AppsV1().Deployments(v.fleet).Patch(t.Context(), web.Name, types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{FieldManager: "somebody"})
	require.NoError(t, err)
	settings := ofKind(seen, "ConfigMap")
	require.Len(t, settings, 1, "inventories are no objects of people")
	require.NoError(t, v.Clientset.CoreV1().ConfigMaps(v.fleet).Delete(t.Context(), settings[0].Name, metav1.DeleteOptions{}))
	seen = v.until(f, "what others did", func(l runtime.Live) bool {
		return len(ofKind(l, "Deployment.apps")[0].Fields) > 0 && len(ofKind(l, "Pod")) == 3 && ofKind(l, "ConfigMap")[0].State == runtime.LiveMissing
	})
	require.Equal(t, []runtime.LiveField{{Path: "spec.replicas", Wanted: "2", Live: "3", Manager: "somebody"}}, ofKind(seen, "Deployment.apps")[0].Fields)
	require.Equal(t, "settings", ofKind(seen, "ConfigMap")[0].Component)
}

// TestLiveSecrets: of Secrets there is that they are there, and nothing of their values, wherever these stand.
func TestLiveSecrets(t *testing.T) {
	v := live(t)
	_, err := v.Clientset.CoreV1().Secrets(v.fleet).Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "by-hand", Labels: map[string]string{render.LabelFleet: v.fleet, render.LabelTenant: v.fleet, render.LabelApplication: "shop", render.LabelComponent: "token"},
			Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: `{"stringData":{"a":"` + planted + `"}}`},
		},
		Data: map[string][]byte{planted: []byte(planted)},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	f := v.follow(v.Config, kubernetes.LiveOptions{}, runtime.Person{})
	seen := v.until(f, "both Secrets", func(l runtime.Live) bool { return len(ofKind(l, "Secret")) == 2 })
	b, err := json.Marshal(seen)
	require.NoError(t, err)
	for _, value := range []string{planted, base64.StdEncoding.EncodeToString([]byte(planted))} {
		require.NotContains(t, string(b), value)
	}
	for _, o := range ofKind(seen, "Secret") {
		require.Equal(t, runtime.LiveReady, o.State)
		require.False(t, o.Compared)
	}
}

// way is a way to a cluster that can be closed: it is refused then, as by a machine on which no API server runs.
type way struct {
	mu   sync.Mutex
	shut bool
	open []net.Conn
}

func (w *way) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shut {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		w.open = append(w.open, c)
	}
	return c, err
}

func (w *way) set(shut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shut = shut
	for _, c := range w.open {
		c.Close()
	}
	w.open = nil
}

// TestLiveAway: while the cluster does not answer, what was seen stays, with the reason; who comes meanwhile gets the reason.
func TestLiveAway(t *testing.T) {
	v := live(t)
	way := &way{}
	cfg := rest.CopyConfig(v.Config)
	cfg.Dial = way.dial
	f := v.follow(cfg, kubernetes.LiveOptions{}, runtime.Person{})
	before := v.until(f, "pods", func(l runtime.Live) bool { return len(ofKind(l, "Pod")) == 2 })
	way.set(true)
	away := v.until(f, "it is away", func(l runtime.Live) bool { return l.Stale != "" })
	require.Len(t, away.Objects, len(before.Objects))
	_, err := v.follow(cfg, kubernetes.LiveOptions{}, runtime.Person{}).Look(t.Context(), v.ledger)
	require.ErrorContains(t, err, "the cluster shows nothing of "+v.app.String())
	way.set(false)
	v.until(f, "it is back", func(l runtime.Live) bool { return l.Stale == "" })
}

// TestLiveImpersonates: each person sees what the cluster lets them see, and nobody is what Kubernetes itself is.
func TestLiveImpersonates(t *testing.T) {
	v := live(t)
	v.allow("readers", []string{"pods"})
	as := kubernetes.LiveOptions{Impersonate: true}
	f := v.follow(v.Config, as, runtime.Person{Name: "ann@example.com", Groups: []string{"readers"}})
	seen := v.until(f, "pods", func(l runtime.Live) bool { return len(ofKind(l, "Pod")) == 2 })
	require.Len(t, seen.Objects, 2, "%+v", seen.Objects)
	require.Contains(t, strings.Join(seen.Unseen, "\n"), `secrets is forbidden: User "ann@example.com" cannot `)

	_, err := v.follow(v.Config, as, runtime.Person{Name: "bob@example.com"}).Look(t.Context(), v.ledger)
	require.ErrorContains(t, err, `is forbidden: User "bob@example.com" cannot `)
	l, err := kubernetes.NewLive(t.Context(), v.Config, as)
	require.NoError(t, err)
	for _, p := range []runtime.Person{{}, {Name: "system:admin"}, {Name: "eve", Groups: []string{"system:masters"}}} {
		_, err := l.Follow(v.app, p)
		require.ErrorContains(t, err, "the cluster shows nothing", "%+v", p)
	}

	weak := rest.CopyConfig(v.Config)
	weak.Impersonate = rest.ImpersonationConfig{UserName: "weak"}
	_, err = kubernetes.NewLive(t.Context(), weak, as)
	require.ErrorContains(t, err, "the cluster does not let us impersonate users")
	_, err = kubernetes.NewLive(t.Context(), weak, kubernetes.LiveOptions{})
	require.NoError(t, err, "without impersonation nothing is asked")
}

// TestLiveHolds: the watches of an application end with it.
func TestLiveHolds(t *testing.T) {
	v := live(t)
	f := v.follow(v.Config, kubernetes.LiveOptions{}, runtime.Person{})
	v.until(f, "pods", func(l runtime.Live) bool { return len(ofKind(l, "Pod")) == 2 })
	f.Close()
	f.Close()
	was, _ := f.Changed()
	require.NoError(t, v.Clientset.CoreV1().ConfigMaps(v.fleet).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	v.until(v.follow(v.Config, kubernetes.LiveOptions{}, runtime.Person{}), "somebody else sees that it is gone", func(l runtime.Live) bool {
		return ofKind(l, "ConfigMap")[0].State == runtime.LiveMissing
	})
	now, _ := f.Changed()
	require.Equal(t, was, now)
}
