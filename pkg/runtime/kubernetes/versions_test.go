package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// spec is an application of one component in the test's pool.
func (f *fixture) spec(app string, c model.Component) *model.Application {
	c.Requests = model.Resources{CPU: 100, Memory: 64 << 20}
	s := model.Application{
		ID: model.AppID{Tenant: f.fleet, Name: app}, Components: []model.Component{c},
		Policy:    &model.Policy{Namespace: "tenant", StartDeadline: 10 * time.Minute},
		Lifecycle: model.Lifecycle{Grace: 7 * time.Second},
	}.Seal()
	return &s
}

func web(version int) model.Component {
	return model.Component{
		Name: "web", Type: "webservice", Replicas: 2,
		Properties: json.RawMessage(fmt.Sprintf(`{"image": "example.com/web:%d", "ports": [{"port": 80}]}`, version)),
	}
}

// state is what the ledger says of a component that runs in a version.
func (f *fixture) state(c *model.Component) model.ComponentState {
	g := model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, Pool: "test"}
	return model.ComponentState{
		Grant: g, Run: c.Replicas, Spec: c.Content(model.AppID{}), Workload: model.WorkloadDigest(c, g, c.Replicas), State: model.StateStarting,
	}
}

// carryOut renders an instance and applies it.
func (f *fixture) carryOut(inst *model.Instance, jobs ...render.StepJob) {
	f.t.Helper()
	set, err := render.Application(render.Input{
		Fleet: f.fleet, Instance: inst, Tenant: &model.Tenant{Name: f.fleet}, Pools: f.platform.Pools, Jobs: jobs,
	})
	require.NoError(f.t, err)
	f.act(set)
}

// eventually waits for what the runtime shows.
func (f *fixture) eventually(what string, want func(model.Observation) bool) {
	f.t.Helper()
	for limit := time.After(patience); !want(f.inspect()); {
		select {
		case <-f.runtime.Changed():
		case <-time.After(time.Second): // what is asked of the cluster besides
		case <-limit:
			f.t.Fatalf("never came: %s; last %+v", what, f.inspect().Workloads)
		}
	}
}

// reached lists the images of the pods that the service of an application leads to.
func (f *fixture) reached(service string) map[string]int {
	f.t.Helper()
	s, err := f.Clientset.CoreV1().Services(f.fleet).Get(f.t.Context(), service, metav1.GetOptions{})
	require.NoError(f.t, err)
	pods, err := f.Clientset.CoreV1().Pods(f.fleet).List(f.t.Context(), metav1.ListOptions{LabelSelector: labels.SelectorFromSet(s.Spec.Selector).String()})
	require.NoError(f.t, err)
	images := map[string]int{}
	for _, p := range pods.Items {
		if p.DeletionTimestamp == nil {
			images[p.Spec.Containers[0].Image]++
		}
	}
	return images
}

func TestTwoVersionsSideBySide(t *testing.T) {
	f := setup(t)
	f.AddNodes(t, f.fleet, 2, "16", "64Gi")
	v1, v2 := f.spec("shop", web(1)), f.spec("shop", web(2))
	old, next := &v1.Components[0], &v2.Components[0]
	inst := &model.Instance{App: v1.ID, Number: 1, Phase: model.PhaseScheduled, Spec: v1, Components: []model.ComponentState{f.state(old)}}
	stable := func(o model.Observation, ready int) bool {
		w, ok := o.Find(v1.ID, "web")
		return ok && w.Current && w.Ready == ready && w.Digest == inst.Components[0].Workload
	}
	f.carryOut(inst)
	f.eventually("version 1 runs", func(o model.Observation) bool { return stable(o, 2) })
	before, err := f.Clientset.AppsV1().Deployments(f.fleet).Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 7, *before.Spec.Template.Spec.TerminationGracePeriodSeconds)

	inst.Spec, inst.Previous = v2, v1
	inst.PreviousGrants = []model.Grant{inst.Components[0].Grant}
	beside := &model.Beside{Spec: next.Content(v2.ID), Run: 1, Workload: model.WorkloadDigest(next, inst.Components[0].Grant, 1)}
	inst.Components[0].Beside = beside
	f.carryOut(inst)
	f.eventually("version 2 runs beside it", func(o model.Observation) bool {
		return len(o.Workloads) == 2 && !o.Workloads[0].Beside && stable(o, 2) &&
			o.Workloads[1].Beside && o.Workloads[1].Current && o.Workloads[1].Ready == 1 && o.Workloads[1].Digest == beside.Workload
	})
	require.Equal(t, map[string]int{"example.com/web:1": 2, "example.com/web:2": 1}, f.reached("shop-web"))
	now, err := f.Clientset.AppsV1().Deployments(f.fleet).Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, before.Generation, now.Generation, "what runs is not touched")

	beside.Traffic = model.TrafficStable
	f.carryOut(inst)
	require.Equal(t, map[string]int{"example.com/web:1": 2}, f.reached("shop-web"))
	beside.Traffic = model.TrafficNext
	f.carryOut(inst)
	require.Equal(t, map[string]int{"example.com/web:2": 1}, f.reached("shop-web"))

	t.Run("the failure of one is not that of the other", func(t *testing.T) {
		bad := web(3)
		bad.Properties = json.RawMessage(`{"image": "example.com/web:3", "ports": [{"port": 80}], "labels": {"kwok.d-aros.dev/fail": "crash"}}`)
		v3 := f.spec("shop", bad)
		inst := *inst
		inst.Spec, inst.Components = v3, []model.ComponentState{inst.Components[0]}
		inst.Components[0].Beside = &model.Beside{Spec: v3.Components[0].Content(v3.ID), Run: 1, Workload: "bad"}
		f.carryOut(&inst)
		f.eventually("version 3 fails", func(o model.Observation) bool {
			return len(o.Workloads) == 2 && stable(o, 2) && o.Workloads[0].Failure == nil &&
				o.Workloads[1].Failure != nil && o.Workloads[1].Failure.Restarts == 5 && o.Workloads[1].Digest == "bad"
		})
	})
	t.Run("the newer one becomes the only one", func(t *testing.T) {
		inst.Components[0] = f.state(next)
		f.carryOut(inst)
		f.eventually("version 2 alone", func(o model.Observation) bool { return len(o.Workloads) == 1 && stable(o, 2) })
		f.eventually("and reached", func(model.Observation) bool { return f.reached("shop-web")["example.com/web:2"] == 2 })
	})
}

