package main

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/view"
)

// TestUIEditsLayers: the files of the platform and of a tenant are changed like those of an application. What one layer may not give is a
// problem at the field, and is not saved; a change of the platform that a tenant's file does not fit any more is one of the tenant.
func TestUIEditsLayers(t *testing.T) {
	w, ui, untouched := editing(t)
	base := w.repo.Git("rev-parse", "HEAD")
	for path, field := range map[string]string{"platform": "platform", "tenants/acme": "tenant"} {
		src := decoded[view.Source](t, ui.do(http.MethodGet, "source/"+path, ""), http.StatusOK)
		require.Equal(t, base, src.Base)
		require.Empty(t, src.Problems)
		require.NotEmpty(t, src.Policy)
		require.NotEmpty(t, *src.Files[0].Text)
		var declared map[string]any
		require.NoError(t, json.Unmarshal(src.Declared, &declared))
		require.NotEmpty(t, declared["name"])
		require.Contains(t, ui.get("schema/"+field), `"description"`)
		for _, p := range src.Places {
			require.NotEmpty(t, p.Path)
		}
	}
	require.Contains(t, ui.do(http.MethodGet, "source/tenants/nobody", "").body, "no file declares a tenant nobody; a new one is made by edits of tenants/nobody")
	require.Equal(t, http.StatusNotFound, ui.do(http.MethodGet, "source/tenants/%2e%2e", "").status)

	edit := func(dir, path, value string) string {
		return `{"dir":"` + dir + `","path":` + path + `,"op":"set","value":` + value + `}`
	}
	weight := edit(".", `["allotments","acme","weight"]`, "3")
	limit := edit("tenants/acme", `["policy","limits","maxReplicas"]`, "4")
	saved := decoded[view.SavedDraft](t, ui.post("branches", asked(base, weight+","+limit, `,"name":"layers"`)), http.StatusCreated)
	require.Contains(t, w.repo.Git("show", saved.Branch+":fleet.cue"), "weight: 3")
	require.Contains(t, w.repo.Git("diff", base, saved.Branch, "--", "tenants/acme"), "+")
	require.Equal(t, "change the platform, acme", w.repo.Git("log", "-1", "--format=%s", saved.Branch))

	for field, draft := range map[string]string{
		`["policy","limits","maxReplicas"]`: edit("tenants/acme", `["policy","limits","maxReplicas"]`, "5000"),
		`["allotments","acme","weight"]`:    edit(".", `["allotments","acme","weight"]`, "-1"),
	} {
		p := decoded[view.Preview](t, ui.post("preview", asked(base, draft, "")), http.StatusOK)
		require.False(t, p.Saves)
		at, err := json.Marshal(p.Problems[0].Field)
		require.NoError(t, err)
		require.JSONEq(t, field, string(at), p.Problems)
		require.Equal(t, http.StatusUnprocessableEntity, ui.post("branches", asked(base, draft, `,"name":"refused"`)).status)
	}
	low := edit(".", `["policy","limits","maxReplicas"]`, "1")
	p := decoded[view.Preview](t, ui.post("preview", asked(base, low, "")), http.StatusOK)
	require.False(t, p.Saves)
	require.Equal(t, "tenants/acme/apps/shop", p.Problems[0].Dir, "others who do not fit any more")
	untouched()
}
