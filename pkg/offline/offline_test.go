package offline_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/test/evaluators"
	"github.com/d-aros/d-aros/test/gittest"
)

func TestMain(m *testing.M) { os.Exit(evaluators.Main(m)) }

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func options(t testing.TB) offline.Options {
	return offline.Options{Child: []string{evaluators.Child(t)}, Fleet: "fleet"}
}

// fleet returns a repository with two applications of one tenant, which is committed.
func fleet(t testing.TB) *gittest.Repo {
	repo := gittest.New(t)
	repo.Write("fleet.cue", `package fleet

import "d-aros.dev/schema"

schema.#Fleet
platform: {
	name: "test"
	policy: {limits: maxShare: 1.0, images: registries: ["example.com"]}
	pools: general: capacity: {cpu: "16", memory: "64Gi"}
	allotments: acme: {}
}
`)
	repo.Write("tenants/acme/tenant.cue", "package fleet\n\ntenant: {name: \"acme\", quota: {cpu: \"8\", memory: \"64Gi\"}}\n")
	application(repo, "shop", 1)
	application(repo, "blog", 1)
	repo.Commit("first")
	return repo
}

func application(repo *gittest.Repo, name string, replicas int) {
	repo.Write("tenants/acme/apps/"+name+"/app.cue", fmt.Sprintf(`package fleet

application: {
	name: %q
	components: web: {type: "worker", replicas: %d, properties: image: "example.com/web:1", resources: requests: {cpu: "1", memory: "1Gi"}}
}
`, name, replicas))
}

func caseOf(t testing.TB, dir string) offline.Case {
	w, err := clone.Open(t.Context(), dir)
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return offline.Case{Tree: w, StatusBranch: "status", Now: now}
}

// contents identifies all files below a directory, those of Git among them.
func contents(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			b, err := os.ReadFile(name)
			require.NoError(t, err)
			files[name] = fmt.Sprintf("%x", sha256.Sum256(b))
		}
		return err
	}))
	return files
}

func effects(c plan.Comparison) map[string]plan.Effect {
	list := map[string]plan.Effect{}
	for _, a := range c.Applications {
		list[a.App.String()] = a.Effect
	}
	return list
}

// A plan of a change that is not committed, of one that is, and of a setting. None writes to the clone.
func TestPlan(t *testing.T) {
	repo := fleet(t)
	base := repo.Git("rev-parse", "HEAD")
	application(repo, "shop", 20) // beyond the quota
	c := caseOf(t, repo.Dir)
	past := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(repo.Dir, "fleet.cue"), past, past), "so that git would refresh its index")
	before := contents(t, repo.Dir)
	onDisk, err := offline.Plan(t.Context(), options(t), c, "main", "")
	require.NoError(t, err)
	require.Equal(t, map[string]plan.Effect{"acme/shop": plan.Rejected}, effects(onDisk))
	require.Equal(t, plan.Side{Name: "the work tree"}, onDisk.After)
	require.Equal(t, plan.Side{Name: "main", Commit: base}, onDisk.Before)
	require.Len(t, onDisk.Notes, 1, "there is no status branch: %v", onDisk.Notes)

	settings, err := offline.ParseSetting("tenant.acme.quota.cpu=32")
	require.NoError(t, err)
	more, err := offline.WhatIf(t.Context(), options(t), c, "", []offline.Setting{settings})
	require.NoError(t, err)
	require.Equal(t, plan.Reworded, effects(more)["acme/shop"], "it stays rejected: the pool is too small as well")
	c.Capacity, err = offline.ParseCapacity([]string{"general.cpu=64"})
	require.NoError(t, err)
	more, err = offline.WhatIf(t.Context(), options(t), c, "", []offline.Setting{settings})
	require.NoError(t, err)
	require.Equal(t, plan.Admitted, effects(more)["acme/shop"], "%v", effects(more))
	require.Equal(t, before, contents(t, repo.Dir))

	c.Capacity = nil
	repo.Git("checkout", "-q", "-b", "change")
	repo.Commit("more replicas")
	committed, err := offline.Plan(t.Context(), options(t), c, "main", "change")
	require.NoError(t, err)
	require.Equal(t, effects(onDisk), effects(committed))
	shop, ok := committed.Next.Find(model.AppID{Tenant: "acme", Name: "shop"})
	require.True(t, ok)
	require.Equal(t, model.PhaseRejected, shop.Phase, "as the next pass saves it")
}