func TestStepJob(t *testing.T) {
	f := setup(t)
	f.AddNodes(t, f.fleet, 1, "4", "16Gi")
	job := func(fail string) model.Component {
		return model.Component{Name: "migrate", Type: "job", Replicas: 1, Properties: json.RawMessage(
			fmt.Sprintf(`{"image": "example.com/migrate:1", "backoffLimit": 3, "labels": {"kwok.d-aros.dev/fail": %q}}`, fail))}
	}
	spec := f.spec("shop", job("hang"))
	spec.Workflow = &model.Workflow{Steps: []model.Step{{Name: "migrate", Type: "job", Component: "migrate"}}}
	inst := &model.Instance{App: spec.ID, Number: 1, Phase: model.PhaseScheduled, Spec: spec}
	first := render.StepJob{Key: "run/migrate/1", Component: "migrate", Spec: spec.Release, Inputs: []model.Value{{Name: "to", Value: "7"}}, Lock: "schema"}
	f.carryOut(inst, first)
	running := &corev1.Pod{}
	f.eventually("the job runs", func(o model.Observation) bool {
		pods, err := f.Clientset.CoreV1().Pods(f.fleet).List(t.Context(), metav1.ListOptions{LabelSelector: render.LabelComponent + "=migrate"})
		require.NoError(t, err)
		for i := range pods.Items {
			running = &pods.Items[i]
		}
		return running.Status.Phase == corev1.PodRunning && len(o.Workloads) == 1 && o.Workloads[0].Intent == first.Key && o.Workloads[0].Lock == "schema" && !o.Workloads[0].Done
	})
	require.Contains(t, running.Spec.Containers[0].Env, corev1.EnvVar{Name: "DAROS_INPUT_TO", Value: "7"})
	running.Status.Phase = corev1.PodSucceeded
	running.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "migrate", State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", Message: "schema 7\n", FinishedAt: metav1.Now()},
	}}}
	_, err := f.Clientset.CoreV1().Pods(f.fleet).UpdateStatus(t.Context(), running, metav1.UpdateOptions{})
	require.NoError(t, err)
	f.eventually("the job is done", func(o model.Observation) bool {
		w := o.Workloads
		return len(w) == 1 && w[0].Done && w[0].Message == "schema 7\n" && w[0].Failure == nil
	})

	// The next attempt, of another spec: what the first one did stays to be read.
	failing := f.spec("shop", job("job-fail"))
	failing.Workflow = spec.Workflow
	inst.Spec, inst.Previous = failing, spec
	first.Keep = true
	second := render.StepJob{Key: "run/migrate/2", Component: "migrate", Spec: failing.Release}
	f.carryOut(inst, first, second)
	f.eventually("the second one failed", func(o model.Observation) bool {
		w := o.Workloads
		return len(w) == 2 && w[0].Done && w[0].Message == "schema 7\n" && w[1].Intent == second.Key && w[1].Lock == "" &&
			w[1].Failure != nil && w[1].Failure.Final && w[1].Failure.ExitCode == 3 && w[1].Failure.Restarts == 1
	})
	_, found := f.find("shop")
	require.False(t, found, "the component itself does not run")

	f.carryOut(inst)
	f.eventually("nothing is left", func(o model.Observation) bool { return len(o.Workloads) == 0 })
}

