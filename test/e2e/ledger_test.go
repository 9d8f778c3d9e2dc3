package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/status"
)

// anchors is the namespace of the anchors.
const anchors = "daros-system"

// withState makes a reconciler that keeps a copy of the ledger below dir.
func (w *world) withState(dir, branch string, options ...func(*reconcile.Options)) *engine {
	w.t.Helper()
	kept, err := status.Open(w.t.Context(), status.Options{URL: w.repo, Branch: branch, Dir: filepath.Join(dir, "kept-status"), Keep: true})
	require.NoError(w.t, err)
	e := newEngineIn(w.t, dir, w.repo, w.name, w.cluster.Config, append([]func(*reconcile.Options){func(o *reconcile.Options) {
		o.Status, o.Recognition.Copy, o.Recognition.Branch = kept, kept, branch
	}}, options...)...)
	_ = e.branch.Close()
	e.branch = kept
	return e
}

// forgetAnchor deletes the anchor of the fleet.
func (w *world) forgetAnchor() {
	w.t.Helper()
	err := w.cluster.Clientset.CoreV1().ConfigMaps(anchors).Delete(w.t.Context(), "daros-"+w.name, metav1.DeleteOptions{})
	require.True(w.t, err == nil || apierrors.IsNotFound(err), "%v", err)
}

// TestLostLedger: a start whose branch is gone, empty, of another ledger, older, or has
// another name neither acts nor writes, whoever remembers the ledger. What runs goes on,
// and drift of what the kept copy knows is corrected.
func TestLostLedger(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	state := t.TempDir()
	w.stop()
	w.engine = w.withState(state, "status")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "docs", web(1, "1"))))
	w.phase("acme/docs", model.PhaseRunning)
	older := w.git(w.repo, "rev-parse", "status")
	w.commit("a workflow", app("acme", "shop", steps(migration("1")+web(2, "1"), migrate, release)))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	whole, before, ledger := w.git(w.repo, "rev-parse", "status"), w.everything(), w.ledger()
	anchor, found, err := w.carrier.Anchor(t.Context())
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, ledger.Identity, anchor.LedgerIdentity)
	w.stop()

	empty := w.git(w.repo, "commit-tree", "-m", "empty", w.git(w.repo, "hash-object", "-t", "tree", "-w", "/dev/null"))
	foreign := strings.Repeat("f0", 16)
	other := w.otherLedger(whole, ledger.Identity.ID, foreign)
	for _, c := range []struct{ name, tip, branch, reason string }{
		{"gone", "", "status", "missing"},
		{"empty", empty, "status", "empty"},
		{"foreign", other, "status", "foreign"},
		{"older", older, "status", "older"},
		{"wrong name", whole, "statsu", "missing"},
	} {
		for _, memory := range []string{"anchor", "copy", "both", "neither"} {
			t.Run(c.name+" "+memory, func(t *testing.T) {
				w.t = t
				if c.tip == "" {
					w.git(w.repo, "update-ref", "-d", "refs/heads/status")
				} else {
					w.git(w.repo, "update-ref", "refs/heads/status", c.tip)
				}
				if memory == "copy" || memory == "neither" {
					w.forgetAnchor()
				}
				dir, copied := t.TempDir(), memory == "copy" || memory == "both"
				if copied {
					require.NoError(t, os.CopyFS(dir, os.DirFS(state)))
				}
				refs := w.git(w.repo, "for-each-ref")
				w.engine = w.withState(dir, c.branch)
				if c.name == "older" && memory == "neither" {
					w.stop() // an older save cannot be told from the latest
				} else {
					w.refuses(c.reason, copied)
					require.Equal(t, refs, w.git(w.repo, "for-each-ref"), "nothing is written")
					w.stop()
				}
				if copied && c.reason != "foreign" && (c.branch == "status" || memory == "copy") { // else there were two branches of one id
					w.restored(dir, c.branch, before)
				}
				// The branch comes back, and with it everything goes on.
				w.git(w.repo, "update-ref", "refs/heads/status", whole)
				w.forgetAnchor() // which a restored branch has moved on
				w.engine = w.withState(t.TempDir(), "status")
				r := w.pass()
				require.Empty(t, r.Changes)
				w.stop()
				require.Equal(t, before, w.everything())
				require.Equal(t, whole, w.git(w.repo, "rev-parse", "status"))
			})
			w.t = t
		}
	}
}

// restored demands that the copy in a state directory brings the branch back, so that
// the next start goes on and changes nothing.
func (w *world) restored(dir, branch string, before map[string]string) {
	t := w.t
	lost, err := status.Open(t.Context(), status.Options{URL: w.repo, Branch: branch, Dir: t.TempDir()})
	require.NoError(t, err)
	defer lost.Close()
	done, err := lost.Restore(t.Context(), filepath.Join(dir, "kept-status"), true)
	require.NoError(t, err)
	require.NotEmpty(t, done.Commit)
	w.engine = w.withState(dir, branch)
	r := w.pass()
	require.Empty(t, r.Changes)
	require.False(t, r.Saved)
	require.NoError(t, w.loop.Ready())
	w.stop()
	require.Equal(t, before, w.everything())
	if branch != "status" {
		w.git(w.repo, "update-ref", "-d", "refs/heads/"+branch)
	}
}

