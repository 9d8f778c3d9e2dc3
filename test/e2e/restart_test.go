package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
)

// victim is set in a process that is a reconciler and kills itself: at the Nth
// stage of its passes, or instead of sending the Nth write to the API server.
const victim = "DAROS_E2E_VICTIM" // kind N repo fleet kubeconfig

// TestVictim is no test: it is the reconciler that TestKilledAnywhere kills.
func TestVictim(t *testing.T) {
	words := strings.Fields(os.Getenv(victim))
	if len(words) != 5 {
		t.Skip("runs only as a child of TestKilledAnywhere")
	}
	kind, repo, name := words[0], words[2], words[3]
	countdown, err := strconv.Atoi(words[1])
	require.NoError(t, err)
	cluster, err := clientcmd.BuildConfigFromFlags("", words[4])
	require.NoError(t, err)
	die := func() {
		if countdown--; countdown == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	if kind == "write" {
		cluster.Wrap(func(next http.RoundTripper) http.RoundTripper { return &killer{next, die} })
	}
	e := newEngine(t, repo, name, cluster, func(o *reconcile.Options) {
		o.Stage = func(string) {
			if kind == "stage" {
				die()
			}
		}
	})
	_ = e.loop.Run(context.Background())
}

// killer dies in the place of a write. Writes come side by side, but the first
// one that counts is the last that anybody hears of.
type killer struct {
	next http.RoundTripper
	die  func()
}

func (k *killer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		k.die()
	}
	return k.next.RoundTrip(r)
}

// TestKilledAnywhere changes one application at a time, kills the reconciler at a drawn point on the way, and lets a new
// one continue: the change happens exactly once, and nothing else changes. Two fleets do so beside each other.
func TestKilledAnywhere(t *testing.T) {
	seed := uint64(20261121)
	if s := os.Getenv("DAROS_E2E_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	for fleet := range uint64(2) {
		t.Run(fmt.Sprint(fleet), func(t *testing.T) {
			t.Logf("seed %d", seed)
			killAnywhere(t, rand.New(rand.NewPCG(seed, fleet)))
		})
	}
}

func killAnywhere(t *testing.T, rng *rand.Rand) {
	const points = 12
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 3, "8", "16Gi")
	db := `db: {
			type: "store"
			properties: {image: "registry.example.com/db:1", ports: [{port: 5432}]}
			resources: requests: {cpu: "100m", memory: "64Mi"}
			traits: storage: [{name: "data", type: "persistent", mountPath: "/data", size: "1Gi"}]
		}
		credentials: {type: "secret", properties: data: password: "canary"}
		`
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 10, ""),
		app("acme", "shop", db+web(2, "0")), app("acme", "docs", web(1, "0"))))
	w.phase("acme/shop", model.PhaseRunning)
	w.phase("acme/docs", model.PhaseRunning)
	w.settled()
	w.stop()
	tag := map[string]int{}
	for i := range points {
		name := []string{"shop", "docs"}[rng.IntN(2)]
		tag[name]++
		before, beforeLedger := w.objects(), w.ledger()
		components := web(1, strconv.Itoa(tag[name]))
		if name == "shop" {
			components = db + web(2, strconv.Itoa(tag[name]))
		}
		w.commit(fmt.Sprint("change ", i), app("acme", name, components))

		point := fmt.Sprintf("stage %d", 1+rng.IntN(22))
		if rng.IntN(3) == 0 {
			point = fmt.Sprintf("write %d", 1+rng.IntN(2)) // the anchor, then the one Deployment
		}
		t.Logf("%d: %s is killed at %s", i, name, point)
		w.sacrifice(point)

		w.start()
		w.phase("acme/"+name, model.PhaseRunning)
		w.settled()
		w.stop()
		w.checkChangedOnce(before, beforeLedger, name)
	}
}

