//go:build linux

package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/nodeagent"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/view"
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
	mux := runtime.NewMux(carrier)
	w.engine = newEngine(t, w.repo, w.name, w.cluster.Config, func(o *reconcile.Options) { o.Status, o.Nodes, o.Runtime = branch, carrier, mux })
	n.agent = nodeagent.Config{
		Plan: filepath.Join(t.TempDir(), "plan.json"), Root: cgrouptest.Root, StateDir: t.TempDir(), Interval: 100 * time.Millisecond,
		Kubelet: qos.Kubelet{Links: t.TempDir(), Group: cgrouptest.Name(t) + "/kubepods"}, Log: slog.New(slog.DiscardHandler),
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

// publish brings what the agent reports to the cluster, as the sidecar does, with a token that
// may patch one ConfigMap and nothing else.
func (n *nodeWorld) publish(ctx context.Context, node string) {
	n.t.Helper()
	clients := n.cluster.Clientset
	name := kubernetes.ReportName(n.name, "general")
	meta := metav1.ObjectMeta{Name: "report", Namespace: n.agents}
	_, err := clients.CoreV1().ServiceAccounts(n.agents).Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{})
	require.NoError(n.t, err)
	_, err = clients.RbacV1().Roles(n.agents).Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{name}, Verbs: []string{"patch"}},
	}}, metav1.CreateOptions{})
	require.NoError(n.t, err)
	_, err = clients.RbacV1().RoleBindings(n.agents).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "report"},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "report", Namespace: n.agents}},
	}, metav1.CreateOptions{})
	require.NoError(n.t, err)
	token, err := clients.CoreV1().ServiceAccounts(n.agents).CreateToken(ctx, "report", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(n.t, err)
	dir := n.t.TempDir()
	p := nodeagent.Publishing{
		StateDir: n.agent.StateDir, Server: n.cluster.Config.Host, Namespace: n.agents, ConfigMap: name, Node: node,
		TokenFile: filepath.Join(dir, "token"), CAFile: filepath.Join(dir, "ca.crt"), Log: slog.New(slog.DiscardHandler), Settle: time.Second,
	}
	require.NoError(n.t, os.WriteFile(p.TokenFile, []byte(token.Status.Token), 0o600))
	require.NoError(n.t, os.WriteFile(p.CAFile, n.cluster.Config.CAData, 0o600))
	go func() { _ = nodeagent.Publish(ctx, p) }()
}

// TestAReservationThatANodeDoesNotKeep: a node that is smaller than what was promised says so on
// the status branch, with an event and nothing else moved, and it is over when the node keeps
// its promise again.
func TestAReservationThatANodeDoesNotKeep(t *testing.T) {
	w := newNodeWorld(t)
	nodes := w.cluster.AddNodes(t, w.name, 2, "8", "32Gi")
	w.commit("a fleet with a reservation", merge(platform(w.name), tenant("acme", 40, ""), app("acme", "shop", web(2, "1")), map[string]string{
		"reservations.cue": "package fleet\n\nplatform: reservations: kept: {application: \"acme/shop\", pool: \"general\", amount: cpu: \"500m\"}\n",
	}))
	before := w.phase("acme/shop", model.PhaseRunning)
	require.Empty(t, before.Outcomes)
	w.runPods(w.name+"-acme", "web")
	w.mount()
	w.agent.System.CPU = int64(goruntime.NumCPU())*1000 - 100 // what is left keeps no quarter of a core

	running := func() (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- nodeagent.Run(ctx, w.agent) }()
		return func() {
			cancel()
			require.NoError(t, <-done)
		}
	}
	stop := running()
	w.publish(t.Context(), nodes[0])
	reduced := func(l *model.Ledger) bool {
		inst, _ := l.Find(before.App)
		return len(inst.Outcomes) > 0
	}
	ledger := w.until("the node says that it keeps less", reduced)
	inst, _ := ledger.Find(before.App)
	require.Len(t, inst.Outcomes, 1)
	require.Equal(t, model.OutcomeReservationReduced, inst.Outcomes[0].Reason)
	require.Equal(t, "node "+nodes[0]+" keeps 0 of the 250m cpu that is reserved for web: asks for 250m cpu, the host has 100m left to promise", inst.Outcomes[0].Message)
	require.Equal(t, model.PhaseRunning, inst.Phase, "it runs on")
	require.Equal(t, before.Components, inst.Components, "nothing is restarted or moved")
	page := w.git(w.repo, "show", "status:tenants/acme/shop/README.md")
	require.Contains(t, page, "What nodes do not keep")
	require.Contains(t, page, "ReservationReduced")
	explained, err := view.Explain(&ledger, before.App)
	require.NoError(t, err)
	require.Equal(t, inst.Outcomes, explained.Instance.Outcomes)

	saves := w.statusCommits()
	w.pass()
	w.pass()
	require.Equal(t, saves, w.statusCommits(), "what stays so is saved once")

	stop()
	w.agent.System.CPU = 0
	stop = running()
	w.until("the node keeps its promise again", func(l *model.Ledger) bool { return !reduced(l) })
	stop()
	_, err = nodeagent.Release(w.agent)
	require.NoError(t, err)
}
