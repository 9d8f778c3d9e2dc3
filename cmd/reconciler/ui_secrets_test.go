package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// planted is a part of every value of a secret in a fleet.
const planted = "xyzzy"

// plantSecrets declares acme/vault, whose files hold secrets in every way in which files can.
func plantSecrets(w *world) {
	n := 0
	value := func() string { n++; return fmt.Sprintf("%s-%d/+\\\"<q>", planted, n) }
	quoted := func() string { return fmt.Sprintf("%q", value()) }
	w.repo.Write("tenants/acme/apps/vault/app.cue", `package fleet

import "strings"

let pass = `+quoted()+`
application: {
	name: "vault"
	_own: `+quoted()+`
	labels: team: "web"
	components: {
		web: {
			type: "worker", replicas: 2
			properties: {image: "example.com/web:1", env: {LOG: "debug", DB_PASSWORD: `+quoted()+`, DB: "postgres://u:`+planted+`0@db/x"}}
			dependsOn: ["keys"]
		}
		// It was `+value()+` once.
		keys: {type: "secret", properties: data: {
			plain: `+quoted()+` // not `+value()+`
			"a-b": #"`+planted+`-raw"#
			let_: pass
			own: "\(_own)-`+planted+`"
			joined: strings.Join(["`+planted+`", "a"], "-")
			lines: """
				`+planted+` first
				`+planted+` second
				"""
		}}
	}
}
`)
	w.repo.Write("tenants/acme/apps/vault/more.cue", `package fleet

application: components: {
	keys: properties: data: other: `+quoted()+`
	made: {type: "login", properties: user: `+quoted()+`}
}
`)
	w.repo.Write("tenants/acme/apps/raw/app.cue", `package fleet

application: {name: "raw", components: objects: {type: "raw", properties: objects: [{
	apiVersion: "v1", kind: "Secret", metadata: name: "made"
	stringData: token: `+quoted()+`
	data: token2: "`+base64.StdEncoding.EncodeToString([]byte(value()))+`"
}]}}
`)
	w.repo.Write("tenants/acme/apps/vault/open.cue", "package fleet\n\napplication: priority: 300\n")
	w.repo.Write("definitions.cue", `package fleet

platform: definitions: components: login: {
	#Parameter: user!: string
	parameter: #Parameter
	example: user: "ada"
	output: {type: "secret", properties: data: user: parameter.user, properties: data: fixed: "`+planted+`-fixed"}
}
`)
}

// saysNothing fails if an answer has a part of a secret.
func saysNothing(t *testing.T, what string, a uiAnswer) {
	t.Helper()
	for _, form := range []string{planted, base64.StdEncoding.EncodeToString([]byte(planted))[:4]} {
		if i := strings.Index(a.body, form); i >= 0 {
			require.Fail(t, "a secret left the server", "%s: …%s…", what, a.body[max(0, i-300):min(len(a.body), i+100)])
		}
	}
}

