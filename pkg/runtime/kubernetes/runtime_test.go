package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/test/clustertest"
)

const patience = 2 * time.Minute

// fixture is a fleet with one tenant and a pool of its own.
type fixture struct {
	*clustertest.Cluster
	t        testing.TB
	fleet    string // also the tenant, its namespace and the pool
	platform *model.Platform
	runtime  *kubernetes.Runtime
}

func setup(t testing.TB) *fixture {
	cl := clustertest.Start(t)
	f := &fixture{Cluster: cl, t: t, fleet: cl.Prefix(t)}
	f.platform = &model.Platform{Pools: []model.PoolSpec{{
		Name: "test", Selector: map[string]string{clustertest.PoolLabel: f.fleet}, TopologyKey: corev1.LabelTopologyZone,
	}}}
	f.runtime = f.restart()
	r := f.runtime.Apply(t.Context(), []render.Set{f.set("", 1, "{apiVersion: v1, kind: Namespace, metadata: {name: "+f.fleet+"}}")})
	require.True(t, r.Sets[0].OK(), "%+v", r)
	return f
}

func (f *fixture) restart() *kubernetes.Runtime {
	r, err := kubernetes.New(f.Config, kubernetes.Options{Fleet: f.fleet, Patience: patience})
	require.NoError(f.t, err)
	f.t.Cleanup(r.Close)
	return r
}

// set makes a set of one component named main, of the given version.
func (f *fixture) set(app string, version int, manifests ...string) render.Set {
	s := render.Set{App: model.AppID{Tenant: f.fleet, Name: app}, Namespace: f.fleet}
	for _, m := range manifests {
		b, err := yaml.YAMLToJSON([]byte(m))
		require.NoError(f.t, err, m)
		u := &unstructured.Unstructured{}
		require.NoError(f.t, u.UnmarshalJSON(b))
		o := render.Object{Component: "main", Object: u}
		labels := map[string]any{render.LabelFleet: f.fleet, render.LabelTenant: f.fleet}
		annotations := map[string]any{}
		if app != "" {
			labels[render.LabelApplication], labels[render.LabelComponent] = app, "main"
			annotations[render.AnnotationWorkload] = fmt.Sprintf("%s.%d", digest(version), len(manifests))
			u.SetNamespace(f.fleet)
			o.Stage = render.StageWorkload
		}
		for k, v := range u.GetLabels() {
			labels[k] = v
		}
		metadata := u.Object["metadata"].(map[string]any)
		metadata["labels"] = labels
		if spec, ok := u.Object["spec"].(map[string]any); ok && spec["template"] != nil {
			spec["template"].(map[string]any)["metadata"] = map[string]any{"labels": labels}
		}
		metadata["annotations"] = annotations
		annotations[render.AnnotationApplied] = string(model.DigestOf(u.Object))
		o.JSON, err = json.Marshal(u.Object)
		require.NoError(f.t, err)
		s.Objects = append(s.Objects, o)
	}
	return s
}

func digest(version int) model.Digest { return model.DigestOf(version) }

// pods is the part of a manifest that says what runs, in the test's own pool.
func (f *fixture) pods(restart, cpu string) string {
	return fmt.Sprintf(`template: {spec: {restartPolicy: %s, nodeSelector: {%s: %s}, containers: [{name: c, image: "example.com/c:1", resources: {requests: {cpu: %q}}}]}}`,
		restart, clustertest.PoolLabel, f.fleet, cpu)
}

