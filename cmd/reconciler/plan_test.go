package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/test/gittest"
)

// What plan says before the merge is what the reconciler writes after it, byte for
// byte, of all tenants.
func TestPlanIsWhatTheReconcilerWrites(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 6, 500)
	w.app("globex", "api", 4, 300)
	w.app("globex", "batch", 5, 50)
	w.repo.Commit("first")
	w.passes()

	for _, step := range []struct {
		name   string
		change func()
		code   int
		want   map[string]plan.Effect // some of the effects
	}{
		{"nothing", func() {}, 0, nil},
		{"a new application that has to wait", func() { w.app("acme", "report", 9, 400) }, 1, nil},
		{"fewer replicas", func() { w.app("acme", "shop", 5, 500) }, 1, map[string]plan.Effect{"acme/shop": plan.Regranted}},
		{"beyond the quota", func() { w.app("acme", "huge", 40, 400) }, 2, map[string]plan.Effect{"acme/huge": plan.Rejected}},
		{"the quota of a tenant", func() { w.tenant("acme", 60) }, 1, nil},
		{"a broken file", func() {
			w.repo.Write("tenants/globex/apps/api/more.cue", "package fleet\napplication: priority: 9999\n")
		}, 2,
			map[string]plan.Effect{"globex/api": plan.Refused}},
		{"a deletion", func() { w.repo.Git("rm", "-rqf", "tenants/globex/apps/batch") }, 1, map[string]plan.Effect{"globex/batch": plan.Removed}},
		{"a fix and a new tenant", func() {
			w.repo.Git("rm", "-qf", "tenants/globex/apps/api/more.cue")
			w.tenant("initech", 8)
			w.app("initech", "risk", 2, 200)
		}, 1, nil},
	} {
		w.repo.Git("checkout", "-q", "-b", "change")
		step.change()
		w.repo.Commit(step.name)
		said := w.plan(step.code, "--head", "change")
		effects := map[string]plan.Effect{}
		for _, a := range said.Applications {
			effects[a.App.String()] = a.Effect
		}
		for app, effect := range step.want {
			require.Equal(t, effect, effects[app], "%s: %s of %v", step.name, app, effects)
		}

		before := w.tip()
		w.repo.Git("checkout", "-q", "main")
		w.repo.Git("merge", "-q", "--ff-only", "change")
		w.repo.Git("branch", "-q", "-D", "change")
		w.pass()
		for _, file := range strings.Fields(w.repo.Git("diff", "--name-only", before, "status", "--", "*/decision.json")) {
			dir := strings.Split(file, "/")
			if w.repo.Git("ls-tree", before, "--", file) != "" {
				var was, is model.Decision
				require.NoError(t, json.Unmarshal([]byte(w.repo.Git("show", before+":"+file)), &was))
				require.NoError(t, json.Unmarshal([]byte(w.repo.Git("show", "status:"+file)), &is))
				if was.RulesAs(&is) {
					continue // only its advice is other
				}
			}
			require.Contains(t, effects, dir[1]+"/"+dir[2], "%s: the reconciler decided otherwise about it, and plan did not say so", step.name)
		}
		planned := decisionsOf(&said)
		scratch := writeDecisions(t, planned)
		for _, d := range planned {
			file := "status:tenants/" + d.App.String() + "/decision.json"
			require.Equal(t, w.repo.Git("show", file), scratch.Git("show", file), "%s: %s", step.name, d.App)
		}
		w.passes()
	}
}

func decisionsOf(v *view.Plan) (list []model.Decision) {
	for _, a := range v.Applications {
		if a.After != nil {
			list = append(list, *a.After)
		}
	}
	slices.SortFunc(list, func(a, b model.Decision) int { return a.App.Compare(b.App) })
	return list
}

// writeDecisions has them written as the reconciler writes, elsewhere.
func writeDecisions(t *testing.T, decisions []model.Decision) *gittest.Repo {
	repo := gittest.NewBare(t)
	branch, err := status.Open(t.Context(), status.Options{URL: repo.Dir, Dir: t.TempDir()})
	require.NoError(t, err)
	defer branch.Close()
	empty, err := branch.Load(t.Context())
	require.NoError(t, err)
	next := model.Ledger{Commit: firstCommit, Decisions: decisions}
	for _, d := range decisions {
		next.Instances = append(next.Instances, model.Instance{App: d.App, Number: 1, Phase: model.PhaseCreated})
	}
	_, _, err = branch.Commit(t.Context(), empty, next)
	require.NoError(t, err)
	return repo
}
