package offline_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/offline"
)

// TestDraftsOfText: a file that is edited as text is judged as one that is edited by fields. Edits go one after the other, whichever they
// are; where others changed the file meanwhile a person decides between three texts.
func TestDraftsOfText(t *testing.T) {
	repo := fleet(t)
	head := repo.Git("rev-parse", "HEAD")
	const file = shopDir + "/app.cue"
	was := repo.Git("show", "HEAD:"+file) + "\n"
	text := func(s string) offline.DraftEdit { return offline.DraftEdit{Dir: shopDir, File: file, Text: s} }
	base := followed(t, caseOf(t, repo.Dir), "HEAD")
	seven := edit(cuefile.Set, 7, "components", "web", "replicas")

	p, err := base.Preview(t.Context(), offline.Draft{Base: head, Edits: []offline.DraftEdit{text("// Mine.\n" + was), seven}})
	require.NoError(t, err)
	require.True(t, p.Saves(), "%v", p.Problems)
	now, ok := p.Text(file)
	require.True(t, ok)
	require.True(t, strings.HasPrefix(now, "// Mine.\n"))
	require.Contains(t, now, "replicas: 7")

	p, err = base.Preview(t.Context(), offline.Draft{Base: head, Edits: []offline.DraftEdit{text(was + "\napplication: replicas: 3\n")}})
	require.NoError(t, err)
	require.False(t, p.Saves(), "what vet refuses")
	require.Contains(t, p.Problems[0].String(), file)
	_, err = base.Preview(t.Context(), offline.Draft{Base: head, Edits: []offline.DraftEdit{{Dir: shopDir, File: shopDir + "/other.cue", Text: "package fleet\n"}}})
	require.ErrorContains(t, err, "is none of the files")

	repo.Write(file, "// Theirs.\n"+was)
	repo.Commit("others")
	base = followed(t, caseOf(t, repo.Dir), "HEAD")
	p, err = base.Preview(t.Context(), offline.Draft{Base: head, Edits: []offline.DraftEdit{text("// Mine.\n" + was)}})
	require.NoError(t, err)
	require.Len(t, p.Conflicts, 1)
	require.True(t, p.Conflicts[0].Whole())
	require.Equal(t, [3]string{was, "// Mine.\n" + was, "// Theirs.\n" + was}, [3]string{p.Conflicts[0].Base, p.Conflicts[0].Mine, p.Conflicts[0].Theirs})
}

// TestRenameOfAComponent: the plan of a new name says what ends and what begins.
func TestRenameOfAComponent(t *testing.T) {
	repo := fleet(t)
	base := followed(t, caseOf(t, repo.Dir), "HEAD")
	p, err := base.Preview(t.Context(), offline.Draft{Edits: []offline.DraftEdit{edit(cuefile.Rename, "front", "components", "web")}})
	require.NoError(t, err)
	require.True(t, p.Saves(), "%v", p.Problems)
	actions := map[string]string{}
	for _, o := range p.Plan.Objects {
		actions[o.Kind+" "+o.Name] = string(o.Action)
	}
	require.Equal(t, "remove", actions["Deployment shop-web"], actions)
	require.Equal(t, "add", actions["Deployment shop-front"], actions)
}
