//go:build linux

package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/nodeagent"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// nodeWorld is a world whose reconciler makes plans of nodes, with one node that is real: the
// groups of this machine, in which the test does what a kubelet does.
type nodeWorld struct {
	*world
	agents string // namespace of the ConfigMaps
	agent  nodeagent.Config
}

func newNodeWorld(t *testing.T) *nodeWorld {
	w := newWorld(t)
	cgrouptest.V1(t, "cpu")
	n := &nodeWorld{world: w, agents: w.name + "-nodes"}
	_, err := w.cluster.Clientset.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.agents}}, metav1.CreateOptions{})
	require.NoError(t, err)
	branch, err := status.Open(t.Context(), status.Options{URL: w.repo, Dir: t.TempDir(), Nodes: func(l *model.Ledger) map[string][]byte {
		return render.NodePlans(l, w.name+"-")
	}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = branch.Close() })
	carrier, err := kubernetes.New(w.cluster.Config, kubernetes.Options{Fleet: w.name, Prefix: w.name + "-", Agents: n.agents})
	require.NoError(t, err)
	t.Cleanup(carrier.Close)
	w.engine = newEngine(t, w.repo, w.name, w.cluster.Config, func(o *reconcile.Options) { o.Status, o.Nodes = branch, carrier })
	n.agent = nodeagent.Config{
		Plan: filepath.Join(t.TempDir(), "plan.json"), Root: cgrouptest.Root, StateDir: t.TempDir(), Interval: 100 * time.Millisecond,
		Kubelet: cgroup.Kubelet{Links: t.TempDir(), Group: cgrouptest.Name(t) + "/kubepods"}, Log: slog.New(slog.DiscardHandler),
	}
	return n
}

// runPods makes the groups of the pods of a namespace and the links to their logs, and beside
// each container one that takes all it can. It returns the groups of the containers.
func (n *nodeWorld) runPods(namespace, container string) (groups []string) {
	n.t.Helper()
	pods, err := n.cluster.Clientset.CoreV1().Pods(namespace).List(n.t.Context(), metav1.ListOptions{})
	require.NoError(n.t, err)
	for i, pod := range pods.Items {
		id := strings.Repeat(strconv.FormatInt(int64(i+1), 16), 64)
		link := fmt.Sprintf("%s_%s_%s-%s.log", pod.Name, namespace, container, id)
		require.NoError(n.t, os.Symlink(fmt.Sprintf("/var/log/pods/%s_%s_%s/%s/0.log", namespace, pod.Name, pod.UID, container), filepath.Join(n.agent.Kubelet.Links, link)))
		group := n.agent.Kubelet.Group + "/burstable/pod" + string(pod.UID)
		groups = append(groups, cgrouptest.Group(n.t, cgrouptest.Root+"/cpu", group+"/"+id))
		cgrouptest.Write(n.t, cgrouptest.Group(n.t, cgrouptest.Root+"/cpu", group+"/"+strings.Repeat("f", 64)), "cpu.shares", "65536")
	}
	return groups
}

// mount does what the kubelet does with a ConfigMap: the file is replaced by renaming.
func (n *nodeWorld) mount() (document string) {
	n.t.Helper()
	plan, err := n.cluster.Clientset.CoreV1().ConfigMaps(n.agents).Get(n.t.Context(), kubernetes.PlanName(n.name, "general"), metav1.GetOptions{})
	require.NoError(n.t, err)
	next := n.agent.Plan + ".next"
	require.NoError(n.t, os.WriteFile(next, []byte(plan.Data["plan.json"]), 0o600))
	require.NoError(n.t, os.Rename(next, n.agent.Plan))
	return plan.Data["plan.json"]
}

// TestFromACommitToTheKernel: a reservation that is pushed is in the groups of the pods that
// it is for, and the values of before come back when it is taken back.
func TestFromACommitToTheKernel(t *testing.T) {
	w := newNodeWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "32Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 40, ""), app("acme", "shop", web(2, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	groups := w.runPods(w.name+"-acme", "web")
	require.Len(t, groups, 2)
	document := w.mount()
	require.Equal(t, strings.TrimSpace(document), w.git(w.repo, "show", "status:nodes/general.json"), "Git has what the agents get")

	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- nodeagent.Run(ctx, w.agent) }()
	shares := func(what string, want func(int) bool) {
		t.Helper()
		require.Eventually(t, func() bool {
			for _, g := range groups {
				if n, _ := strconv.Atoi(cgrouptest.Read(t, g, "cpu.shares")); !want(n) {
					return false
				}
			}
			return true
		}, patience, 5*time.Millisecond, what)
	}
	request := func(n int) bool { return n == 512 } // of half a core
	shares("the weight follows from the request", request)

	pushed := time.Now()
	w.commit("a reservation", map[string]string{
		"reservations.cue": "package fleet\n\nplatform: reservations: kept: {application: \"acme/shop\", pool: \"general\", amount: cpu: \"500m\"}\n",
	})
	w.pass()
	require.Contains(t, w.mount(), `"reserved":{"cpu":"250m"}`)
	shares("a quarter of a core beside a group with 64 times the weight of one", func(n int) bool { return n > 4096 })
	t.Logf("from the push to the kernel: %s", time.Since(pushed).Round(time.Millisecond))

	w.commit("it is taken back", map[string]string{"reservations.cue": ""})
	w.pass()
	w.mount()
	shares("the weight is that of before", request)

	stop()
	require.NoError(t, <-done)
	_, err := nodeagent.Release(w.agent)
	require.NoError(t, err)
	shares("and after the release that of a fresh group", func(n int) bool { return n == 1024 })
}
