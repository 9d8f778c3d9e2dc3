package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/test/gittest"
)

// offered gives the clone of a world an origin that has its branches, and lets that refuse what is pushed if words are given.
func offered(t *testing.T, w *world) (origin *gittest.Repo, refuse func(words string)) {
	origin = gittest.NewBare(t)
	w.repo.Git("push", "--quiet", origin.Dir, "refs/heads/*:refs/heads/*")
	w.repo.Git("remote", "add", "origin", origin.Dir)
	return origin, func(words string) {
		hook := filepath.Join(origin.Dir, "hooks", "pre-receive")
		require.NoError(t, os.MkdirAll(filepath.Dir(hook), 0o755))
		require.NoError(t, os.WriteFile(hook, []byte("#!/bin/sh\necho '"+words+"' >&2\nexit 1\n"), 0o755))
	}
}

// TestUIPushes: with --push a saved draft is at the origin, too. What the origin refuses stays saved in the clone, with the words of the
// server and the command that tries again.
func TestUIPushes(t *testing.T) {
	w, _, untouched := editing(t)
	origin, refuse := offered(t, w)
	main := origin.Git("rev-parse", "main")
	ui := openUI(t, "--repo", w.repo.Dir, "--push")
	require.Contains(t, ui.get("meta"), `"saves": "push"`)
	base := w.repo.Git("rev-parse", "HEAD")
	draft := func(name string) string {
		return asked(base, inShop("components/web/replicas", "set", "8"), `,"name":"`+name+`"`)
	}
	saved := decoded[view.SavedDraft](t, ui.post("branches", draft("more")), http.StatusCreated)
	require.True(t, saved.Pushed)
	require.Empty(t, saved.Push+saved.Refused)
	require.Equal(t, saved.Commit, origin.Git("rev-parse", "ui/more"))
	require.Equal(t, saved.Commit, w.repo.Git("rev-parse", "ui/more"))

	refuse("no changes before Monday")
	saved = decoded[view.SavedDraft](t, ui.post("branches", draft("refused")), http.StatusCreated)
	require.False(t, saved.Pushed)
	require.Contains(t, saved.Refused, "no changes before Monday")
	require.Equal(t, "git push origin ui/refused", saved.Push)
	require.Equal(t, saved.Commit, w.repo.Git("rev-parse", "ui/refused"))
	require.Equal(t, main, origin.Git("rev-parse", "main"))
	w.repo.Git("update-ref", "-d", "refs/remotes/origin/ui/more") // where git keeps what it pushed
	untouched()
}

