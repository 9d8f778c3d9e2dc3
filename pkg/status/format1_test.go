package status_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// format1 returns a repository with the fleet and the status branch of
// testdata/format-1.bundle; testdata/README.md says what they hold.
func format1(t testing.TB) *gittest.Repo {
	t.Helper()
	bundle, err := filepath.Abs("testdata/format-1.bundle")
	require.NoError(t, err)
	repo := gittest.NewBare(t)
	repo.Git("fetch", "-q", bundle, "refs/heads/*:refs/heads/*")
	return repo
}

// TestFormat1 reads the branch that a program of format 1 wrote and finds every
// state in it that a ledger can be in.
func TestFormat1(t *testing.T) {
	repo := format1(t)
	branch := open(t, repo.Dir)
	ledger, err := branch.Load(t.Context())
	require.NoError(t, err)

	phases := map[model.Phase][]string{}
	for _, in := range ledger.Instances {
		phases[in.Phase] = append(phases[in.Phase], in.App.String())
	}
	require.Equal(t, map[model.Phase][]string{
		model.PhaseAdmitted:   {"globex/batch", "globex/sweep"},
		model.PhaseRejected:   {"acme/huge", "globex/newer"},
		model.PhaseScheduled:  {"acme/books", "acme/front", "acme/late"},
		model.PhaseRunning:    {"acme/blog", "acme/chat", "acme/fresh", "acme/shop", "globex/api", "globex/rush", "globex/wiki"},
		model.PhaseDegraded:   {"acme/mixed"},
		model.PhaseTerminated: {"acme/nightly", "acme/old"},
	}, phases)
	app := func(name string) *model.Instance {
		t.Helper()
		in, ok := ledger.Find(model.AppID{Tenant: "acme", Name: name})
		require.True(t, ok, name)
		return in
	}

	front := app("front")
	web, _ := front.Component("web")
	require.NotNil(t, web.Beside, "half a canary")
	require.NotNil(t, front.Previous)
	release, _ := front.Run.Step("release")
	require.Equal(t, model.StepActive, release.Phase)

	agree, _ := app("books").Run.Step("agree")
	require.Equal(t, model.StepActive, agree.Phase, "an open approval")
	require.Contains(t, app("books").Run.Commands[0].Refused, "needs the role tenant-admin")

	require.Len(t, app("blog").Held, 1)
	require.True(t, slices.ContainsFunc(app("blog").History, func(tr model.Transition) bool { return tr.Reason == model.ReasonRolledBack }))
	require.NotNil(t, app("chat").Refused)
	require.NotEqual(t, ledger.Commit, app("fresh").Spec.Commit, "a pinned release")

	keys, _ := app("shop").Spec.Component("keys")
	require.True(t, keys.Redacted())
	require.NotContains(t, string(keys.Properties), "hunter")
	require.Len(t, ledger.Problems, 3)
	require.Len(t, ledger.Decisions, len(ledger.Instances))

	entries, err := branch.History(t.Context(), "", model.AppID{Tenant: "acme", Name: "fresh"}, 100)
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(entries, func(e status.Entry) bool { return e.Subject == "acme/fresh: Created" }), "%+v", entries)
	shop, err := branch.History(t.Context(), "", model.AppID{Tenant: "acme", Name: "shop"}, 1000)
	require.NoError(t, err)
	require.Equal(t, 186, len(shop), "a start and 61 releases, three commits each")
	require.Equal(t, "212", repo.Git("rev-list", "--count", "status"))
}
