//go:build linux

package kubelet

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	nodeName = "guest"
	cgroups  = "/sys/fs/cgroup"
	limit    = 10 * time.Minute // of waiting: the processors are emulated
)

const containerdConfig = `version = 2
root = "/var/tmp/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "` + image + `"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      NoPivotRoot = true # the guest's root is that of its kernel
`

const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: cgroupfs
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
address: 127.0.0.1
readOnlyPort: 0
enableControllerAttachDetach: false
failSwapOn: false
makeIPTablesUtilChains: false
localStorageCapacityIsolation: false
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%}
nodeStatusUpdateFrequency: 2s
resolvConf: /etc/resolv.conf
`

// node is this machine, as a node of a cluster.
type node struct {
	t      *testing.T
	client *kubernetes.Clientset

	stopKubelet func()
}

// newNode makes a node of this machine.
func newNode(t *testing.T) *node {
	for _, args := range [][]string{{"link", "set", "lo", "up"}, {"link", "set", "eth0", "up"}, {"addr", "add", "10.0.2.15/24", "dev", "eth0"}, {"route", "add", "default", "via", "10.0.2.2"}} {
		out, err := exec.Command("ip", args...).CombinedOutput()
		require.NoError(t, err, "ip %v: %s", args, out)
	}
	// Services are in a group beside that of the pods, as on any node.
	require.NoError(t, os.Mkdir(cgroups+"/system", 0o755))
	write(t, cgroups+"/system/cgroup.procs", strconv.Itoa(os.Getpid()))
	write(t, "/etc/resolv.conf", "")
	write(t, "/etc/hosts", "127.0.0.1 localhost\n")
	write(t, "/etc/passwd", "root:x:0:0:root:/:/bin/sh\n")
	write(t, "/etc/containerd.toml", containerdConfig)
	write(t, "/etc/kubelet.yaml", kubeletConfig)

	config, err := clientcmd.BuildConfigFromFlags("", kubeconfigFile)
	require.NoError(t, err)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	n := &node{t: t, client: client}
	n.daemon("containerd", "--config", "/etc/containerd.toml")
	n.eventually("the image is there", func() error {
		out, err := exec.CommandContext(t.Context(), "ctr", "-n", "k8s.io", "images", "import", imageFile).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	n.stopKubelet = n.kubelet()
	n.eventually("the kubelet has registered the node", func() error {
		_, err := client.CoreV1().Nodes().Get(t.Context(), nodeName, metav1.GetOptions{})
		return err
	})
	return n
}

func (n *node) kubelet() (stop func()) {
	return n.daemon("kubelet", "--config", "/etc/kubelet.yaml", "--kubeconfig", kubeconfigFile, "--root-dir", "/var/tmp/kubelet", "--cert-dir", "/var/tmp/pki",
		"--hostname-override", nodeName, "--node-ip", "10.0.2.15", "--v", "2")
}

// daemon starts a program that runs until stop, or until the end of the test, which shows the end of its log if it fails.
func (n *node) daemon(name string, args ...string) (stop func()) {
	log, err := os.OpenFile("/tmp/"+name+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(n.t, err)
	defer log.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	require.NoError(n.t, cmd.Start())
	stop = func() {
		cancel()
		_ = cmd.Wait() // it was interrupted
	}
	n.t.Cleanup(func() {
		if n.t.Failed() {
			n.t.Logf("%s: %s", name, tail("/tmp/"+name+".log"))
		}
	})
	return stop
}

func tail(file string) string {
	const most = 6000
	log, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-most):])
}

// eventually waits until nothing is wrong any more.
func (n *node) eventually(what string, wrong func() error) {
	n.t.Helper()
	began := time.Now()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := wrong()
		if err == nil {
			n.t.Logf("%s after %s", what, time.Since(began).Round(time.Second/10))
			return
		}
		if time.Since(began) > limit {
			require.NoError(n.t, err, what)
		}
		<-ticker.C
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.TrimSpace(string(data))
}
