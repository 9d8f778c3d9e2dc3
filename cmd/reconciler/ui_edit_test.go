package main

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/view"
)

// asked is a body with a draft of acme/shop.
func asked(base, edits, more string) string {
	return `{"base":"` + base + `","edits":[` + edits + `]` + more + `}`
}

func decoded[T any](t *testing.T, a uiAnswer, status int) (v T) {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	require.NoError(t, json.Unmarshal([]byte(a.body), &v), a.body)
	return v
}

// TestUIEdits: a person sees what the files say, previews a change, and saves it onto a branch whose diff is that change alone.
func TestUIEdits(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 2, 500)
	w.repo.Commit("first")
	w.passes()
	present = func() time.Time { return w.now }
	defer func() { present = time.Now }()
	ui := openUI(t, "--repo", w.repo.Dir)
	refs := func() string { return w.repo.Git("for-each-ref", "--format=%(refname) %(objectname)") }

	src := decoded[view.Source](t, ui.do(http.MethodGet, "source/applications/acme/shop", ""), http.StatusOK)
	require.Equal(t, w.repo.Git("rev-parse", "HEAD"), src.Base)

	const dir = `"dir":"tenants/acme/apps/shop"`
	edits := `{` + dir + `,"path":["components","web","replicas"],"op":"set","value":3}`
	before := refs()
	p := decoded[view.Preview](t, ui.post("preview", asked(src.Base, edits, "")), http.StatusOK)
	require.True(t, p.Saves)
	require.Equal(t, before, refs(), "a preview writes nothing")
	saved := decoded[view.SavedDraft](t, ui.post("branches", asked(src.Base, edits, `,"name":"more","message":"more of it"`)), http.StatusCreated)
	require.Equal(t, "git push origin ui/more", saved.Push)
	require.Equal(t, before+"\nrefs/heads/ui/more "+saved.Commit, refs())

	bad := ui.post("branches", asked(src.Base, `{`+dir+`,"path":["components","web","replicas"],"op":"set","value":99999}`, `,"name":"more"`))
	p = decoded[view.Preview](t, bad, http.StatusUnprocessableEntity)
	require.Equal(t, "DA1203", p.Problems[0].Code)
	require.Equal(t, []string{"components", "web", "replicas"}, p.Problems[0].Field)
}
