package offline_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
)

const shopDir = "tenants/acme/apps/shop"

// edit is an edit of acme/shop.
func edit(op cuefile.Op, value any, path ...string) offline.DraftEdit {
	return offline.DraftEdit{Dir: shopDir, Edit: cuefile.Edit{Op: op, Path: append([]string{"application"}, path...), Value: value}}
}

// followed returns a base of the work tree of a repo, or of one of its commits.
func followed(t testing.TB, c offline.Case, head string) *offline.Base {
	b, err := offline.OpenBase(t.Context(), options(t), c, head)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	require.NoError(t, b.Follow(t.Context(), offline.Recorded{}, c.Now))
	return b
}

func onlyChanges(t *testing.T, c plan.Comparison) string {
	b, err := view.JSON(view.PlanOf(plan.Comparison{Changes: c.Changes}))
	require.NoError(t, err)
	return string(b)
}

// TestPreviewIsThePlan: what a draft is told is what plan tells once its files are written, neighbours included, on the work
// tree as on a commit. The draft writes nothing.
func TestPreviewIsThePlan(t *testing.T) {
	drafts := map[string]offline.Draft{
		"one value":         {Edits: []offline.DraftEdit{edit(cuefile.Set, 7, "components", "web", "replicas")}},
		"a neighbour waits": {Edits: []offline.DraftEdit{edit(cuefile.Set, 8, "components", "web", "replicas"), edit(cuefile.Set, 500, "priority")}},
		"several files": {Edits: []offline.DraftEdit{
			edit(cuefile.Set, map[string]any{"type": "worker", "properties": map[string]any{"image": "example.com/more:1"}}, "components", "more"),
			{Dir: ".", Edit: cuefile.Edit{Op: cuefile.Set, Path: []string{"platform", "allotments", "acme", "weight"}, Value: 3}},
		}},
		"a new application": {Edits: []offline.DraftEdit{{Dir: "tenants/acme/apps/new", Edit: cuefile.Edit{Op: cuefile.Set, Path: []string{"application"},
			Value: map[string]any{"name": "new", "components": map[string]any{"web": map[string]any{"type": "worker", "properties": map[string]any{"image": "example.com/web:1"}}}}}}}},
	}
	for name, d := range drafts {
		for _, head := range []string{"", "HEAD"} {
			t.Run(name+head, func(t *testing.T) {
				repo := fleet(t)
				c := caseOf(t, repo.Dir)
				p, err := followed(t, c, head).Preview(t.Context(), d)
				require.NoError(t, err)
				require.True(t, p.Saves(), "%v", p.Problems)
				require.Empty(t, repo.Git("status", "--porcelain"))
				for _, change := range p.Changes {
					repo.Write(change.Name, string(change.After))
				}
				made, err := offline.Plan(t.Context(), options(t), c, "main", "")
				require.NoError(t, err)
				require.NotEqual(t, plan.ResultSame, made.Result())
				require.Equal(t, onlyChanges(t, made), onlyChanges(t, p.Plan))
			})
		}
	}
}

// TestPreviewRefusesWhatVetRefuses: a draft that the reconciler would refuse cannot be saved, and its problems are at their
// fields and lines. Problems of others do not keep it from being saved.
func TestPreviewRefusesWhatVetRefuses(t *testing.T) {
	repo := fleet(t)
	application(repo, "report", 12)
	repo.Write("tenants/acme/apps/broken/app.cue", "package fleet\n\napplication: name: \"broken\"\n")
	base := followed(t, caseOf(t, repo.Dir), "")
	for _, c := range []struct {
		edit offline.DraftEdit
		code string
		path string
	}{
		{edit(cuefile.Set, 0, "components", "web", "properties", "ports"), "DA1", "application.components.web.properties.ports"},
		{edit(cuefile.Set, 99999, "components", "web", "replicas"), "DA1203", "application.components.web.replicas"},
		{edit(cuefile.Set, "example.org/web:1", "components", "web", "properties", "image"), "DA1", "application.components.web.properties.image"},
		{edit(cuefile.Set, "other", "name"), "DA1", "application.name"},
	} {
		p, err := base.Preview(t.Context(), offline.Draft{Edits: []offline.DraftEdit{c.edit}})
		require.NoError(t, err)
		require.False(t, p.Saves())
		require.Contains(t, p.Problems[0].Code, c.code)
		require.Equal(t, c.path, p.Problems[0].Path)
		require.Equal(t, p.Problems, p.Plan.Problems, "the plan introduces the same")
		require.Empty(t, p.Plan.Solved)
		require.Contains(t, p.Problems[0].Places[0].At, shopDir+"/app.cue:")
	}
	p, err := base.Preview(t.Context(), offline.Draft{Edits: []offline.DraftEdit{edit(cuefile.Set, 2, "components", "web", "replicas")}})
	require.NoError(t, err)
	require.True(t, p.Saves(), "%v", p.Problems)
	require.Equal(t, `--- a/tenants/acme/apps/shop/app.cue
+++ b/tenants/acme/apps/shop/app.cue
@@ -2,5 +2,5 @@
 
 application: {
 	name: "shop"
-	components: web: {type: "worker", replicas: 1, properties: image: "example.com/web:1", resources: requests: {cpu: "1", memory: "1Gi"}}
+	components: web: {type: "worker", replicas: 2, properties: image: "example.com/web:1", resources: requests: {cpu: "1", memory: "1Gi"}}
 }
`, offline.Diff(p.Changes))

	// A change of one layer that breaks another is refused, too.
	p, err = base.Preview(t.Context(), offline.Draft{Edits: []offline.DraftEdit{{Dir: ".", Edit: cuefile.Edit{
		Op: cuefile.Set, Path: []string{"platform", "policy", "images", "registries"}, Value: []string{"example.net"},
	}}}})
	require.NoError(t, err)
	require.False(t, p.Saves())

	for _, wrong := range []offline.DraftEdit{
		{Dir: "../outside", Edit: edit(cuefile.Set, 1, "x").Edit},
		edit("rename", 1, "components", "web"),
		edit(cuefile.Set, 1, "components", "web"), // it has fields of its own
	} {
		_, err := base.Preview(t.Context(), offline.Draft{Edits: []offline.DraftEdit{wrong}})
		require.Error(t, err)
	}
}

