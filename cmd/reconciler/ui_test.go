package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/dashboard"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/gittest"
)

// uiClient is a browser that has signed in to a dashboard.
type uiClient struct {
	t       *testing.T
	address string
	http    *http.Client
}

// startUI starts the command, and returns the line that it prints. It ends with the test, without an error.
func startUI(t *testing.T, args ...string) (line string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	var errOut bytes.Buffer
	go func() {
		ended <- run(ctx, append([]string{"ui"}, args...), in, &errOut)
		in.Close()
	}()
	t.Cleanup(func() {
		stop()
		require.Zero(t, <-ended, &errOut)
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, &errOut)
	return line
}

// openUI starts the command and signs in.
func openUI(t *testing.T, args ...string) *uiClient {
	t.Helper()
	line := startUI(t, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	address, token, ok := strings.Cut(strings.TrimSpace(line), "/#token=")
	require.True(t, ok, line)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	c := &uiClient{t, address, &http.Client{Jar: jar}}
	require.Equal(t, http.StatusNoContent, c.post("session", `{"token":"`+token+`"}`).status)
	return c
}

// uiAnswer is what a dashboard answered.
type uiAnswer struct {
	status int
	header http.Header
	body   string
}

// do asks, and asks again for what is not ready yet, as the pages do: a busy machine takes longer than the server waits by the clock.
func (c *uiClient) do(method, path, body string) uiAnswer {
	c.t.Helper()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for ; ; <-again.C {
		if a := c.ask(method, path, body); a.status != http.StatusServiceUnavailable {
			return a
		}
	}
}

func (c *uiClient) ask(method, path, body string) uiAnswer {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.address+"/api/v1/"+path, strings.NewReader(body))
	require.NoError(c.t, err)
	w, err := c.http.Do(r)
	require.NoError(c.t, err)
	defer w.Body.Close()
	said, err := io.ReadAll(w.Body)
	require.NoError(c.t, err)
	return uiAnswer{w.StatusCode, w.Header, string(said)}
}

func (c *uiClient) post(path, body string) uiAnswer { return c.do(http.MethodPost, path, body) }

// get returns an answer that is no error.
func (c *uiClient) get(path string) string {
	c.t.Helper()
	a := c.do(http.MethodGet, path, "")
	require.Equal(c.t, http.StatusOK, a.status, "%s: %s", path, a.body)
	require.Equal(c.t, "application/json; charset=utf-8", a.header.Get("Content-Type"))
	return a.body
}

// TestUIAnswersAreThoseOfTheCommands asks the server and the commands the same, about the same repo.
func TestUIAnswersAreThoseOfTheCommands(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 6, 500)
	w.app("acme", "blog", 12, 400) // does not fit beside it in full
	w.app("globex", "api", 40, 300)
	w.repo.Commit("first")
	w.passes()
	w.app("acme", "shop", 5, 500)
	w.repo.Commit("second")
	w.passes()
	present = func() time.Time { return w.now }
	defer func() { present = time.Now }()

	ui := openUI(t, "--repo", w.repo.Dir)
	command := func(args ...string) string {
		var out, errOut bytes.Buffer
		run(t.Context(), append(args, "--repo", w.repo.Dir, "-o", "json"), &out, &errOut)
		require.Empty(t, errOut.String())
		return out.String()
	}
	for _, app := range []string{"acme/shop", "acme/blog", "globex/api"} {
		require.Equal(t, command("status", app), ui.get("applications/"+app))
		require.Equal(t, command("explain", app), ui.get("applications/"+app+"/decision"))
		require.Equal(t, command("history", app, "-n", "3"), ui.get("applications/"+app+"/history?limit=3"))
		require.Equal(t, command("history", app), ui.get("applications/"+app+"/history"))
	}
	for _, q := range []struct {
		body string
		args []string
	}{
		{`{"set":["tenant.acme.quota.cpu=6"]}`, []string{"--set", "tenant.acme.quota.cpu=6"}},
		{`{"set":["application.acme/blog.priority=900","tenant.globex.weight=3"],"capacity":["general.cpu=+16"]}`,
			[]string{"--set", "application.acme/blog.priority=900", "--set", "tenant.globex.weight=3", "--capacity", "general.cpu=+16"}},
		{`{"capacity":["general.cpu=-8"]}`, []string{"--capacity", "general.cpu=-8"}},
	} {
		a := ui.post("what-if", q.body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Equal(t, command(append([]string{"what-if", "--now", w.now.Format(time.RFC3339)}, q.args...)...), a.body)
	}

	// What is unknown, and what cannot be asked, is the command's sentence.
	missing := ui.do(http.MethodGet, "applications/acme/none", "")
	require.Equal(t, http.StatusNotFound, missing.status)
	require.Contains(t, missing.body, "the status branch knows no application acme/none; it knows acme/blog, acme/shop")
	bad := ui.post("what-if", `{"set":["tenant.acem.weight=2"]}`)
	require.Equal(t, http.StatusBadRequest, bad.status)
	require.Contains(t, bad.body, "did you mean acme?")
}

// TestUIPast: as of every commit of the branch, the answers are those that the commands give of a branch that ends there.
func TestUIPast(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 2, 500)
	w.repo.Commit("first")
	w.passes()
	w.app("acme", "blog", 12, 400)
	w.app("acme", "shop", 9, 500)
	w.repo.Commit("second")
	w.passes()
	w.repo.Git("rm", "-rqf", "tenants/acme/apps/blog")
	w.repo.Commit("third")
	w.passes()
	commits := strings.Fields(w.repo.Git("rev-list", "status"))
	require.Greater(t, len(commits), 4)

	ui := openUI(t, "--repo", w.repo.Dir)
	past := gittest.NewBare(t)
	past.Git("fetch", "-q", w.repo.Dir, "status")
	for _, commit := range append(commits, commits[0]) {
		past.Git("update-ref", "refs/heads/status", commit)
		for _, app := range []string{"acme/shop", "acme/blog"} {
			for path, args := range map[string][]string{"": {"status"}, "/decision": {"explain"}, "/history": {"history"}} {
				var out, errOut bytes.Buffer
				code := run(t.Context(), append(args, app, "--repo", past.Dir, "-o", "json"), &out, &errOut)
				a := ui.do(http.MethodGet, "applications/"+app+path+"?at="+commit, "")
				require.Equal(t, commit, cmp.Or(a.header.Get("Daros-Status-Commit"), commit))
				if code != 0 {
					require.Equal(t, http.StatusNotFound, a.status)
					var said struct{ Error string }
					require.NoError(t, json.Unmarshal([]byte(a.body), &said))
					require.Equal(t, "reconciler: "+said.Error+"\n", errOut.String())
					continue
				}
				var want, got any
				require.NoError(t, json.Unmarshal(out.Bytes(), &want))
				require.NoError(t, json.Unmarshal([]byte(a.body), &got))
				if path == "/history" { // a bare repo does not know the subjects of source commits
					for _, e := range got.([]any) {
						delete(e.(map[string]any), "causes")
					}
				}
				require.Equal(t, want, got, "%s %s at %s", args, app, commit)
			}
		}
	}

	var seen []string
	for before := ""; ; {
		var page struct {
			Commits []struct {
				Commit, Subject string
				Time            time.Time
			}
			Next string
		}
		require.NoError(t, json.Unmarshal([]byte(ui.get("timeline?limit=2&before="+before)), &page))
		for _, c := range page.Commits {
			seen = append(seen, c.Commit)
			require.Equal(t, w.repo.Git("log", "-1", "--format=%s", c.Commit), c.Subject)
			require.Equal(t, w.repo.Git("log", "-1", "--format=%ct", c.Commit), strconv.FormatInt(c.Time.Unix(), 10))
		}
		if before = page.Next; before == "" {
			break
		}
	}
	require.Equal(t, commits, seen)
	unknown := ui.do(http.MethodGet, "fleet?at="+w.repo.Git("rev-parse", "main"), "")
	require.Equal(t, http.StatusNotFound, unknown.status)
	require.Contains(t, unknown.body, "is not on the status branch")
	require.Contains(t, ui.get("changes?from="+commits[len(commits)-1]), `"acme/shop"`)
	require.NotContains(t, ui.get("changes?from="+commits[len(commits)-1]+"&to="+commits[1]), "0001-01-01", "every event has a time")
	var meta dashboard.Meta
	require.NoError(t, json.Unmarshal([]byte(ui.get("meta")), &meta))
	require.Equal(t, w.repo.Git("log", "-1", "--format=%ct", "status"), strconv.FormatInt(meta.Changed.Unix(), 10))
}

