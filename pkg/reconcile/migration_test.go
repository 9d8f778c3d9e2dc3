package reconcile

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// still is a runtime that shows what it was recorded to show, and keeps what it is
// told to run.
type still struct {
	seen model.Observation
	told map[model.AppID][]model.Digest // workloads, by application
}

func (s *still) Inspect(context.Context, *model.Platform) (model.Observation, error) {
	return s.seen, nil
}

func (s *still) Act(_ context.Context, sets []render.Set) apply.Report {
	report := apply.Report{Sets: make([]apply.SetReport, len(sets))}
	for i := range sets {
		id := sets[i].App
		report.Sets[i].App, s.told[id] = id, nil
		for k := range sets[i].Objects {
			if told, _, ok := strings.Cut(sets[i].Objects[k].Object.GetAnnotations()[render.AnnotationWorkload], "."); ok {
				s.told[id] = append(s.told[id], model.Digest(told))
			}
		}
	}
	return report
}

func (*still) Drifted() []model.AppID                              { return nil }
func (*still) Changed() <-chan struct{}                            { return nil }
func (*still) Event(context.Context, string, bool, string, string) {}

// TestMigrationChangesNothing: the first pass over a branch of format 1, in every
// state that a ledger can be in, migrates the branch and does nothing else: no
// transition, no change of a run, and nothing runs that did not.
func TestMigrationChangesNothing(t *testing.T) {
	const testdata = "../status/testdata/"
	bundle, err := filepath.Abs(testdata + "format-1.bundle")
	require.NoError(t, err)
	repo := gittest.NewBare(t)
	repo.Git("fetch", "-q", bundle, "refs/heads/*:refs/heads/*")
	old := repo.Git("rev-parse", "status")
	b, err := os.ReadFile(testdata + "format-1.observation.json")
	require.NoError(t, err)
	runtime := &still{told: map[model.AppID][]model.Digest{}}
	require.NoError(t, json.Unmarshal(b, &runtime.seen))

	src, err := source.Open(t.Context(), source.Options{URL: repo.Dir, Dir: t.TempDir()})
	require.NoError(t, err)
	defer src.Close()
	branch, err := status.Open(t.Context(), status.Options{URL: repo.Dir, Dir: t.TempDir()})
	require.NoError(t, err)
	defer branch.Close()
	before, err := branch.Load(t.Context())
	require.NoError(t, err)
	now := time.Date(2026, 11, 1, 13, 22, 0, 0, time.UTC) // 15 seconds after the last pass
	evaluator := evaluate.New()
	loop := New(Options{Edges: Edges{Source: src, Evaluator: evaluator, Status: branch, Runtime: runtime, Commands: NewApprovals(evaluator)},
		Fleet: "fixture", Interval: 15 * time.Second, Now: func() time.Time { return now }})

	r, err := loop.Pass(t.Context())
	require.NoError(t, err)
	require.True(t, r.Saved)
	require.Empty(t, r.Transitions)
	require.Empty(t, r.Steps)
	// What a newer version says in other words is a commit of its own after it.
	commits := strings.Split(repo.Git("log", "--reverse", "--format=%s", old+"..status"), "\n")
	require.Equal(t, "migrate from format 1.0 to 2.0", commits[0])
	require.LessOrEqual(t, len(commits), 2)
	ran := map[model.AppID]map[model.Digest]bool{}
	for _, w := range runtime.seen.Workloads {
		if ran[w.App] == nil {
			ran[w.App] = map[model.Digest]bool{}
		}
		ran[w.App][w.Digest] = true
	}
	for i := range before.Instances {
		in := &before.Instances[i]
		for _, digest := range runtime.told[in.App] {
			require.True(t, ran[in.App][digest], "%s is told to run something else", in.App)
		}
		require.Equal(t, in.Phase.Active(), len(runtime.told[in.App]) > 0, "%s", in.App)
	}

	now = now.Add(15 * time.Second)
	r, err = loop.Pass(t.Context())
	require.NoError(t, err)
	require.False(t, r.Changed(), "%+v", r)
}