// sacrifice runs a reconciler that kills itself.
func (w *world) sacrifice(point string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), os.Args[0], "-test.run=^TestVictim$", "-test.timeout=2m")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %s", victim, point, w.repo, w.name, w.cluster.Kubeconfig))
	out, err := cmd.CombinedOutput()
	exit, ok := err.(*exec.ExitError)
	require.True(w.t, ok, "the reconciler was to be killed and ended by itself: %s", out)
	ws, ok := exit.Sys().(syscall.WaitStatus)
	require.True(w.t, ok)
	require.Equal(w.t, syscall.SIGKILL, ws.Signal(), "%s", out)
}

// liveObjects are what identifies objects and tells whether they changed.
type liveObjects map[string]struct {
	uid        string
	generation int64
}

func (w *world) objects() liveObjects {
	w.t.Helper()
	all := liveObjects{}
	ctx, ns := w.t.Context(), w.name+"-acme"
	add := func(kind string, m metav1.ObjectMeta) {
		all[kind+" "+m.Name] = struct {
			uid        string
			generation int64
		}{string(m.UID), m.Generation}
	}
	for _, d := range w.rolledOut(ns) {
		add("Deployment", d.ObjectMeta)
	}
	sets, err := w.cluster.Clientset.AppsV1().StatefulSets(ns).List(ctx, metav1.ListOptions{})
	require.NoError(w.t, err)
	for _, s := range sets.Items {
		add("StatefulSet", s.ObjectMeta)
	}
	services, err := w.cluster.Clientset.CoreV1().Services(ns).List(ctx, metav1.ListOptions{})
	require.NoError(w.t, err)
	for _, s := range services.Items {
		add("Service", s.ObjectMeta)
	}
	secrets, err := w.cluster.Clientset.CoreV1().Secrets(ns).List(ctx, metav1.ListOptions{})
	require.NoError(w.t, err)
	for _, s := range secrets.Items {
		require.Equal(w.t, "canary", string(s.Data["password"]))
		add("Secret", s.ObjectMeta)
	}
	return all
}

// rolledOut returns the Deployments of a namespace, once each runs what it asks for and no pod is left of what it asked before.
func (w *world) rolledOut(ns string) (deployments []appsv1.Deployment) {
	w.t.Helper()
	require.EventuallyWithT(w.t, func(t *assert.CollectT) {
		list, err := w.cluster.Clientset.AppsV1().Deployments(ns).List(w.t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, d := range list.Items {
			require.Equal(t, d.Generation, d.Status.ObservedGeneration, "%s", d.Name)
			require.Equal(t, *d.Spec.Replicas, d.Status.ReadyReplicas, "%s", d.Name)
		}
		pods, err := w.cluster.Clientset.CoreV1().Pods(ns).List(w.t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, p := range pods.Items {
			require.Nil(t, p.DeletionTimestamp, "%s", p.Name)
		}
		deployments = list.Items
	}, patience, 100*time.Millisecond)
	return deployments
}

// checkChangedOnce demands that between two ledgers one application was updated
// once and came up once, and that its Deployment changed once, and nothing else.
func (w *world) checkChangedOnce(before liveObjects, ledger model.Ledger, name string) {
	w.t.Helper()
	after := w.objects()
	require.Len(w.t, after, len(before))
	for id, o := range before {
		require.Equal(w.t, o.uid, after[id].uid, "%s was made anew", id)
		wanted := o.generation
		if id == "Deployment "+name+"-web" {
			wanted++
		}
		require.Equal(w.t, wanted, after[id].generation, "%s", id)
	}
	now := w.ledger()
	for i := range now.Instances {
		inst := &now.Instances[i]
		old, ok := ledger.Find(inst.App)
		require.True(w.t, ok)
		var news []model.Reason
		for _, t := range inst.History {
			if t.At.After(old.History[len(old.History)-1].At) {
				news = append(news, t.Reason)
			}
		}
		var want []model.Reason
		if inst.App.Name == name {
			want = []model.Reason{model.ReasonUpdateAdmitted, model.ReasonReady}
		}
		require.Equal(w.t, want, news, "%s: transitions lost or repeated", inst.App)
	}
}