// What cannot be planned is one sentence that says what is wrong.
func TestPlanOfBadInput(t *testing.T) {
	repo := fleet(t)
	application(repo, "shop", 2)
	repo.Commit("second")
	shallow := filepath.Join(t.TempDir(), "shallow")
	repo.Git("clone", "-q", "--depth=1", "file://"+repo.Dir, shallow)
	outside := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(outside, "fleet"), os.DirFS(filepath.Join(repo.Dir))))
	require.NoError(t, os.RemoveAll(filepath.Join(outside, "fleet", ".git")))
	repo.Git("checkout", "-q", "--orphan", "status")
	repo.Write("inputs/format.json", `{"major": 3, "minor": 0}`)
	repo.Commit("saved\n\nWritten-By: reconciler v7.1.0 (commit 0123456789ab)\n")
	repo.Git("checkout", "-q", "main")

	for name, c := range map[string]struct{ dir, status, base, head, want string }{
		"base":      {repo.Dir, "none", "nowhere", "", `--base: "nowhere" names no commit of this clone; "git fetch origin nowhere" may bring it`},
		"head":      {repo.Dir, "none", "main", "nowhere", `"nowhere" names no commit of this clone`},
		"an option": {repo.Dir, "none", "main", "--all", `"--all" names no commit of this clone`},
		"branch":    {repo.Dir, "bad..name", "main", "", `--status-branch: "bad..name" is not a valid branch`},
		"newer":     {repo.Dir, "status", "main", "", "read branch status: status branch has format 3.0; this program reads 1 and 2: use v7.1.0 or newer"},
		"shallow":   {shallow, "none", "main~1", "", `--base: "main~1" names no commit of this clone, which is shallow; "git fetch --unshallow" completes it`},
		"no Git":    {filepath.Join(outside, "fleet"), "none", "main", "", "is in no Git repository, so there is nothing to compare with"},
	} {
		at := caseOf(t, c.dir)
		at.StatusBranch = c.status
		before := contents(t, c.dir)
		_, err := offline.Plan(t.Context(), options(t), at, c.base, c.head)
		require.ErrorContains(t, err, c.want, name)
		require.Equal(t, before, contents(t, c.dir), name)
	}
}

func TestVet(t *testing.T) {
	repo := fleet(t)
	application(repo, "blog", 1)
	repo.Write("tenants/acme/apps/blog/more.cue", "package fleet\n\napplication: colour: \"red\"\n")
	repo.Write("approvals/acme/shop/go.cue", "package fleet\n\napproval: nonsense\n")
	c := caseOf(t, repo.Dir)
	files, err := c.Tree.Files(t.Context())
	require.NoError(t, err)
	steps := 0
	o := options(t)
	o.Progress = func(_ string, of int) (step, end func()) { return func() {}, func() { steps += of } }
	v, err := offline.Vet(t.Context(), o, c.Tree, files, now)
	require.NoError(t, err)
	require.Len(t, v.Fleet.Applications, 1)
	require.Len(t, v.Approvals, 1)
	require.Equal(t, 3, steps, "two applications are evaluated, one is rendered")

	shop, blog := model.AppID{Tenant: "acme", Name: "shop"}, model.AppID{Tenant: "acme", Name: "blog"}
	require.Empty(t, v.Against(shop))
	require.NotEmpty(t, v.Against(blog))
	values, _, err := v.PolicyInForce("acme", "shop")
	require.NoError(t, err)
	require.NotEmpty(t, values)
	values, problems, err := v.PolicyInForce("acme", "blog")
	require.NoError(t, err)
	require.Empty(t, values)
	require.Equal(t, v.Against(blog), problems)
	_, _, err = v.PolicyInForce("acme", "none")
	require.EqualError(t, err, "the fleet declares no application acme/none; it declares acme/blog, acme/shop")
	_, _, err = v.PolicyInForce("none", "")
	require.EqualError(t, err, "the fleet declares no tenant none; it declares acme")

	after, err := c.Tree.With(files, clone.Change{Name: "tenants/acme/apps/blog/more.cue", After: []byte("package fleet\n")})
	require.NoError(t, err)
	v, err = offline.Vet(t.Context(), options(t), c.Tree, after, now)
	require.NoError(t, err)
	require.Empty(t, v.Against(blog), "the file is read as edited")
}

// TestPlanWithALedgerElsewhere: what another repository holds counts, and not that the
// clone has no status branch.
func TestPlanWithALedgerElsewhere(t *testing.T) {
	repo := fleet(t)
	application(repo, "shop", 2)
	c := caseOf(t, repo.Dir)
	without, err := offline.Plan(t.Context(), options(t), c, "main", "")
	require.NoError(t, err)
	require.Contains(t, strings.Join(without.Notes, "\n"), `there is no status branch "status" here`)
	c.Elsewhere = &offline.Recorded{Commit: strings.Repeat("ab", 20), Ledger: without.Next}
	with, err := offline.Plan(t.Context(), options(t), c, "main", "")
	require.NoError(t, err)
	require.Equal(t, c.Elsewhere.Commit, with.Status)
	require.NotContains(t, strings.Join(with.Notes, "\n"), "there is no status branch")
}