// TestUIFollows: a dashboard that was started before the first pass shows at once what the reconciler writes to a repo on this
// disk, and a question is answered with the files as they are then.
func TestUIFollows(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 2, 500)
	w.repo.Commit("first")
	ui := openUI(t, "--repo", w.repo.Dir, "--interval", "1h")
	require.Contains(t, ui.get("meta"), `"commit": ""`)
	require.Equal(t, http.StatusNotFound, ui.do(http.MethodGet, "applications/acme/shop", "").status)
	w.passes()
	require.Eventually(t, func() bool { return strings.Contains(ui.get("meta"), w.tip()) }, 30*time.Second, 20*time.Millisecond)
	require.Contains(t, ui.get("applications/acme/shop"), string(model.PhaseRunning))

	ask := func() uiAnswer {
		return ui.post("what-if", `{"set":["application.acme/shop.components.web.replicas=3"]}`)
	}
	require.Contains(t, ask().body, `"regranted"`)
	w.app("acme", "shop", 3, 500) // on disk only
	require.NotContains(t, ask().body, `"regranted"`)
}

// TestUIKeepsSecrets: values of secrets are in no answer.
func TestUIKeepsSecrets(t *testing.T) {
	const canary = "canary-5f1c0b"
	w := newWorld(t)
	w.repo.Write("tenants/acme/apps/shop/app.cue", `package fleet

application: {
	name: "shop"
	components: {
		web: {type: "worker", properties: image: "example.com/web:1"}
		password: {type: "secret", properties: data: password: "`+canary+`"}
	}
}
`)
	w.repo.Commit("first")
	w.passes()
	tip := w.tip()
	w.app("acme", "blog", 1, 100)
	w.repo.Commit("second")
	w.passes()
	w.repo.Git("checkout", "-q", "-b", "other")
	w.repo.Write("tenants/acme/apps/shop/more.cue", "package fleet\n\napplication: components: token: {type: \"secret\", properties: data: token: \""+canary+"\"}\n")
	w.repo.Commit("another value")
	w.repo.Git("checkout", "-q", "main")
	ui := openUI(t, "--repo", w.repo.Dir)
	require.Contains(t, ui.get("plan?head=other"), "(hidden)")
	require.Contains(t, ui.get("applications/acme/shop/decision"), `"password"`, "the component itself is shown")
	for _, path := range []string{
		"meta", "fleet", "applications", "applications?q=" + canary, "applications/acme/shop", "applications/acme/shop/decision", "applications/acme/shop/run",
		"applications/acme/shop/history", "tenants/acme", "pools", "problems", "timeline", "changes?from=" + tip, "heads", "plan?head=other",
	} {
		require.NotContains(t, ui.get(path), canary, path)
	}
	require.NotContains(t, ui.post("what-if", `{"set":["application.acme/shop.components.web.replicas=2"]}`).body, canary)
	require.NotContains(t, ui.post("what-if", `{"set":["application.acme/shop.desired=terminated"]}`).body, canary)
}

