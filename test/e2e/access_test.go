package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
)

// sshKey makes a key with the real ssh-keygen.
func sshKey(t *testing.T, name string) (file, public string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), name)
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	b, err := os.ReadFile(file + ".pub")
	require.NoError(t, err)
	return file, strings.TrimSpace(string(b))
}

// signWith lets the commits that follow be signed with a key; "" signs nothing.
func (w *world) signWith(key string) {
	w.git(w.clone, "config", "gpg.format", "ssh")
	w.git(w.clone, "config", "user.signingkey", key)
	w.git(w.clone, "config", "commit.gpgsign", fmt.Sprint(key != ""))
}

// TestOnlySignedCommitsReachTheCluster: a commit that nobody who may has signed
// changes nothing in the cluster and is said on the status branch; taken over by a
// signed merge, it is carried out.
func TestOnlySignedCommitsReachTheCluster(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "16Gi")
	root, rootKey := sshKey(t, "root")
	bob, bobKey := sshKey(t, "bob")
	signatures := map[string]string{"access.cue": fmt.Sprintf("package fleet\n\nplatform: access: {enforce: \"signed\", principals: root: ssh: [%q], admins: [\"root\"]}\n", rootKey)}
	w.signWith(root)
	w.commit("a fleet", merge(platform(w.name), signatures,
		tenant("acme", 10, fmt.Sprintf("access: {principals: bob: ssh: [%q], owners: shop: [\"bob\"]}", bobKey)),
		app("acme", "shop", web(1, "1")), app("acme", "docs", web(1, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	w.phase("acme/docs", model.PhaseRunning)
	w.settled()
	image := func(name string) string {
		live, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").Get(t.Context(), name+"-web", metav1.GetOptions{})
		require.NoError(t, err)
		return live.Spec.Template.Spec.Containers[0].Image
	}

	t.Log("signed by the owner of the application")
	w.signWith(bob)
	good := w.commit("2", app("acme", "shop", web(1, "2")))
	w.pass()
	w.phase("acme/shop", model.PhaseRunning)
	require.Empty(t, w.settled().Problems)
	require.Equal(t, "registry.example.com/web:2", image("shop"))

	t.Log("not signed, and signed by somebody who may not, one after the other")
	refused := func(bad, code string) {
		writes := w.writes.Load()
		w.pass()
		ledger := w.settled()
		require.Equal(t, writes, w.writes.Load())
		require.Equal(t, good, ledger.Commit)
		require.Len(t, ledger.Problems, 1)
		require.Equal(t, code, ledger.Problems[0].Code)
		require.Equal(t, "commit "+bad, ledger.Problems[0].Path)
		require.Contains(t, w.git(w.repo, "show", "status:errors.json"), bad)
		require.Contains(t, w.git(w.repo, "show", "status:README.md"), code)
		require.Equal(t, "registry.example.com/web:2", image("shop"))
		require.Equal(t, "registry.example.com/web:1", image("docs"))
		commits := w.statusCommits()
		w.pass()
		require.Equal(t, commits, w.statusCommits(), "it is said once")
	}
	w.signWith("")
	unsigned := w.commit("3", app("acme", "shop", web(1, "3")))
	refused(unsigned, access.CodeUnsigned)
	w.signWith(bob)
	w.commit("4", merge(app("acme", "shop", web(1, "4")), app("acme", "docs", web(1, "4"))))
	refused(unsigned, access.CodeUnsigned)

	t.Log("a restart forgets nothing")
	w.stop()
	w.start()
	refused(unsigned, access.CodeUnsigned)

	t.Log("a platform admin takes all of it over")
	w.git(w.clone, "fetch", "-q", "origin")
	w.git(w.clone, "checkout", "-q", "--detach", good)
	w.signWith(root)
	w.git(w.clone, "merge", "-q", "--no-ff", "-m", "take over", "origin/main")
	w.git(w.clone, "push", "-q", "origin", "HEAD:main")
	w.pass()
	w.phase("acme/shop", model.PhaseRunning)
	w.phase("acme/docs", model.PhaseRunning)
	require.Empty(t, w.settled().Problems)
	require.Equal(t, "registry.example.com/web:4", image("shop"))
	require.Equal(t, "registry.example.com/web:4", image("docs"))
}
