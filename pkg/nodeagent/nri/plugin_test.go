//go:build linux

package nri

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/containerd/nri/pkg/adaptation"
	"github.com/containerd/nri/pkg/api"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
)

const uid = "0f8a3c1e-5b7d-4e2a-9c61-3d2b1a0f9e8d"

// known is a node of cgroup v2 with a plan for the pods of one StatefulSet.
func known(t *testing.T) *qos.Known {
	plan, err := qos.Parse([]byte("apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads:\n" +
		"- {name: acme/shop/db, profile: guaranteed, cpu: {request: 100m, limit: 200m}, memory: {request: 64Mi, limit: 128Mi}, reserved: {cpu: 100m, memory: 64Mi}, " +
		"pods: {namespace: acme, kind: StatefulSet, names: [shop-db], container: db}}\n"))
	require.NoError(t, err)
	return &qos.Known{Plan: plan, Host: qos.Host{
		CPU: 4000, Memory: 8 << 30, Page: 4096, Controllers: map[string]qos.Version{"cpu": qos.V2, "memory": qos.V2, "pids": qos.V2},
	}}
}

// agent is a plugin that runs, and what it said.
type agent struct {
	known     atomic.Pointer[qos.Known]
	connected atomic.Bool
	mu        sync.Mutex
	answers   []Answer
	lost      []string // reasons why there was no connection
}

func (a *agent) said() (answers []Answer, lost []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.answers), slices.Clone(a.lost)
}

func start(t *testing.T, socket string) *agent {
	a := &agent{}
	p := Plugin{
		Socket: socket, Unified: true, Known: a.known.Load,
		Connected: func(err error) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.connected.Store(err == nil)
			if err != nil {
				a.lost = append(a.lost, err.Error())
			}
		},
		Answered: func(answer Answer, _ qos.Member) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.answers = append(a.answers, answer)
		},
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return a
}

// runtime is the half of NRI that containerd and CRI-O have.
type runtime struct {
	*adaptation.Adaptation
	synced atomic.Int64 // once for the plugins that the runtime starts itself, of which there are none, and for each that connects
}

func startRuntime(t *testing.T, socket string) *runtime {
	r := &runtime{}
	empty := t.TempDir()
	sync := func(ctx context.Context, each adaptation.SyncCB) error {
		_, err := each(ctx, []*api.PodSandbox{pod("acme", "shop-db-7")}, nil)
		if err == nil {
			r.synced.Add(1)
		}
		return err
	}
	update := func(context.Context, []*api.ContainerUpdate) ([]*api.ContainerUpdate, error) { return nil, nil }
	var err error
	r.Adaptation, err = adaptation.New("containerd", "v2.2.0", sync, update, adaptation.WithSocketPath(socket), adaptation.WithPluginPath(empty), adaptation.WithPluginConfigPath(empty))
	require.NoError(t, err)
	require.NoError(t, r.Start())
	t.Cleanup(r.Stop)
	return r
}

// waitFor waits until the agent is connected and takes part.
func (r *runtime) waitFor(t *testing.T, a *agent) {
	require.Eventually(t, func() bool { return a.connected.Load() && r.synced.Load() > 1 }, time.Minute, 10*time.Millisecond)
	r.BlockPluginSync().Unblock() // the runtime has it in its list
}

func pod(namespace, name string) *api.PodSandbox {
	return &api.PodSandbox{Id: "sandbox", Namespace: namespace, Name: name, Uid: uid}
}

// create asks as the runtime does when a container is made, and returns what the container is to be made with.
func (r *runtime) create(t *testing.T, pod *api.PodSandbox, container, path string) map[string]string {
	t.Helper()
	require.NoError(t, r.RunPodSandbox(t.Context(), &api.RunPodSandboxRequest{Pod: pod}))
	answer, err := r.CreateContainer(t.Context(), &api.CreateContainerRequest{Pod: pod, Container: &api.Container{
		Id: strings.Repeat("1", 64), PodSandboxId: pod.Id, Name: container, Linux: &api.LinuxContainer{CgroupsPath: path},
	}})
	require.NoError(t, err)
	require.Empty(t, answer.GetUpdate(), "an answer concerns the container only that is asked about")
	return answer.GetAdjust().GetLinux().GetResources().GetUnified()
}

// path is what the kubelet tells a runtime with the systemd driver.
var path = fmt.Sprintf("kubepods-burstable-pod%s.slice:cri-containerd:%s", strings.ReplaceAll(uid, "-", "_"), strings.Repeat("1", 64))

func TestContainersStartWithTheirValues(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "nri.sock")
	a := start(t, socket) // before the runtime
	r := startRuntime(t, socket)
	r.waitFor(t, a)

	require.Empty(t, r.create(t, pod("acme", "shop-db-0"), "db", path), "there is no plan yet")
	a.known.Store(known(t))
	values := r.create(t, pod("acme", "shop-db-0"), "db", path)
	require.Equal(t, map[string]string{"cpu.weight": "17", "memory.low": "67108864", "memory.max": "134217728", "memory.min": "67108864"}, values)
	require.Equal(t, values, r.create(t, pod("acme", "shop-db-0"), "db", "/kubepods/burstable/pod"+uid+"/"+strings.Repeat("1", 64)), "the cgroupfs driver")

	require.Empty(t, r.create(t, pod("evil", "shop-db-0"), "db", path), "another tenant")
	require.Empty(t, r.create(t, pod("acme", "shop-db-0"), "sidecar", path), "another container")
	require.Empty(t, r.create(t, pod("acme", "shop-db-0"), "db", "/system.slice/sshd.service"), "a group outside of the pod")
	require.Empty(t, r.create(t, pod("acme", "shop-db-0"), "db", ""), "no group")
	answers, _ := a.said()
	require.Equal(t, []Answer{Unplanned, Given, Given, None, None, Misplaced, Misplaced}, answers)
}

// The agent connects again to a runtime that was killed and started again.
func TestRuntimeIsStartedAgain(t *testing.T) {
	if socket := os.Getenv("RUNTIME_SOCKET"); socket != "" { // the child below
		startRuntime(t, socket)
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed, or its parent is
		return
	}
	socket := filepath.Join(t.TempDir(), "nri.sock")
	a := start(t, socket)
	a.known.Store(known(t))
	child := exec.Command(os.Args[0], "-test.run=^TestRuntimeIsStartedAgain$")
	child.Env = append(os.Environ(), "RUNTIME_SOCKET="+socket)
	_, err := child.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	require.Eventually(t, a.connected.Load, time.Minute, 10*time.Millisecond)
	require.NoError(t, child.Process.Kill())
	_ = child.Wait()
	require.Eventually(t, func() bool { return !a.connected.Load() }, time.Minute, 10*time.Millisecond)

	r := startRuntime(t, socket)
	r.waitFor(t, a)
	require.NotEmpty(t, r.create(t, pod("acme", "shop-db-0"), "db", path))
	_, lost := a.said()
	require.Contains(t, strings.Join(lost, "; "), "the connection ended")
}