// TestUIDraftsKeepSecrets: no answer of the dashboard has a value of a secret, however the files have it: in a secret or a raw component, in a variable, a
// let, a hidden field, an expression, a definition, a comment; accepted, refused, in conflict, or not to be parsed.
func TestUIDraftsKeepSecrets(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: previews thirty drafts, which takes seconds")
	}
	w := newWorld(t)
	w.app("acme", "shop", 2, 500)
	plantSecrets(w)
	w.repo.Commit("first")
	w.passes()
	opened := w.now // the dashboard asks for the time while the passes below advance that of the world
	present = func() time.Time { return opened }
	defer func() { present = time.Now }()
	ui := openUI(t, "--repo", w.repo.Dir)
	const dir = `"dir":"tenants/acme/apps/vault"`
	set := func(path, value string) string {
		return `{` + dir + `,"path":["` + strings.ReplaceAll(path, "/", `","`) + `"],"op":"set","value":` + value + `}`
	}
	head := func() string { return w.repo.Git("rev-parse", "HEAD") }
	preview := func(status int, base, edits string) uiAnswer {
		t.Helper()
		a := ui.post("preview", asked(base, edits, ""))
		require.Equal(t, status, a.status, a.body)
		saysNothing(t, edits, a)
		return a
	}
	everywhere := func() {
		t.Helper()
		for _, path := range []string{
			"source/applications/acme/vault", "source/applications/acme/raw", "offers?tenant=acme", "schema/application", "applications", "applications/acme/vault", "applications/acme/vault/decision",
			"applications/acme/vault/history", "applications/acme/vault/run", "problems", "timeline", "fleet", "plan?head=topic", "tenants/acme",
		} {
			saysNothing(t, path, ui.do(http.MethodGet, path, ""))
		}
	}
	w.repo.Git("branch", "topic")
	first := head()
	everywhere()
	source := ui.get("source/applications/acme/vault")
	require.Contains(t, source, `"text": "package fleet\n\napplication: priority: 300\n"`, "what has no secrets is sent")
	require.Equal(t, 2, strings.Count(source, `"masked": true`))
	require.Contains(t, source, `"LOG": "debug"`)
	require.Contains(t, source, `"set": true`)

	accepted := preview(200, first, set("components/web/replicas", "3"))
	require.Contains(t, accepted.body, `"saves": true`)
	preview(200, first, set("components/keys/properties/data/plain", `"xyzzy-new"`))
	require.Contains(t, preview(200, first, set("components/keys/properties/data/plain", `"xyzzy-new"`)).body, "(hidden, another value)")
	preview(200, first, set("components/keys/properties/data/more", `"xyzzy-more"`))
	preview(200, first, set("components/web/properties/env/API_TOKEN", `"xyzzy-more"`))
	preview(200, first, set("components/web/properties/env/DB_PASSWORD", `"xyzzy-more"`))
	preview(200, first, `{`+dir+`,"path":["components","keys"],"op":"unset"}`)
	preview(200, first, set("components/more", `{"type":"secret","properties":{"data":{"a":"xyzzy"}}}`))
	preview(200, first, set("components/more", `{"type":"raw","properties":{"objects":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"},"stringData":{"a":"xyzzy"}}]}}`))
	preview(200, first, `{"dir":".","path":["platform","policy"],"op":"unset"}`)
	preview(200, first, `{"dir":".","path":["definitions","components","login","output","properties","data","fixed"],"op":"set","value":"xyzzy-other"}`)

	require.Contains(t, preview(200, first, set("_own", `"xyzzy"`)).body, "(hidden, another value)")
	preview(200, first, set("components/keys/type", `"config"`)) // whoever asks for that sees no value
	preview(200, first, strings.ReplaceAll(set("components/objects/replicas", "2"), "vault", "raw"))

	// Refused, by the schema and by what checks after it.
	for _, edits := range []string{
		set("components/web/replicas", "99999"), set("components/keys/properties/data/plain", "4711"), set("components/keys/properties/datum", `"xyzzy"`),
		set("components/keys/properties/data", `"xyzzy"`), set("components/web/properties/env/OTHER", `["xyzzy"]`), set("components/web/dependsOn", `["none"]`), set("name", `"other"`),
		set("components/keys/properties/data/plain", `{"a":"xyzzy"}`), set("components/keys/properties/data/joined", `"x"`),
		set("components/keys/properties/data/own", `"x"`), set("components/made/properties/user", "[\"xyzzy\"]"),
	} {
		a := ui.post("preview", asked(first, edits, ""))
		require.NotContains(t, a.body, `"saves": true`, edits)
		saysNothing(t, edits, a)
	}
	a := ui.post("branches", asked(first, set("components/keys/properties/data/plain", `"xyzzy-saved"`), `,"name":"keys"`))
	require.Equal(t, http.StatusCreated, a.status, a.body)
	saysNothing(t, "saved", a)
	require.Contains(t, w.repo.Git("show", "ui/keys:tenants/acme/apps/vault/app.cue"), `plain: "xyzzy-saved"`)

	// In conflict with others.
	app := w.repo.Git("show", "HEAD:tenants/acme/apps/vault/app.cue")
	w.repo.Write("tenants/acme/apps/vault/app.cue", strings.NewReplacer(planted+"-", planted+"+", "replicas: 2", "replicas: 4").Replace(app)+"\n")
	w.repo.Commit("second")
	w.passes()
	for _, edits := range []string{
		set("components/keys/properties/data/plain", `"xyzzy-new"`), set("components/web/properties/env/DB_PASSWORD", `"xyzzy-new"`),
		`{` + dir + `,"path":["components","keys"],"op":"unset"}`, set("components/web/replicas", "3"),
	} {
		require.Contains(t, preview(200, first, edits).body, `"theirs": "`, edits)
		saysNothing(t, edits, ui.post("branches", asked(first, edits, `,"name":"keys"`)))
	}
	everywhere()

	// Refused as it is: nobody knows what its expressions come to.
	w.repo.Write("tenants/acme/apps/vault/open.cue", "package fleet\n\napplication: priority: 99999\n")
	w.repo.Commit("third")
	everywhere()
	preview(200, head(), set("components/web/replicas", "3"))
	preview(200, head(), set("components/made/properties/user", `"xyzzy-3"`))

	// Not to be parsed.
	w.repo.Write("tenants/acme/apps/vault/app.cue", app+"\nx: \"xyzzy\" \"xyzzy\"\n")
	w.repo.Commit("fourth")
	everywhere()
	preview(400, head(), set("components/web/replicas", "3"))
	require.Contains(t, ui.get("source/applications/acme/vault"), "DA1001")
}