// TestPreviewOnANewTip: a draft goes onto the newer files, with what others wrote meanwhile; where they changed the same
// value it is a conflict with the three values, and nothing else.
func TestPreviewOnANewTip(t *testing.T) {
	repo := fleet(t)
	c := caseOf(t, repo.Dir)
	from := repo.Git("rev-parse", "HEAD")
	d := offline.Draft{Base: from, Edits: []offline.DraftEdit{edit(cuefile.Set, 3, "components", "web", "replicas")}}
	name := filepath.Join(repo.Dir, shopDir, "app.cue")
	was, err := os.ReadFile(name)
	require.NoError(t, err)
	repo.Write(shopDir+"/app.cue", "// Ours.\n"+string(was)+"\napplication: priority: 7\n")
	repo.Commit("others go on")
	p, err := followed(t, c, "").Preview(t.Context(), d)
	require.NoError(t, err)
	require.True(t, p.Saves())
	require.Contains(t, string(p.Changes[0].After), "// Ours.")
	require.Contains(t, string(p.Changes[0].After), "replicas: 3")
	saved := save(t, c.Tree, p)
	require.Equal(t, "1\t1\ttenants/acme/apps/shop/app.cue", repo.Git("diff", "--numstat", "main", saved.Branch))

	application(repo, "shop", 5)
	repo.Commit("others change the same")
	p, err = followed(t, c, "").Preview(t.Context(), d)
	require.NoError(t, err)
	require.False(t, p.Saves())
	require.Empty(t, p.Changes)
	require.Equal(t, []offline.Conflict{{Dir: shopDir, Conflict: cuefile.Conflict{
		Path: []string{"application", "components", "web", "replicas"}, Base: "1", Mine: "3", Theirs: "5",
	}}}, p.Conflicts)

	d.Base = "1111111111111111111111111111111111111111"
	_, err = followed(t, c, "").Preview(t.Context(), d)
	require.ErrorContains(t, err, "names no commit of this clone")
	repo.Write(shopDir+"/app.cue", "package fleet\n\napplication: {\n")
	d.Base = from
	_, err = followed(t, c, "").Preview(t.Context(), d)
	require.ErrorContains(t, err, "read "+shopDir+"/app.cue:3:16: expected '}'")
}

func save(t *testing.T, w *clone.Tree, p offline.Preview) clone.Saved {
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Ada")
		t.Setenv("GIT_"+who+"_EMAIL", "ada@example.com")
	}
	proposal, err := clone.ParseDraftBranch("draft")
	require.NoError(t, err)
	saved, err := w.Save(t.Context(), "HEAD", p.Changes, "propose it", proposal)
	require.NoError(t, err)
	return saved
}

// BenchmarkCostlyDraft measures the costliest draft that was found: ten new applications, as large as they may be. To decide about it,
// and to render it, is arithmetic in the server about what children have evaluated.
func BenchmarkCostlyDraft(b *testing.B) {
	const applications, components = 10, 500
	repo := fleet(b)
	repo.Commit("as it was")
	base := followed(b, caseOf(b, repo.Dir), "HEAD")
	big := map[string]any{}
	for i := range components {
		env := map[string]string{}
		for v := range 10 {
			env[fmt.Sprintf("V%d", v)] = "x"
		}
		big[fmt.Sprintf("c%d", i)] = map[string]any{"type": "webservice", "properties": map[string]any{"image": "example.com/web:1", "ports": []any{map[string]any{"port": 80}}, "env": env}}
	}
	var d offline.Draft
	for i := range applications {
		dir := fmt.Sprintf("tenants/acme/apps/big%d", i)
		d.Edits = append(d.Edits, offline.DraftEdit{Dir: dir, Edit: cuefile.Edit{Op: cuefile.Set, Path: []string{"application"}, Value: map[string]any{"name": path.Base(dir), "components": big}}})
	}
	before := usedTime()
	for b.Loop() {
		p, err := base.Preview(b.Context(), d)
		require.NoError(b, err)
		_, _, err = p.Shown()
		require.NoError(b, err)
		require.Empty(b, p.Problems)
	}
	b.ReportMetric((usedTime()-before).Seconds()/float64(b.N), "cpu-s/op")
}

// usedTime is the CPU time of this process, without children.
func usedTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
