//go:build linux

package kubelet

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/d-aros/d-aros/test/cgrouptest"
	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/guest"
	"github.com/d-aros/d-aros/test/tier"
)

// What the guest finds beside its program.
const (
	kubeconfigFile = "/guest/kubeconfig"
	imageFile      = "/guest/image.tar"
	image          = "docker.io/library/sleep:test"
)

// TestLiveKubelet runs TestNode on a node.
func TestLiveKubelet(t *testing.T) {
	if !tier.Soak() {
		t.Skip("without -soak: a virtual machine with a kubelet takes minutes")
	}
	files := map[string]string{}
	for file, from := range map[string][2]string{
		"bin/containerd":              {"containerd", "usr/bin/containerd"},
		"bin/containerd-shim-runc-v2": {"containerd", "usr/bin/containerd-shim-runc-v2"},
		"bin/ctr":                     {"containerd", "usr/bin/ctr"},
		"bin/runc":                    {"runc", "usr/sbin/runc"},
	} {
		dir, err := guest.Package(from[0])
		if missing := (guest.Missing{}); errors.As(err, &missing) {
			cgrouptest.Skip(t, "%v", err)
		}
		require.NoError(t, err)
		files[file] = filepath.Join(dir, from[1])
	}
	cluster := clustertest.Alone(t, "--nodes=0", "--kwok=false")
	kubelet, err := clustertest.BuildKubelet(t.Context(), os.Stderr)
	require.NoError(t, err)
	dir := t.TempDir()
	files["bin/kubelet"], files["bin/nodeagent"] = kubelet, filepath.Join(dir, "nodeagent")
	out, err := exec.Command("go", "build", "-ldflags=-s -w -linkmode=internal", "-o", files["bin/nodeagent"], "../../cmd/nodeagent").CombinedOutput()
	require.NoError(t, err, "%s", out)
	files[kubeconfigFile[1:]], files[imageFile[1:]] = filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "image.tar")
	writeKubeconfig(t, cluster.Kubeconfig, files[kubeconfigFile[1:]])
	writeImage(t, files[imageFile[1:]])
	guest.Machine{Memory: 2048, Modules: []string{"overlay"}, Network: true, Files: files}.Tests(t, "TestNode")
}

// TestNode makes a node of the machine that it runs on.
func TestNode(t *testing.T) {
	if _, err := os.Stat(kubeconfigFile); err != nil {
		t.Skip("this runs on the node that TestLiveKubelet makes")
	}
	n := newNode(t)
	for _, w := range workloads {
		n.create(w)
	}
	for _, w := range workloads {
		n.groups(n.running(w))
	}
	for _, part := range []struct {
		name string
		run  func()
	}{{"kubelet alone", n.alone}, {"agent beside it", n.beside}} {
		t.Run(part.name, func(t *testing.T) {
			n.t = t
			part.run()
		})
	}
}

// writeKubeconfig writes a kubeconfig for the guest, which finds the loopback of this host elsewhere.
func writeKubeconfig(t *testing.T, from, to string) {
	config, err := clientcmd.LoadFromFile(from)
	require.NoError(t, err)
	for _, c := range config.Clusters {
		server, err := url.Parse(c.Server)
		require.NoError(t, err)
		c.TLSServerName = server.Hostname()
		server.Host = "10.0.2.2:" + server.Port()
		c.Server = server.String()
	}
	require.NoError(t, clientcmd.WriteToFile(*config, to))
}

// writeImage writes an image with busybox, which sleeps: of the containers of pods, and of those that hold pods together.
func writeImage(t *testing.T, file string) {
	busybox, err := exec.LookPath("busybox")
	require.NoError(t, err)
	program, err := os.ReadFile(busybox)
	require.NoError(t, err)
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "bin/busybox", Mode: 0o755, Size: int64(len(program))}))
	_, err = w.Write(program)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil })
	require.NoError(t, err)
	img, err := mutate.AppendLayers(empty.Image, layer)
	require.NoError(t, err)
	config, err := img.ConfigFile()
	require.NoError(t, err)
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", "amd64"
	config.Config = v1.Config{Entrypoint: []string{"/bin/busybox", "sleep", "86400"}}
	img, err = mutate.ConfigFile(img, config)
	require.NoError(t, err)
	tag, err := name.NewTag(image)
	require.NoError(t, err)
	require.NoError(t, tarball.WriteToFile(file, tag, img))
}