func TestLostNode(t *testing.T) {
	f := setup(t)
	f.AddNodes(t, f.fleet, 1, "4", "16Gi")
	f.act(f.set("web", 1, f.deployment("web", "", 1, "10m")))
	f.until("web", "runs", func(w model.Workload) bool { return w.Current && w.Ready == 1 })
	pods, err := f.Clientset.CoreV1().Pods(f.fleet).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, pods.Items, 1)
	// That is what the control plane does to the pods of a node that it does not hear of.
	pod := &pods.Items[0]
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady {
			c.Status = corev1.ConditionFalse
		}
	}
	_, err = f.Clientset.CoreV1().Pods(f.fleet).UpdateStatus(t.Context(), pod, metav1.UpdateOptions{})
	require.NoError(t, err)
	w := f.until("web", "lost its node", failing("PodLost"))
	require.Equal(t, model.ClassInfrastructure, w.Failure.Class)
	require.False(t, w.Failure.Blames())
}

func TestEachRestartIsAnotherFailure(t *testing.T) {
	f := setup(t)
	f.AddNodes(t, f.fleet, 1, "4", "16Gi")
	f.act(f.set("web", 1, f.deployment("web", "crash", 1, "10m")))
	first := f.until("web", "crash", failing(model.ContainerCrash)).Failure
	w, _ := f.find("web")
	require.Equal(t, first, w.Failure, "seen again it is the same one")

	pods, err := f.Clientset.CoreV1().Pods(f.fleet).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, pods.Items, 1)
	pod := &pods.Items[0]
	pod.Status.ContainerStatuses[0].RestartCount++
	_, err = f.Clientset.CoreV1().Pods(f.fleet).UpdateStatus(t.Context(), pod, metav1.UpdateOptions{})
	require.NoError(t, err)
	f.until("web", "another crash", func(w model.Workload) bool {
		return w.Failure != nil && w.Failure.Reason == first.Reason && w.Failure.Restarts == first.Restarts+1
	})
}

func TestEndingInOrder(t *testing.T) {
	f := setup(t)
	f.AddNodes(t, f.fleet, 1, "4", "16Gi")
	db := model.Component{
		Name: "db", Type: "store", Replicas: 1, Requests: model.Resources{CPU: 100, Memory: 64 << 20},
		Properties: json.RawMessage(`{"image": "example.com/db:1"}`),
		Traits:     json.RawMessage(`{"storage": [{"name": "data", "type": "persistent", "mountPath": "/data", "size": "1Gi"}]}`),
	}
	spec := f.spec("shop", web(1))
	spec.Components = append(spec.Components, db)
	spec.Policy.Deletion, spec.Lifecycle.Deletion = render.DeletionData, render.DeletionData
	inst := &model.Instance{App: spec.ID, Number: 1, Phase: model.PhaseRunning, Spec: spec, Components: []model.ComponentState{
		f.state(&spec.Components[0]), f.state(&spec.Components[1]),
	}}
	f.carryOut(inst)
	names := func(o model.Observation) (names []string) {
		for _, w := range o.Workloads {
			names = append(names, w.Component)
		}
		return names
	}
	claims := func() int {
		list, err := f.Clientset.CoreV1().PersistentVolumeClaims(f.fleet).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		return len(list.Items)
	}
	f.eventually("all runs", func(o model.Observation) bool {
		return len(o.Workloads) == 2 && o.Workloads[0].Ready == 1 && o.Workloads[1].Ready == 2 && claims() == 1
	})

	inst.Phase, inst.Reason = model.PhaseTerminated, model.ReasonRemoved
	inst.Components = inst.Components[1:]
	inst.Components[0].Hold, inst.Components[0].State = true, model.StateEnding
	require.False(t, render.Ended("", inst).DeleteData, "not before its end")
	f.carryOut(inst)
	f.eventually("what nothing needs is gone", func(o model.Observation) bool { return len(o.Workloads) == 1 })
	require.Equal(t, []string{"db"}, names(f.inspect()))
	require.Equal(t, 1, claims())

	inst.Components = nil
	f.act(render.Ended("", inst))
	f.eventually("all is gone", func(o model.Observation) bool { return len(o.Workloads) == 0 && claims() == 0 })
}
