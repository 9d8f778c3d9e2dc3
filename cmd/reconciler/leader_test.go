package main

import (
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/gittest"
)

// served is a reconciler that runs and answers probes.
type served struct {
	t       *testing.T
	log     *output
	address string
}

// serveRun starts a reconciler with --leader-elect, in a process of its own: two of them
// in one would share the logger of client-go.
func serveRun(t *testing.T, args ...string) *served {
	t.Helper()
	s := &served{t: t, log: &output{}}
	cmd := exec.Command("reconciler", append([]string{"run", "--leader-elect", "--state-dir", t.TempDir(), "--listen", "127.0.0.1:0", "--interval", "1s"}, args...)...)
	cmd.Stderr = s.log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.NoError(t, cmd.Wait(), "%s", s.log)
	})
	serving := regexp.MustCompile(`msg=serving address=(\S+)`)
	require.Eventually(t, func() bool {
		m := serving.FindStringSubmatch(s.log.String())
		if m != nil {
			s.address = m[1]
		}
		return m != nil
	}, 5*time.Minute, 50*time.Millisecond, "%s", s.log)
	return s
}

func (s *served) get(path string) (int, string) {
	resp, err := http.Get("http://" + s.address + path)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return resp.StatusCode, strings.TrimSpace(string(body))
}

// readyz waits until the probe answers so.
func (s *served) readyz(code int, answer string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		is, body := s.get("/readyz")
		return is == code && strings.Contains(body, answer)
	}, 5*time.Minute, 50*time.Millisecond, "%s\n%s", answer, s.log)
}

// TestStandby: of two reconcilers one leads. The other one is ready, says that it stands
// by, and has no good pass.
func TestStandby(t *testing.T) {
	cluster := clustertest.Start(t)
	name := cluster.Prefix(t)
	namespace, err := cluster.Clientset.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
	remote := gittest.NewBare(t)
	args := []string{"--repo", remote.Dir, "--kubeconfig", cluster.Kubeconfig, "--fleet", name, "--lease-namespace", namespace.Name}
	leader := serveRun(t, args...)
	leader.readyz(http.StatusServiceUnavailable, "source unavailable")
	_, metrics := leader.get("/metrics")
	require.Contains(t, metrics, "\ndaros_leader{fleet=\""+name+"\"} 1\n")

	second := serveRun(t, args...)
	second.readyz(http.StatusOK, "standby")
	code, _ := second.get("/healthz")
	require.Equal(t, http.StatusOK, code)
	_, metrics = second.get("/metrics")
	require.Contains(t, metrics, "\ndaros_leader{fleet=\""+name+"\"} 0\n")
	require.NotContains(t, metrics, "daros_last_good_pass_timestamp_seconds")
}

// TestLeaseThatCannotBeHad: one sentence in log and probe says why, and what to do.
func TestLeaseThatCannotBeHad(t *testing.T) {
	cluster := clustertest.Start(t)
	name := cluster.Prefix(t)
	nobody := filepath.Join(t.TempDir(), "kubeconfig")
	config, err := clientcmd.LoadFromFile(cluster.Kubeconfig)
	require.NoError(t, err)
	for _, user := range config.AuthInfos {
		user.Impersonate = "nobody"
	}
	require.NoError(t, clientcmd.WriteToFile(*config, nobody))
	for _, c := range []struct{ kubeconfig, says string }{
		{cluster.Kubeconfig, `cannot make Lease ` + name + `/daros-` + name + `: namespaces "` + name + `" not found; create the namespace, or name another one with --lease-namespace`},
		{nobody, "; allow the reconciler to get, create and update Leases in that namespace (deploy/reconciler/rights.yaml)"},
	} {
		s := serveRun(t, "--repo", gittest.NewBare(t).Dir, "--kubeconfig", c.kubeconfig, "--fleet", name, "--lease-namespace", name)
		s.readyz(http.StatusServiceUnavailable, c.says)
		code, _ := s.get("/healthz")
		require.Equal(t, http.StatusOK, code, "a restart would not help")
		require.Equal(t, 1, strings.Count(s.log.String(), "no Lease, so nothing is reconciled"), "%s", s.log)
		require.NotContains(t, s.log.String(), "resource lock")
	}
}

// TestFlagsOfTheLedger: what cannot work is said before anything is written.
func TestFlagsOfTheLedger(t *testing.T) {
	repo := gittest.NewBare(t).Dir
	log := slog.New(slog.DiscardHandler)
	f := runFlags{repo: repo, stateDir: t.TempDir(), writeTokenFile: "write", fleetFiles: 1, status: statusFlags{branch: "status", files: 1, repo: "/srv/ledger.git", tokenFile: "near"}}
	require.NoError(t, f.checkFiles())
	o, err := f.statusOptions(buildinfo.Info{}, mostStatus, log)
	require.NoError(t, err)
	require.Equal(t, "/srv/ledger.git", o.URL)
	require.Equal(t, "near", o.Auth.TokenFile)
	f.status.repo = ""
	o, err = f.statusOptions(buildinfo.Info{}, mostStatus, log)
	require.NoError(t, err)
	require.Equal(t, repo, o.URL)
	require.Equal(t, "write", o.Auth.TokenFile, "a token for another repo is not sent to this one")
	f.status.files = 0
	require.ErrorContains(t, f.checkFiles(), "use a number from 1 on")
}
