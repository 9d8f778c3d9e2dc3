package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/test/inprocess"
)

// What the reconciler would refuse is planned all the same, with a note that says who has
// to sign what. What was refused and decided on nevertheless shows in a replay.
func TestPlanAndReplayNoteRefusals(t *testing.T) {
	w := newWorld(t)
	root, public := w.repo.Key("root")
	w.repo.Write("access.cue", fmt.Sprintf("package fleet\n\nplatform: access: {enforce: \"signed\", principals: root: ssh: [%q], admins: [\"root\"]}\n", public))
	w.app("acme", "shop", 1, 500)
	w.repo.CommitSigned(root, "first")
	w.passes()
	plan := func(args ...string) []string {
		t.Helper()
		var v view.Plan
		w.run(exitDiffers, &v, append([]string{"plan", "--repo", w.repo.Dir, "-o", "json"}, args...)...)
		return v.Notes
	}

	w.app("acme", "shop", 2, 500)
	require.Empty(t, plan(), "nobody has signed it yet")
	w.repo.Git("checkout", "-q", "-b", "change")
	w.repo.CommitSigned(root, "second")
	require.Empty(t, plan("--head", "change"))
	w.app("acme", "shop", 3, 500)
	unsigned := w.repo.CommitSigned("", "third")
	notes := plan("--head", "change")
	require.Len(t, notes, 1)
	require.Contains(t, notes[0], "change is refused: commit "+unsigned[:12]+" is not signed; somebody who may change these files signs a merge")

	t.Log("a change that does not rest on what was accepted last has yet to be merged")
	w.repo.Git("checkout", "-q", "main")
	w.app("globex", "api", 1, 500)
	w.repo.CommitSigned(root, "meanwhile")
	w.passes()
	for _, note := range plan("--head", "change") {
		require.NotContains(t, note, "refused")
	}

	t.Log("the branch itself is refused")
	w.app("globex", "api", 2, 500)
	refused := w.repo.CommitSigned("", "unsigned")
	w.repo.Git("checkout", "-q", "-b", "next")
	w.app("globex", "api", 3, 500)
	w.repo.CommitSigned(root, "on top")
	notes = plan("--head", "next")
	require.Len(t, notes, 1)
	require.True(t, strings.HasPrefix(notes[0], "main is refused: commit "+refused[:12]), notes)

	t.Log("whoever runs the reconciler makes it trust the commit, and it is decided on")
	replay := func() string {
		t.Helper()
		var out, errOut bytes.Buffer
		require.Zero(t, run(t.Context(), []string{"replay", "--repo", w.repo.Dir, "-n", "100"}, &out, &errOut), "%s%s", &out, &errOut)
		return errOut.String()
	}
	require.Empty(t, replay())
	w.repo.Git("checkout", "-q", "main")
	src, err := source.Open(t.Context(), source.Options{URL: w.repo.Dir, Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = src.Close() })
	branch, err := status.Open(t.Context(), status.Options{URL: w.repo.Dir, Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = branch.Close() })
	_, err = reconcile.New(reconcile.Options{
		Edges: reconcile.Edges{Source: src, Status: branch, Runtime: w.paper, Evaluator: evaluate.Through(inprocess.By[evaluate.Worker]())}, Fleet: "fleet", Now: func() time.Time { return w.now }, TrustRoot: refused,
		Recognition: reconcile.Recognition{Signed: true},
	}).Pass(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(replay(), "note: source commit "+refused+" was decided on, and is refused: commit "+refused[:12]+" is not signed"))
}

// A pull request is told which statement or person it lacks, as the reconciler says it
// once the commit is on the branch.
func TestPlanNotesWhatAChangeLacks(t *testing.T) {
	w := newWorld(t)
	root, public := w.repo.Key("root")
	ada, other := w.repo.Key("ada")
	w.repo.Write("access.cue", fmt.Sprintf("package fleet\n\nplatform: access: {enforce: \"signed\", audience: \"test\", require: platform: 2, principals: {root: ssh: [%q], ada: ssh: [%q]}, admins: [\"root\", \"ada\"]}\n", public, other))
	w.app("acme", "shop", 1, 500)
	w.repo.CommitSigned(root, "first")
	w.passes()
	w.repo.Git("checkout", "-q", "-b", "change")
	notes := func(wanted int) []string {
		t.Helper()
		var v view.Plan
		w.run(wanted, &v, "plan", "--repo", w.repo.Dir, "--head", "change", "-o", "json")
		return v.Notes
	}
	w.app("acme", "shop", 2, 500)
	w.repo.Write("README.md", "two people")
	w.repo.CommitSigned(root, "unfinished")
	require.Contains(t, notes(exitDiffers)[0], `"Fleet: test/main"; run "reconciler review" on the branch`)
	w.repo.CommitSigned(root, "Review\n\nFleet: test/main")
	require.Contains(t, notes(exitDiffers)[0], "needs 2 people (platform.access.require.platform) and has 1: root; run \"reconciler review\" on the branch: ada may")
	w.repo.CommitSigned(ada, "Review\n\nFleet: test/main")
	require.Empty(t, notes(exitDiffers))
}