func (f *fixture) deployment(name, fail string, replicas int, cpu string) string {
	return fmt.Sprintf(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s, labels: {kwok.d-aros.dev/fail: %q}}, spec: {replicas: %d,
	  progressDeadlineSeconds: 600, selector: {matchLabels: {d-aros.dev/application: %s}}, %s}}`, name, fail, replicas, name, f.pods("Always", cpu))
}

func (f *fixture) act(sets ...render.Set) {
	f.t.Helper()
	r := f.runtime.Apply(f.t.Context(), sets)
	require.NoError(f.t, r.Err)
	for _, s := range r.Sets {
		require.True(f.t, s.OK(), "%+v", s)
	}
}

func (f *fixture) inspect() model.Observation {
	f.t.Helper()
	o, err := f.runtime.Inspect(f.t.Context(), f.platform)
	require.NoError(f.t, err)
	return o
}

// until waits until the workload is as wanted.
func (f *fixture) until(app, what string, want func(model.Workload) bool) model.Workload {
	f.t.Helper()
	var last model.Workload
	for limit := time.After(patience); ; {
		o := f.inspect()
		if w, ok := o.Find(model.AppID{Tenant: f.fleet, Name: app}, "main"); ok {
			if last = *w; want(last) {
				return last
			}
		}
		select {
		case <-f.runtime.Changed():
		case <-limit:
			f.t.Fatalf("%s never came: %s; last %+v, %+v", app, what, last, last.Failure)
		}
	}
}

func failing(reason string) func(model.Workload) bool {
	return func(w model.Workload) bool { return w.Failure != nil && w.Failure.Reason == reason }
}

func TestWorkloadsBecomeReady(t *testing.T) {
	f := setup(t)
	f.AddNodes(t, f.fleet, 3, "16", "64Gi")
	service := "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {d-aros.dev/application: web}, ports: [{port: 80}]}}"
	f.act(
		f.set("web", 1, f.deployment("web", "", 2, "100m"), service),
		f.set("store", 1, `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: store}, spec: {replicas: 2, serviceName: store,
		  selector: {matchLabels: {d-aros.dev/application: store}}, `+f.pods("Always", "100m")+`}}`),
		f.set("daemon", 1, `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: daemon}, spec: {
		  selector: {matchLabels: {d-aros.dev/application: daemon}}, `+f.pods("Always", "100m")+`}}`),
		f.set("job", 1, "{apiVersion: batch/v1, kind: Job, metadata: {name: job}, spec: {"+f.pods("Never", "100m")+"}}"),
		f.set("paused", 1, "{apiVersion: batch/v1, kind: Job, metadata: {name: paused}, spec: {suspend: true, "+f.pods("Never", "100m")+"}}"),
		f.set("config", 1, "{apiVersion: v1, kind: ConfigMap, metadata: {name: config}, data: {a: b}}"),
		f.set("idle", 1, f.deployment("idle", "", 0, "100m")),
	)
	ready := func(n int) func(model.Workload) bool {
		return func(w model.Workload) bool {
			return w.Current && w.Ready == n && w.Replicas == n && w.Digest == digest(1) && w.Failure == nil
		}
	}
	f.until("web", "2 ready", ready(2))
	f.until("store", "2 ready", ready(2))
	f.until("daemon", "3 ready", ready(3))
	f.until("config", "there", ready(1))
	f.until("idle", "nothing runs", ready(0))
	require.False(t, f.until("paused", "suspended is what it asks for", func(w model.Workload) bool { return w.Current }).Done)
	f.until("job", "done", func(w model.Workload) bool { return w.Current && w.Done })

	t.Run("a restart sees the same", func(t *testing.T) {
		before := f.runtime
		f.runtime = f.restart()
		require.Eventually(t, func() bool { // both see it when others on the nodes come and go
			want, err := before.Inspect(t.Context(), f.platform)
			return err == nil && reflect.DeepEqual(want, f.inspect())
		}, patience, 100*time.Millisecond)
		require.Len(t, f.runtime.Drifted(), 7, "what another process made is looked at once")
	})
	t.Run("readiness is about the present spec", func(t *testing.T) {
		f.act(f.set("web", 2, f.deployment("web", "", 3, "200m"), service))
		w, _ := f.find("web")
		require.False(t, w.Current && w.Digest == digest(2) && w.Ready < 3)
		f.until("web", "version 2 runs", func(w model.Workload) bool { return w.Current && w.Digest == digest(2) && w.Ready == 3 })
	})
	t.Run("a part of the spec is not the spec", func(t *testing.T) {
		require.NoError(t, f.Clientset.CoreV1().Services(f.fleet).Delete(t.Context(), "web", metav1.DeleteOptions{}))
		f.until("web", "service is missing", func(w model.Workload) bool { return !w.Current })
		require.Equal(t, []model.AppID{{Tenant: f.fleet, Name: "web"}}, f.runtime.Drifted())
		f.act(f.set("web", 2, f.deployment("web", "", 3, "200m"), service))
		f.until("web", "whole again", func(w model.Workload) bool { return w.Current })
	})
	t.Run("what is destroyed is gone", func(t *testing.T) {
		f.act(f.set("web", 1))
		require.Eventually(t, func() bool { _, ok := f.find("web"); return !ok }, patience, 20*time.Millisecond)
	})
}

func (f *fixture) find(app string) (model.Workload, bool) {
	o := f.inspect()
	w, ok := o.Find(model.AppID{Tenant: f.fleet, Name: app}, "main")
	if !ok {
		return model.Workload{}, false
	}
	return *w, true
}

func TestFailuresHaveClasses(t *testing.T) {
	f := setup(t)
	f.AddNodes(t, f.fleet, 1, "4", "16Gi")
	f.act(
		f.set("crash", 1, f.deployment("crash", "crash", 1, "10m")),
		f.set("oom", 1, f.deployment("oom", "oom", 1, "10m")),
		f.set("image", 1, f.deployment("image", "image", 1, "10m")),
		f.set("slow", 1, f.deployment("slow", "never-ready", 1, "10m")),
		f.set("big", 1, f.deployment("big", "", 1, "100")),
		f.set("job", 1, `{apiVersion: batch/v1, kind: Job, metadata: {name: job, labels: {kwok.d-aros.dev/fail: job-fail}}, spec: {backoffLimit: 0, `+
			f.pods("Never", "10m")+`}}`),
	)
	w := f.until("crash", "crash", failing(kubernetes.ContainerCrash))
	require.Equal(t, model.Failure{Class: "runtime", Reason: "ContainerCrash", ExitCode: 1, Message: "container c ends with exit code 1", Restarts: 5}, *w.Failure)
	require.False(t, w.Current)
	w = f.until("oom", "out of memory", failing(kubernetes.OutOfMemory))
	require.Equal(t, 137, w.Failure.ExitCode)
	require.Equal(t, 9, w.Failure.Signal)
	w = f.until("image", "no image", failing(kubernetes.ImageUnavailable))
	require.Equal(t, "container c: image example.com/c:1 cannot be pulled", w.Failure.Message)
	w = f.until("big", "no node", failing(kubernetes.Unschedulable))
	require.Equal(t, "infrastructure", w.Failure.Class)
	require.Contains(t, w.Failure.Message, "Insufficient cpu")
	w = f.until("job", "job failed", func(w model.Workload) bool { return w.Failure != nil && w.Failure.Final })
	require.Equal(t, kubernetes.JobFailed, w.Failure.Reason)
	require.Equal(t, 3, w.Failure.ExitCode)
	require.False(t, w.Done)
	slow, _ := f.find("slow")
	require.False(t, slow.Current)
	require.Zero(t, slow.Ready)

	t.Run("an older spec's failure is history", func(t *testing.T) {
		f.act(f.set("crash", 2, f.deployment("crash", "", 1, "20m")))
		f.until("crash", "healed", func(w model.Workload) bool { return w.Current && w.Failure == nil && w.Digest == digest(2) })
	})
	t.Run("a quota that refuses pods is named", func(t *testing.T) {
		quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}, Spec: corev1.ResourceQuotaSpec{
			Hard: corev1.ResourceList{"requests.cpu": resource.MustParse("1")}}}
		_, err := f.Clientset.CoreV1().ResourceQuotas(f.fleet).Create(t.Context(), quota, metav1.CreateOptions{})
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			q, err := f.Clientset.CoreV1().ResourceQuotas(f.fleet).Get(t.Context(), "q", metav1.GetOptions{})
			return err == nil && len(q.Status.Hard) > 0
		}, patience, 50*time.Millisecond)
		f.act(f.set("refused", 1, f.deployment("refused", "", 1, "3")))
		w := f.until("refused", "quota", failing(kubernetes.PodsRefused))
		require.Equal(t, "control-plane", w.Failure.Class)
		require.Contains(t, w.Failure.Message, "exceeded quota: q")
		require.NotContains(t, w.Failure.Message, "refused-", "no generated names")
	})
}

func TestCapacityIsWhatOthersLeave(t *testing.T) {
	f := setup(t)
	names := f.AddNodes(t, f.fleet, 3, "16", "64Gi")
	pool := func() model.Pool { return f.inspect().Pools[0] }
	full := pool()
	require.Equal(t, 3, full.Nodes)
	require.Equal(t, model.Resources{CPU: 48000, Memory: 3 * 64 << 30}, full.Capacity)
	require.Equal(t, model.Resources{CPU: 16000, Memory: 64 << 30}, full.Largest)
	require.Len(t, full.Domains, 3)

	// A pod of somebody else takes from it, one of ours does not.
	foreign := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: f.fleet, Name: "foreign"},
		Spec: corev1.PodSpec{NodeName: names[0], Containers: []corev1.Container{{Name: "c", Image: "c", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("1500m"), "memory": resource.MustParse("4Gi")}}}}},
	}
	_, err := f.Clientset.CoreV1().Pods(f.fleet).Create(t.Context(), foreign, metav1.CreateOptions{})
	require.NoError(t, err)
	f.act(f.set("web", 1, f.deployment("web", "", 2, "2")))
	f.until("web", "ready", func(w model.Workload) bool { return w.Ready == 2 })
	require.Eventually(t, func() bool { return pool().Capacity.CPU != full.Capacity.CPU }, patience, 20*time.Millisecond)
	require.Equal(t, model.Resources{CPU: 46500, Memory: 188 << 30}, pool().Capacity)

	patch := func(node, p string) {
		_, err := f.Clientset.CoreV1().Nodes().Patch(t.Context(), node, types.MergePatchType, []byte(p), metav1.PatchOptions{})
		require.NoError(t, err)
	}
	nodes := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool { return pool().Nodes == n }, patience, 20*time.Millisecond)
	}
	patch(names[1], `{"spec": {"unschedulable": true}}`)
	nodes(2)
	require.Len(t, pool().Domains, 2)
	patch(names[1], `{"spec": {"unschedulable": false}}`)
	nodes(3)
	patch(names[2], `{"spec": {"taints": [{"key": "maintenance", "effect": "NoExecute"}]}}`)
	nodes(2)

	declared := model.Resources{CPU: 5, Memory: 6}
	f.platform.Pools[0].Capacity = &declared
	require.Equal(t, declared, pool().Capacity)
}

// TestEventsAreWrittenOnce: an event has the name of its announcement, so whoever repeats
// it makes no second one. Those about the fleet stand beside its ConfigMap. Beyond the
// rate, one event says how many are left out.
func TestEventsAreWrittenOnce(t *testing.T) {
	f := setup(t)
	runtime, err := kubernetes.New(f.Config, kubernetes.Options{Fleet: f.fleet, Patience: patience})
	require.NoError(t, err)
	about := &model.Instance{App: model.AppID{Tenant: f.fleet}, Spec: &model.Application{Policy: &model.Policy{}}}
	for range 2 {
		runtime.Event(t.Context(), about, announce.Event{Key: "l/acme/shop/7-1", Reason: "DriftCorrected", Text: "web: somebody changed\x1b spec.replicas", Warning: true})
	}
	for i := range 70 {
		runtime.Event(t.Context(), about, announce.Event{Key: fmt.Sprint("l/acme/shop/8-", i+1), Reason: "Ready"})
	}
	require.NoError(t, runtime.SetAnchor(t.Context(), model.Anchor{}))
	runtime.Event(t.Context(), nil, announce.Event{Key: "l/" + f.fleet + "/9-1", Reason: "SourceLost", Text: "the fleet repo cannot be read", Warning: true})
	events := f.Clientset.CoreV1().Events("daros-system")
	require.Eventually(t, func() bool { // the last one
		e, err := events.Get(t.Context(), "l."+f.fleet+".9-1", metav1.GetOptions{})
		return err == nil && e.InvolvedObject.Kind+"/"+e.InvolvedObject.Name == "ConfigMap/daros-"+f.fleet
	}, patience, 20*time.Millisecond)
	runtime.Close()
	list, err := f.Clientset.CoreV1().Events(f.fleet).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	named := map[string]corev1.Event{}
	for _, e := range list.Items {
		if e.Source.Component == "d-aros" {
			named[e.Name] = e
		}
	}
	require.Equal(t, "web: somebody changed spec.replicas", named["l.acme.shop.7-1"].Message)
	require.Equal(t, corev1.EventTypeWarning, named["l.acme.shop.7-1"].Type)
	require.Len(t, named, 50, "48 besides, and the one about the others")
	require.Equal(t, fmt.Sprintf(`22 more announcements of namespace %s are left out; see "reconciler events"`, f.fleet), named["l.acme.shop.8-49.more"].Message)
}
