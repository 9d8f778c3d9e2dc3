package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/view"
)

// TestUIPlansHeads: the plan of a branch is that of the command, byte for byte, and tells who is touched, who waits and who
// has to approve.
func TestUIPlansHeads(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 4, 500)
	w.app("globex", "api", 30, 300)
	w.repo.Commit("first")
	w.passes()
	w.repo.Git("checkout", "-q", "-b", "feature/more")
	w.app("acme", "shop", 6, 500)
	w.repo.Write("tenants/acme/apps/heavy/app.cue", `package fleet

application: {name: "heavy", priority: 100, components: web: {
	type: "worker", replicas: 14, properties: image: "example.com/web:1", resources: requests: {cpu: "1", memory: "1Gi"}
}}
`)
	w.repo.Commit("more of it")
	w.repo.Git("checkout", "-q", "main")
	w.repo.Git("tag", "marked")
	w.repo.Git("update-ref", "refs/pull/7/head", "feature/more")
	present = func() time.Time { return w.now }
	defer func() { present = time.Now }()

	ui := openUI(t, "--repo", w.repo.Dir)
	var heads view.Heads
	require.NoError(t, json.Unmarshal([]byte(ui.get("heads")), &heads))
	require.Equal(t, "main", heads.Base)
	require.Len(t, heads.Heads, 2, "neither the branch itself nor the status branch")
	for _, h := range heads.Heads {
		require.Equal(t, w.repo.Git("rev-parse", "feature/more"), h.Commit)
		require.Equal(t, "more of it", h.Subject)
		var out, errOut bytes.Buffer
		run(t.Context(), []string{"plan", "--repo", w.repo.Dir, "--head", h.Name, "--now", w.now.Format(time.RFC3339), "-o", "json"}, &out, &errOut)
		require.Empty(t, errOut.String())
		require.Equal(t, out.String(), ui.get("plan?head="+url.QueryEscape(h.Name)))
	}
	w.repo.Git("remote", "add", "origin", "git@github.com:acme/fleet.git")
	require.Contains(t, w.text(exitDiffers, "plan", "--repo", w.repo.Dir, "--head", "feature/more", "-o", "markdown"), "](https://github.com/acme/fleet/commit/"+heads.Heads[0].Commit+")")
	w.repo.Git("remote", "remove", "origin")
	var p view.Plan
	require.NoError(t, json.Unmarshal([]byte(ui.get("plan?head=feature/more")), &p))
	require.Equal(t, "acme", p.Touched[0].Tenant)
	require.Less(t, p.Touched[0].Price.Before, p.Touched[0].Price.After)
	diffs := ""
	for _, o := range p.Objects {
		diffs += o.Diff
	}
	require.Contains(t, diffs, "\n-  replicas: 4\n+  replicas: 6\n")
	require.Positive(t, p.Waits.Total)

	for name, want := range map[string]string{
		"nothing": "names no branch", "marked": "names no branch", "main~1": "not a valid", ":/more": "not a valid", "HEAD": "not a valid", "-h": "not a valid",
		"": "not a valid", "main@{0}": "not a valid", "refs/tags/marked": "names no branch", w.repo.Git("rev-parse", "main"): "names no branch",
		strings.Repeat("a", 1000): "not a valid", "\x1b[31m": "not a valid",
	} {
		a := ui.do(http.MethodGet, "plan?head="+url.QueryEscape(name), "")
		require.Equal(t, http.StatusNotFound, a.status, "%q: %s", name, a.body)
		require.Contains(t, a.body, want, "%q", name)
		require.NotContains(t, a.body, "\x1b")
	}
	apart := ui.do(http.MethodGet, "plan?head=status", "")
	require.Equal(t, http.StatusBadRequest, apart.status)
	require.Contains(t, apart.body, "main and status have no commit in common here")
}