// TestUIProposes: on a shared dashboard with --propose, whoever has signed in saves onto a branch of their own at the origin, as its author. The
// token is in no answer, output or file of the clone.
func TestUIProposes(t *testing.T) {
	w, _, _ := editing(t)
	w.repo.Git("checkout", "-q", "-f", "HEAD")
	w.repo.Write("access.cue", `package fleet

platform: access: {principals: ada: {login: "ada@example.com", handle: "@ada"}, admins: ["ada"]}
`)
	w.repo.Write("tenants/acme/access.cue", `package fleet

tenant: access: viewers: ["group:team-web"]
`)
	w.repo.Commit("access")
	w.passes()
	const token = "tok-77c1e0a9"
	origin, refuse := offered(t, w)
	server := httptest.NewServer(origin.Handler(token))
	defer server.Close()
	w.repo.Git("remote", "set-url", "origin", server.URL+"/repo")
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte(token), 0o600))
	main := origin.Git("rev-parse", "main")
	ui := behindProxy(t, filepath.Join(t.TempDir(), "ui.sock"), "--repo", w.repo.Dir, "--token-file", file, "--propose", "--push-token-file", file)
	base := w.repo.Git("rev-parse", "HEAD")
	draft := func(name string) string {
		return asked(base, inShop("components/web/replicas", "set", "8"), `,"name":"`+name+`"`)
	}
	save := func(user, name string) view.SavedDraft {
		code, body := ui(user, "team-web", http.MethodPost, "branches", draft(name))
		require.Equal(t, http.StatusCreated, code, body)
		require.NotContains(t, body, token)
		var v view.SavedDraft
		require.NoError(t, json.Unmarshal([]byte(body), &v))
		require.Equal(t, v.Commit, origin.Git("rev-parse", v.Branch))
		return v
	}
	_, meta := ui("bob", "team-web", http.MethodGet, "meta", "")
	require.Contains(t, meta, `"edit": true`)
	require.Contains(t, meta, `"saves": "propose"`)
	require.Equal(t, "ui/bob/more", save("bob", "more").Branch)
	require.Equal(t, "ui/bob/more-2", save("bob", "carol/more").Branch, "nobody writes below the name of another")
	all := save("ada@example.com", "more")
	require.Equal(t, "ui/ada-example-com/more", all.Branch)
	require.Equal(t, "ada@example.com <ada@example.com>", origin.Git("log", "-1", "--format=%an <%ae>", all.Branch))
	require.Contains(t, all.Text, "### D-AROS plan")
	require.Equal(t, []string{"@ada"}, all.Approvals[0].Who)
	require.Zero(t, all.Approvals[0].People, "the fleet asks for no signatures")
	require.Equal(t, "1\t1\ttenants/acme/apps/shop/app.cue", origin.Git("diff", "--numstat", base, all.Branch))

	code, body := ui("bob", "team-web", http.MethodPost, "branches", asked(base, `{"dir":"tenants/globex/apps/api","path":["priority"],"op":"set","value":1}`, `,"name":"x"`))
	require.Equal(t, http.StatusNotFound, code, body)
	code, body = ui("bob", "team-web", http.MethodPost, "branches", asked(base, `{"dir":".","path":["allotments","acme","weight"],"op":"set","value":9}`, `,"name":"x"`))
	require.Equal(t, http.StatusNotFound, code, body)
	for _, name := range []string{"../main", "x:refs/heads/main", "refs/heads/main", "+main"} {
		code, body = ui("bob", "team-web", http.MethodPost, "branches", draft(name))
		require.Equal(t, http.StatusBadRequest, code, body)
	}
	refuse("the origin is closed")
	code, body = ui("bob", "team-web", http.MethodPost, "branches", draft("closed"))
	require.Equal(t, http.StatusBadGateway, code)
	require.Contains(t, body, "the origin is closed")
	require.Equal(t, main, origin.Git("rev-parse", "main"))
	require.Empty(t, w.repo.Git("for-each-ref", "refs/heads/ui"), "nothing is saved in the clone of the server")
}

// TestUIWritesFiles: a draft can go into the work tree instead, uncommitted, where nobody works on the file.
func TestUIWritesFiles(t *testing.T) {
	w, ui, untouched := editing(t)
	base := w.repo.Git("rev-parse", "HEAD")
	into := asked(base, inShop("components/web/replicas", "set", "8"), `,"into":"files"`)
	a := ui.post("branches", into)
	require.Equal(t, http.StatusConflict, a.status, a.body)
	require.Contains(t, a.body, "tenants/acme/apps/shop/app.cue has changes that are not committed; commit or undo them first")
	untouched()
	require.Equal(t, http.StatusUnprocessableEntity, ui.post("branches", asked(base, inShop("components/web/replicas", "set", "99"), `,"into":"files"`)).status)
	require.Equal(t, http.StatusBadRequest, ui.post("branches", asked(base, inShop("priority", "set", "1"), `,"into":"main"`)).status)
	w.repo.Git("checkout", "-q", "--", "tenants")
	v := decoded[view.WrittenDraft](t, ui.post("branches", into), http.StatusCreated)
	require.Equal(t, []string{"tenants/acme/apps/shop/app.cue"}, v.Written)
	require.Equal(t, "1\t1\ttenants/acme/apps/shop/app.cue", w.repo.Git("diff", "--numstat"))
	require.Equal(t, base, w.repo.Git("rev-parse", "HEAD"))
	require.Empty(t, w.repo.Git("for-each-ref", "refs/heads/ui"))
}

// TestUISavingFlags: what does not go together is one sentence.
func TestUISavingFlags(t *testing.T) {
	w := newWorld(t)
	for want, args := range map[string][]string{
		"say with --auth who signs people in":    {"--propose"},
		"--push-token-file is for --propose":     {"--push-token-file", "x"},
		"nothing is saved, so leave out --push":  {"--read-only", "--push"},
		"is no clone with an origin to push to":  {"--push"},
		"several people save with --propose":     {"--push", "--auth", "proxy", "--listen", "unix:x.sock", "--host", "x"},
		"--push saves what you change in your c": {"--push", "--propose"},
	} {
		var out, errOut bytes.Buffer
		code := run(t.Context(), append([]string{"ui", "--listen", "127.0.0.1:0", "--repo", w.repo.Dir}, args...), &out, &errOut)
		require.Equal(t, 2, code)
		require.Contains(t, errOut.String(), want)
	}
}