// refuses demands that a start stays away from the ledger that it finds, and corrects
// drift if it has a copy of the right one.
func (w *world) refuses(reason string, copied bool) {
	t := w.t
	for range 2 {
		r, err := w.loop.Pass(t.Context())
		refused := &reconcile.LedgerRefusedError{}
		require.ErrorAs(t, err, &refused)
		require.Equal(t, reason, refused.Reason, "%s", err)
		require.Empty(t, r.Changes)
		require.False(t, r.Saved)
		require.ErrorContains(t, w.loop.Ready(), "reconciler run --adopt")
	}
	if !copied {
		require.Zero(t, w.writes.Load()+w.anchors.Load(), "nothing is sent")
		return
	}
	services := w.cluster.Clientset.CoreV1().Services(w.name + "-acme")
	_, err := services.Patch(t.Context(), "shop-web", types.MergePatchType, []byte(`{"spec":{"selector":{"d-aros.dev/component":"other"}}}`), metav1.PatchOptions{FieldManager: "mallory"})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := w.loop.Pass(t.Context())
		require.Error(t, err)
		now, err := services.Get(t.Context(), "shop-web", metav1.GetOptions{})
		return err == nil && now.Spec.Selector["d-aros.dev/component"] == "web"
	}, patience, 100e6, "drift is corrected")
}

// otherLedger returns a commit that says what another one does, under another id.
func (w *world) otherLedger(commit, id, other string) string {
	w.t.Helper()
	content := strings.ReplaceAll(w.git(w.repo, "show", commit+":inputs/ledger.json"), id, other)
	dir := w.t.TempDir()
	w.git(dir, "clone", "-q", w.repo, dir+"/c")
	w.git(dir+"/c", "checkout", "-q", commit)
	require.NoError(w.t, os.WriteFile(dir+"/c/inputs/ledger.json", []byte(content), 0o644))
	w.git(dir+"/c", "commit", "-qam", "another ledger")
	w.git(dir+"/c", "push", "-q", "origin", "HEAD:refs/heads/other")
	return w.git(w.repo, "rev-parse", "other")
}

// everything is what identifies the objects and pods of the tenant.
func (w *world) everything() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	for id, o := range w.objects() {
		all[id] = fmt.Sprint(o)
	}
	pods, err := w.cluster.Clientset.CoreV1().Pods(w.name+"-acme").List(w.t.Context(), metav1.ListOptions{})
	require.NoError(w.t, err)
	for _, p := range pods.Items {
		all["Pod "+p.Name] = string(p.UID)
	}
	jobs, err := w.cluster.Clientset.BatchV1().Jobs(w.name+"-acme").List(w.t.Context(), metav1.ListOptions{})
	require.NoError(w.t, err)
	for _, j := range jobs.Items {
		all["Job "+j.Name] = string(j.UID)
	}
	return all
}

// TestAnchor: one write a save, none without a save, and a start on an anchor that is
// damaged stays away until somebody deletes it.
func TestAnchor(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", web(1, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	saved, writes, anchored := w.statusCommits(), w.writes.Load(), w.anchors.Load()
	w.commit("nothing that runs", map[string]string{"README.md": "x\n"})
	w.pass()
	require.Equal(t, saved+1, w.statusCommits())
	require.Equal(t, anchored+1, w.anchors.Load(), "one write a save")
	w.pass()
	require.Equal(t, anchored+1, w.anchors.Load(), "nothing to save, nothing to write")
	require.Equal(t, writes, w.writes.Load())
	w.stop()
	w.start()
	w.pass()
	require.Zero(t, w.writes.Load()+w.anchors.Load(), "a start writes no anchor again")
	w.stop()

	maps := w.cluster.Clientset.CoreV1().ConfigMaps(anchors)
	_, err := maps.Patch(t.Context(), "daros-"+w.name, types.MergePatchType, []byte(`{"data":{"id":"\u001b[31mnobody","sequence":"many"}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	w.start()
	_, err = w.loop.Pass(t.Context())
	require.ErrorContains(t, err, "delete the ConfigMap if the branch is right")
	require.NotContains(t, err.Error(), "nobody")
	require.Zero(t, w.writes.Load()+w.anchors.Load())
	w.forgetAnchor()
	r := w.pass()
	require.Empty(t, r.Changes)
	anchor, found, err := w.carrier.Anchor(t.Context())
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, w.ledger().Identity, anchor.LedgerIdentity)
	require.Equal(t, "status", anchor.Branch)
	require.Equal(t, w.git(w.repo, "rev-parse", "main"), anchor.Commit)
}

// TestAdopt: an older branch that is wanted is taken as it is, once, under a new id, so
// that what was asked of runs since is not taken for requests to runs to come.
func TestAdopt(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", steps(migration("1")+web(1, "1"), migrate, release))))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	older, before := w.git(w.repo, "rev-parse", "status"), w.ledger()
	w.commit("an update", app("acme", "shop", steps(migration("2")+web(1, "2"), migrate, release)))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	second := w.ledger()
	w.stop()
	w.git(w.repo, "update-ref", "refs/heads/status", older)

	adopting := func(o *reconcile.Options) { o.Recognition.Adopt = true }
	w.engine = newEngine(t, w.repo, w.name, w.cluster.Config, adopting)
	w.pass()
	adopted := w.ledger()
	require.NotEqual(t, before.Identity.ID, adopted.Identity.ID)
	require.Equal(t, before.Identity.Sequence+1, adopted.Identity.Sequence)
	w.phase("acme/shop", model.PhaseRunning)
	again := w.settled()
	require.Equal(t, 2, again.Instances[0].Run.Number)
	require.NotEqual(t, second.Instances[0].Run.ID, again.Instances[0].Run.ID, "run 2 of this ledger is another run")
	w.stop()

	// Nothing is left to adopt, so the flag does nothing; and no flag is needed.
	tip := w.git(w.repo, "rev-parse", "status")
	for _, options := range [][]func(*reconcile.Options){{adopting}, nil} {
		w.engine = newEngine(t, w.repo, w.name, w.cluster.Config, options...)
		w.pass()
		w.stop()
	}
	require.Equal(t, tip, w.git(w.repo, "rev-parse", "status"))
}
