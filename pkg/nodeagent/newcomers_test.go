//go:build linux

package nodeagent

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/containerd/nri/pkg/adaptation"
	"github.com/containerd/nri/pkg/api"
	"github.com/stretchr/testify/require"
)

// A container that the runtime is about to make gets what the agent would write: the plan is that of its last turn, which has
// found other containers. Then the agent's turn writes the same, and the rest.
func TestAgentAnswersTheRuntime(t *testing.T) {
	n := newKubernetesNode(t)
	n.kubelet("acme", "shop-db-1", strings.Replace(podUID, "0", "2", 1), "db", "3")
	n.write(fmt.Sprintf(podPlan, "200m"))
	n.cfg.NRI = filepath.Join(t.TempDir(), "nri.sock")
	empty := t.TempDir()
	runtime, err := adaptation.New("containerd", "v2.2.0",
		func(ctx context.Context, each adaptation.SyncCB) error {
			_, err := each(ctx, nil, nil)
			return err
		},
		func(context.Context, []*api.ContainerUpdate) ([]*api.ContainerUpdate, error) { return nil, nil },
		adaptation.WithSocketPath(n.cfg.NRI), adaptation.WithPluginPath(empty), adaptation.WithPluginConfigPath(empty))
	require.NoError(t, err)
	require.NoError(t, runtime.Start())
	t.Cleanup(runtime.Stop)
	n.start()

	pod := &api.PodSandbox{Id: "sandbox", Namespace: "acme", Name: "shop-db-0", Uid: podUID}
	path := "/" + n.cfg.Kubelet.Group + "/burstable/pod" + podUID + "/" + strings.Repeat("1", 64)
	var cpu *api.LinuxCPU
	require.Eventually(t, func() bool {
		answer, err := runtime.CreateContainer(t.Context(), &api.CreateContainerRequest{Pod: pod, Container: &api.Container{
			Id: strings.Repeat("1", 64), Name: "db",
			Linux: &api.LinuxContainer{CgroupsPath: path, Resources: &api.LinuxResources{Cpu: &api.LinuxCPU{Quota: api.Int64(20_000), Period: api.UInt64(100_000)}}},
		}})
		require.NoError(t, err)
		cpu = answer.GetAdjust().GetLinux().GetResources().GetCpu()
		return cpu.GetShares() != nil
	}, time.Minute, 20*time.Millisecond)
	require.EqualValues(t, 20_000, cpu.GetQuota().GetValue())
	require.EqualValues(t, 100_000, cpu.GetPeriod().GetValue())
	for range 2 {
		_, err = runtime.CreateContainer(t.Context(), &api.CreateContainerRequest{Pod: pod, Container: &api.Container{Id: "strange", Name: "db"}})
		require.NoError(t, err)
	}
	require.Equal(t, 1, strings.Count(n.log.String(), "why=misplaced"), "it is said once")
}