// TestUIMarksWhatNobodySigned: commits that no key vouches for are marked as explain marks them.
func TestUIMarksWhatNobodySigned(t *testing.T) {
	remote, sign := signedBranch(t)
	app := fixture(worldBegins)[1].Instances[0].App.String()
	signed := openUI(t, "--repo", remote.Dir, "--status-trust", sign.trust)
	require.NotContains(t, signed.get("fleet")+signed.get("applications/"+app+"/decision"), "unverified")
	require.Contains(t, signed.get("meta"), `"unverified": ""`)
	require.Equal(t, http.StatusNotImplemented, signed.post("what-if", `{"set":["tenant.acme.weight=2"]}`).status, "a bare repo has no files")

	remote.Git("update-ref", "refs/heads/status", remote.Git("commit-tree", "-p", "status", "-m", "forged", "status^{tree}"))
	forged := openUI(t, "--repo", remote.Dir, "--status-trust", sign.trust)
	require.Contains(t, forged.get("fleet"), "is not signed")
	require.Equal(t, answerOf(t, "explain", app, "--repo", remote.Dir, "--status-trust", sign.trust, "-o", "json"), forged.get("applications/"+app+"/decision"))
	tip := remote.Git("rev-parse", "status")
	for _, path := range []string{"meta", "applications/" + app, "timeline", "fleet?at=" + tip} {
		require.Contains(t, forged.get(path), "is not signed", path)
	}
	require.NotContains(t, forged.get("fleet?at="+remote.Git("rev-parse", "status^")), "is not signed", "the one before is")
}

func TestUIRefuses(t *testing.T) {
	w := newWorld(t)
	w.repo.Commit("first")
	for want, args := range map[string][]string{
		"serves people on this machine only": {"--listen", "0.0.0.0:8421"},
		"write HOST:PORT":                    {"--listen", "8421"},
		"at least 1s":                        {"--interval", "10ms"},
		"choose another address":             {"--listen", strings.TrimPrefix(openUI(t, "--repo", w.repo.Dir).address, "http://")},
		"/nowhere":                           {"--repo", "/nowhere"},
	} {
		var out, errOut bytes.Buffer
		require.Equal(t, exitError, run(t.Context(), append([]string{"ui", "--repo", w.repo.Dir}, args...), &out, &errOut))
		require.Contains(t, errOut.String(), want)
		require.Empty(t, out.String())
	}
}
