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

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/evaluators"
	"github.com/d-aros/d-aros/test/gittest"
)

// still is a runtime that shows what it was recorded to show, and keeps what it is
// told to run.
type still struct {
	seen model.Observation
	told map[model.AppID][]model.Digest // workloads, by application
	is   map[model.Digest]model.Digest  // what runs by the name that it was told by before
}

func (s *still) Inspect(context.Context, *model.Platform) (model.Observation, error) {
	return s.seen, nil
}

func (s *still) Act(ctx context.Context, list []runtime.Assignment) runtime.Report {
	return renderer.Act(ctx, list, s.apply)
}

func (s *still) apply(_ context.Context, sets []render.Set) apply.Report {
	report := apply.Report{Sets: make([]apply.SetReport, len(sets))}
	for i := range sets {
		id := sets[i].App
		report.Sets[i].App, s.told[id] = id, nil
		for k := range sets[i].Objects {
			if told, _, ok := strings.Cut(sets[i].Objects[k].Object.GetAnnotations()[render.AnnotationWorkload], "."); ok {
				object := sets[i].Objects[k]
				secret := object.Object.GetKind() == "Secret" // the name follows from values that no record has
				if !secret {
					s.told[id] = append(s.told[id], model.Digest(told))
				}
				for n := range s.seen.Workloads { // it is what ran before, by another name
					w := &s.seen.Workloads[n]
					if w.App == id && (s.is[w.Digest] == model.Digest(told) || secret && w.Component == object.Component) {
						w.Digest = model.Digest(told)
					}
				}
			}
		}
	}
	return report
}

func (*still) Drifted() []model.AppID   { return nil }
func (*still) Changed() <-chan struct{} { return nil }

// TestMigrationChangesNothing: the first pass over a branch of format 1, in every
// state that a ledger can be in, migrates the branch and does nothing else: no
// transition, no change of a run, and nothing runs that did not.
func TestMigrationChangesNothing(t *testing.T) {
	const testdata = "../status/testdata/"
	bundle, err := filepath.Abs(testdata + "format-1.bundle")
	require.NoError(t, err)
	repo := gittest.NewBare(t)
	repo.Git("fetch", "-q", bundle, "refs/heads/*:refs/heads/*")
	giveAllotments(t, repo)
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
	runtime.is = presentNames(&before)
	ran := map[model.AppID]map[model.Digest]bool{}
	for _, w := range runtime.seen.Workloads {
		if ran[w.App] == nil {
			ran[w.App] = map[model.Digest]bool{}
		}
		ran[w.App][w.Digest], ran[w.App][runtime.is[w.Digest]] = true, true
	}
	now := time.Date(2026, 11, 1, 13, 22, 0, 0, time.UTC) // 15 seconds after the last pass
	evaluator := evaluators.New(t)
	loop := New(Options{Edges: Edges{Source: src, Evaluator: evaluator, Status: branch, Runtime: runtime, Commands: NewApprovals(evaluator)},
		Fleet: "fixture", Interval: 15 * time.Second, Now: func() time.Time { return now },
		Recognition: Recognition{Signed: true}}) // accepted as it is: the rules of today refuse some of its commits

	r, err := loop.Pass(t.Context())
	require.NoError(t, err)
	require.True(t, r.Saved)
	require.Len(t, r.Changes, 1)
	require.Equal(t, announce.Commit, r.Changes[0].Kind, "the one with the allotments")
	// What a newer version says in other words is a commit of its own after it.
	commits := strings.Split(repo.Git("log", "--reverse", "--format=%s", old+"..status"), "\n")
	require.Equal(t, "migrate from format 1.0 to 2.3", commits[0])
	require.LessOrEqual(t, len(commits), 2)
	for i := range before.Instances {
		in := &before.Instances[i]
		for _, digest := range runtime.told[in.App] {
			require.True(t, ran[in.App][digest], "%s is told to run something else", in.App)
		}
		require.Equal(t, in.Phase.Active(), len(runtime.told[in.App]) > 0, "%s", in.App)
	}

	// The objects were sent once, for their annotations, and then all is as it was. That
	// it is ready again is saved within a minute.
	for range 4 {
		now = now.Add(25 * time.Second)
		r, err = loop.Pass(t.Context())
		require.NoError(t, err)
		require.Empty(t, r.Changes)
	}
	require.False(t, r.Changed(), "%+v", r)
	after, err := branch.Load(t.Context())
	require.NoError(t, err)
	for i := range before.Instances {
		in := &before.Instances[i]
		is, _ := after.Find(in.App)
		require.Equal(t, []any{in.Number, in.Phase, in.Since, len(in.Held)}, []any{is.Number, is.Phase, is.Since, len(is.Held)}, "%s", in.App)
		for _, a := range announce.Application(in, is, time.Time{}) {
			require.NotContains(t, []announce.Kind{announce.Run, announce.Step, announce.Transition}, a.Kind, a.What())
		}
		for k := range in.Components {
			require.Equal(t, in.Components[k].State, is.Components[k].State, "%s/%s", in.App, in.Components[k].Grant.Component)
		}
	}
}

// presentNames maps what workloads were told to run to how releases name the same.
func presentNames(l *model.Ledger) map[model.Digest]model.Digest {
	names := map[model.Digest]model.Digest{}
	for i := range l.Instances {
		in := &l.Instances[i]
		for _, spec := range []*model.Application{in.Spec, in.Previous} {
			for k := 0; spec != nil && k < len(spec.Components); k++ {
				c := &spec.Components[k]
				if s, ok := in.Component(c.Name); ok {
					for run := range s.Grant.Replicas + 1 {
						names[model.FormerWorkload(c, s.Grant, run)] = model.WorkloadDigest(c, s.Grant, run)
					}
				}
			}
		}
	}
	return names
}

// giveAllotments moves what the tenants of a repo are given to its root, as the page of upgrades says.
func giveAllotments(t *testing.T, repo *gittest.Repo) {
	t.Helper()
	work := gittest.New(t)
	work.Git("pull", "-q", repo.Dir, "main")
	given, err := layer.MoveAllotments(os.DirFS(work.Dir), nil, false)
	require.NoError(t, err)
	require.NotEmpty(t, given.Moved)
	for _, f := range given.Files {
		work.Write(f.Name, string(f.Data))
	}
	work.Commit("platform: move what tenants are given to allotments")
	work.Git("push", "-q", repo.Dir, "HEAD:main")
}
