package offline_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/test/gittest"
)

// moving is a fleet in which others of the tenant name acme/shop, which has a directory of its own files and a secret.
func moving(t *testing.T) *gittest.Repo {
	repo := fleet(t)
	repo.Write("tenants/acme/tenant.cue", `package fleet

tenant: {
	name: "acme"
	quota: {cpu: "8", memory: "64Gi"}
	access: owners: {
		// Ada's.
		shop: []
		blog: []
	}
}
`)
	repo.Write(shopDir+"/app.cue", `package fleet

// The shop.
application: {
	name: "shop" // as its directory
	components: {
		web: {type: "worker", connects: ["shop/web"], properties: image: "example.com/web:1"} // sells
		key: {type: "secret", properties: data: PASSWORD: "correct-horse"}
	}
}
`)
	repo.Write(shopDir+"/base/text.txt", "correct-horse battery\n")
	repo.Write(shopDir+"/base/empty", "")
	repo.Write("tenants/acme/apps/blog/app.cue", `package fleet

application: {
	name: "blog"
	components: web: {
		type: "worker", properties: image: "example.com/web:1"
		// Sells, too.
		connects: ["shop/web", "acme/shop/web", "blog/web"] // all of them
	}
}
`)
	repo.Commit("they connect")
	return repo
}

func whole(op cuefile.Op, value any) offline.DraftEdit { return edit(op, value) }

// TestRenameOfAnApplication: the directory gets another name, with all that the tenant says about the application, comments included. The old
// one ends and a new one begins, and nothing that is shown has a value of a secret.
func TestRenameOfAnApplication(t *testing.T) {
	repo := moving(t)
	c := caseOf(t, repo.Dir)
	base := followed(t, c, "HEAD")
	d := offline.Draft{Edits: []offline.DraftEdit{whole(cuefile.Rename, "store"), edit(cuefile.Set, 2, "components", "web", "replicas")}}
	p, err := base.Preview(t.Context(), d)
	require.NoError(t, err)
	require.True(t, p.Saves(), "%v", p.Problems)
	shown, diff, err := p.Shown()
	require.NoError(t, err)
	for _, text := range []string{diff, onlyChanges(t, shown.Plan)} {
		require.NotContains(t, text, "correct-horse")
	}
	require.Contains(t, diff, "+++ /dev/null")
	require.Contains(t, diff, "PASSWORD: \"(hidden)\"")

	saved := save(t, c.Tree, p)
	show := func(name string) string { return repo.Git("show", saved.Branch+":"+name) }
	require.Equal(t, []string{"tenants/acme/apps/blog/app.cue", "tenants/acme/apps/store/app.cue", "tenants/acme/apps/store/base/empty", "tenants/acme/apps/store/base/text.txt", "tenants/acme/tenant.cue"},
		strings.Fields(repo.Git("ls-tree", "-r", "--name-only", saved.Branch, "tenants")))
	require.Equal(t, `package fleet

// The shop.
application: {
	name: "store" // as its directory
	components: {
		web: {type: "worker", connects: ["store/web"], properties: image: "example.com/web:1", replicas: 2} // sells
		key: {type: "secret", properties: data: PASSWORD: "correct-horse"}
	}
}`, strings.TrimSpace(show("tenants/acme/apps/store/app.cue")))
	require.Contains(t, show("tenants/acme/apps/blog/app.cue"), "// Sells, too.\n\t\tconnects: [\"store/web\", \"acme/store/web\", \"blog/web\"] // all of them")
	require.Contains(t, show("tenants/acme/tenant.cue"), "// Ada's.\n\t\tstore: []\n\t\tblog: []")

	effects := map[string]plan.Effect{}
	for _, a := range p.Plan.Applications {
		effects[a.App.String()] = a.Effect
	}
	require.Contains(t, effects, "acme/store")
	require.Contains(t, effects, "acme/shop")

	// Whoever has the files in a work tree gets the same.
	require.NoError(t, c.Tree.Write(t.Context(), p.Changes...))
	require.NoDirExists(t, repo.Dir+"/"+shopDir)
	repo.Git("add", "--all")
	require.Empty(t, repo.Git("diff", "--cached", saved.Branch))
}

// TestRemovalOfAnApplication: all files go, and with them what the tenant says about the application. Whoever is pinned to a commit keeps its
// name, because the commit has no other.
func TestRemovalOfAnApplication(t *testing.T) {
	repo := moving(t)
	repo.Write("tenants/acme/releases.cue", "package fleet\n\ntenant: releases: shop: commit: \""+repo.Git("rev-parse", "HEAD")+"\" // until Monday\n")
	repo.Commit("pin it")
	c := caseOf(t, repo.Dir)
	base := followed(t, c, "HEAD")
	_, err := base.Preview(t.Context(), offline.Draft{Edits: []offline.DraftEdit{whole(cuefile.Rename, "store")}})
	require.ErrorContains(t, err, "tenants/acme/releases.cue:3:25: acme/shop is pinned to a commit, which has no application store; take the pin out first")

	p, err := base.Preview(t.Context(), offline.Draft{Edits: []offline.DraftEdit{whole(cuefile.Remove, nil)}})
	require.NoError(t, err)
	require.True(t, p.Saves(), "%v", p.Problems)
	saved := save(t, c.Tree, p)
	require.Equal(t, "tenants/acme/apps/blog/app.cue", strings.TrimSpace(repo.Git("ls-tree", "-r", "--name-only", saved.Branch, "tenants/acme/apps")))
	require.Contains(t, repo.Git("show", saved.Branch+":tenants/acme/tenant.cue"), "access: owners: {\n\t\tblog: []")
	require.NotContains(t, repo.Git("show", saved.Branch+":tenants/acme/releases.cue"), "shop")

	// Others changed it meanwhile.
	from := repo.Git("rev-parse", "HEAD")
	repo.Write(shopDir+"/app.cue", strings.ReplaceAll(repo.Git("show", "HEAD:"+shopDir+"/app.cue"), "shop\" //", "shop\", priority: 7 //")+"\n")
	repo.Commit("others go on")
	p, err = followed(t, c, "HEAD").Preview(t.Context(), offline.Draft{Base: from, Edits: []offline.DraftEdit{whole(cuefile.Remove, nil)}})
	require.NoError(t, err)
	require.False(t, p.Saves())
	require.Len(t, p.Conflicts, 1)
	require.Contains(t, p.Conflicts[0].Theirs, "priority: 7")
	require.NotContains(t, p.Conflicts[0].Theirs+p.Conflicts[0].Base, "correct-horse")
}

// TestWholeEditsThatCannotBe: each is refused with a sentence.
func TestWholeEditsThatCannotBe(t *testing.T) {
	base := followed(t, caseOf(t, moving(t).Dir), "HEAD")
	other := func(op cuefile.Op, value any) offline.DraftEdit {
		e := whole(op, value)
		e.Dir = "tenants/acme/apps/none"
		return e
	}
	for want, edits := range map[string][]offline.DraftEdit{
		`"../blog" cannot name an application`:            {whole(cuefile.Rename, "../blog")},
		"tenant acme has an application blog already":     {whole(cuefile.Rename, "blog")},
		"tenant acme has an application shop already":     {whole(cuefile.Rename, "shop")},
		"no file declares an application acme/none":       {other(cuefile.Remove, nil)},
		"a draft removes or renames " + shopDir + " once": {whole(cuefile.Rename, "store"), whole(cuefile.Remove, nil)},
	} {
		_, err := base.Preview(t.Context(), offline.Draft{Edits: edits})
		require.ErrorContains(t, err, want)
	}
}
