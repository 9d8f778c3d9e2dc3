package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
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

// inShop is an edit of acme/shop.
func inShop(path, op, value string) string {
	return `{"dir":"tenants/acme/apps/shop","path":["` + strings.ReplaceAll(path, "/", `","`) + `"],"op":"` + op + `","value":` + value + `}`
}

// editing is a dashboard of a clone that somebody works in: its files, its index and its stash have changes that are not committed.
func editing(t *testing.T, args ...string) (w *world, ui *uiClient, untouched func()) {
	w = newWorld(t)
	w.app("acme", "shop", 2, 500)
	w.app("globex", "api", 10, 300)
	w.repo.Write("definitions.cue", `package fleet

// A cache that forgets.
platform: definitions: components: cache: {
	#Parameter: version!: string
	parameter: #Parameter
	example: version: "7"
	output: {type: "worker", properties: image: "example.com/cache:\(parameter.version)"}
}
platform: definitions: traits: {
	// Logs of a file.
	logs: {
		#Parameter: file!: string
		parameter: #Parameter
		example: file: "/log"
		output: probes: liveness: exec: command: ["test", parameter.file]
	}
}
`)
	w.repo.Write("tenants/acme/definitions.cue", `package fleet

// Sends mail.
tenant: definitions: components: mailer: {
	#Parameter: from!: string
	parameter: #Parameter
	example: from: "shop@example.com"
	output: {type: "worker", properties: {image: "example.com/mailer:2", env: FROM: parameter.from}}
}
`)
	w.repo.Commit("first")
	w.passes()
	present = func() time.Time { return w.now }
	t.Cleanup(func() { present = time.Now })
	w.repo.Write("notes.txt", "mine")
	w.repo.Git("stash", "--include-untracked")
	w.repo.Write("staged.txt", "mine")
	w.repo.Git("add", "staged.txt")
	w.repo.Write("tenants/acme/apps/shop/app.cue", "package fleet\n\nhalf a file {\n")
	state := func() string {
		return w.repo.Git("status", "--porcelain=v2", "--branch") + w.repo.Git("stash", "list") + w.repo.Git("diff") + w.repo.Git("diff", "--cached") +
			strings.Join(slices.DeleteFunc(strings.Split(w.repo.Git("for-each-ref", "--format=%(refname) %(objectname)"), "\n"), func(ref string) bool { return strings.HasPrefix(ref, "refs/heads/ui/") }), "\n") +
			w.repo.Git("symbolic-ref", "HEAD")
	}
	before := state()
	return w, openUI(t, append([]string{"--repo", w.repo.Dir}, args...)...), func() { t.Helper(); require.Equal(t, before, state()) }
}

// TestUIEdits: a person sees what the files say, previews a change, and saves it onto a branch whose
// diff is that change alone. The clone that somebody works in stays as it is.
func TestUIEdits(t *testing.T) {
	w, ui, untouched := editing(t)
	src := decoded[view.Source](t, ui.do(http.MethodGet, "source/applications/acme/shop", ""), http.StatusOK)
	require.Equal(t, w.repo.Git("rev-parse", "HEAD"), src.Base, "not what lies half written on the disk")
	require.Empty(t, src.Problems)
	require.Contains(t, *src.Files[0].Text, "replicas: 2")
	require.Contains(t, src.Places, view.SourcePlace{Path: []string{"components", "web", "replicas"}, File: src.Files[0].Path, Line: 7, Kind: "literal", Value: 2.})
	require.Contains(t, string(src.Declared), `"critical": true`, "with the defaults")
	require.Contains(t, src.Policy, model.PolicyValue{Path: "defaults.replicas", Value: "1", Layer: "platform", At: "fleet.cue:12:24"})

	offers := decoded[view.Offers](t, ui.do(http.MethodGet, "offers?tenant=acme", ""), http.StatusOK)
	require.Equal(t, src.Base, offers.Base)
	require.Equal(t, []string{"shop"}, offers.Applications)
	require.Equal(t, []string{"acme", "globex"}, offers.Tenants)
	require.Equal(t, "general", offers.Pools[0].Name)
	require.Contains(t, offers.ComponentTypes, view.OfferedType{Name: "cron", About: "Cron is a job that starts on a schedule."})
	require.Contains(t, offers.ComponentTypes, view.OfferedType{Name: "cache", About: "A cache that forgets.", Definition: true})
	require.Contains(t, offers.Traits, view.OfferedTrait{Name: "logs", About: "Logs of a file.", Types: []string{"webservice", "worker", "store", "daemon", "vm", "windows-service", "job", "cron"}, Definition: true})
	require.Contains(t, offers.StepTypes, view.OfferedType{Name: "wait", About: "Wait waits for a duration."})
	for tenant, has := range map[string]bool{"acme": true, "globex": false, "": false} {
		forms := ui.do(http.MethodGet, "schema/application?tenant="+tenant, "").body
		require.Equal(t, has, strings.Contains(forms, `"mailer"`), tenant)
		require.Equal(t, tenant != "", strings.Contains(forms, `"cache"`), tenant)
	}
	mailer := view.OfferedType{Name: "mailer", About: "Sends mail.", Definition: true}
	require.Contains(t, offers.ComponentTypes, mailer)
	for _, tenant := range []string{"globex", "", "../tenants/acme"} {
		others := decoded[view.Offers](t, ui.do(http.MethodGet, "offers?tenant="+tenant, ""), http.StatusOK)
		require.NotContains(t, others.ComponentTypes, mailer, tenant)
	}
	i := slices.IndexFunc(offers.Traits, func(t view.OfferedTrait) bool { return t.Name == "ingress" })
	require.Equal(t, []string{"webservice", "worker", "store", "vm", "windows-service"}, offers.Traits[i].Types)

	edits := inShop("components/web/replicas", "set", "8")
	p := decoded[view.Preview](t, ui.post("preview", asked(src.Base, edits, "")), http.StatusOK)
	require.True(t, p.Saves)
	require.Equal(t, src.Base, p.Base)
	require.Len(t, p.Files, 1)
	require.Equal(t, "tenants/acme/apps/shop/app.cue", p.Files[0].Path)
	require.Contains(t, *p.Files[0].Text, "replicas: 8")
	require.Contains(t, p.Diff, "+\t\ttype: \"worker\", replicas: 8\n")
	require.Equal(t, "acme/shop", p.Plan.Applications[0].App.String())
	untouched()
	require.Empty(t, w.repo.Git("for-each-ref", "refs/heads/ui"), "a preview writes nothing")

	saved := decoded[view.SavedDraft](t, ui.post("branches", asked(src.Base, edits, `,"name":"more","message":"more of it\n\nbecause"`)), http.StatusCreated)
	require.Contains(t, saved.Text, "### D-AROS plan: this changes what runs")
	saved.Text = ""
	require.Equal(t, view.SavedDraft{Branch: "ui/more", Commit: w.repo.Git("rev-parse", "refs/heads/ui/more"), Push: "git push origin ui/more", Approvals: []plan.Approval{}}, saved)
	require.Equal(t, "1\t1\ttenants/acme/apps/shop/app.cue", w.repo.Git("diff", "--numstat", src.Base, saved.Branch))
	require.Equal(t, src.Base, w.repo.Git("rev-parse", saved.Branch+"^"))
	require.Equal(t, "more of it\n\nbecause", w.repo.Git("log", "-1", "--format=%B", saved.Branch))
	untouched()
	require.Contains(t, ui.get("plan?head=ui/more"), `"name": "ui/more"`, "it is a head like others")

	// A new application has a file of its own.
	made := `{"dir":"tenants/acme/apps/new","path":[],"op":"set","value":{"name":"new","components":{"web":{"type":"worker","properties":{"image":"example.com/web:1"}}}}}`
	p = decoded[view.Preview](t, ui.post("preview", asked(src.Base, made, "")), http.StatusOK)
	require.Len(t, p.Files, 1)
	require.True(t, p.Files[0].Created)
	require.Equal(t, "tenants/acme/apps/new/app.cue", p.Files[0].Path)
	require.True(t, p.Saves, p.Problems)
	require.Contains(t, p.Diff, "--- /dev/null\n")
}

// TestUISaversOfOneName: each gets a branch of his own, and none is lost.
func TestUISaversOfOneName(t *testing.T) {
	w, ui, untouched := editing(t)
	base := w.repo.Git("rev-parse", "HEAD")
	var savers sync.WaitGroup
	answers := make([]uiAnswer, 4)
	for i := range answers {
		savers.Go(func() {
			answers[i] = ui.post("branches", asked(base, inShop("components/web/replicas", "set", strconv.Itoa(i+3)), `,"name":"more"`))
		})
	}
	savers.Wait()
	var branches []string
	for i, a := range answers {
		saved := decoded[view.SavedDraft](t, a, http.StatusCreated)
		require.Contains(t, w.repo.Git("show", saved.Branch+":tenants/acme/apps/shop/app.cue"), "replicas: "+strconv.Itoa(i+3))
		branches = append(branches, saved.Branch)
	}
	slices.Sort(branches)
	require.Equal(t, []string{"ui/more", "ui/more-2", "ui/more-3", "ui/more-4"}, branches)
	untouched()
}

// TestUIRefusesDrafts: what cannot be done is one sentence, or problems at their fields, and nothing is written.
func TestUIRefusesDrafts(t *testing.T) {
	w, ui, untouched := editing(t)
	base := w.repo.Git("rev-parse", "HEAD")
	over := asked(base, inShop("components/web/replicas", "set", "99"), "")
	p := decoded[view.Preview](t, ui.post("preview", over), http.StatusOK)
	require.False(t, p.Saves)
	require.Equal(t, "DA1203", p.Problems[0].Code)
	require.Equal(t, "tenants/acme/apps/shop", p.Problems[0].Dir)
	require.Equal(t, []string{"components", "web", "replicas"}, p.Problems[0].Field)
	refused := ui.post("branches", strings.Replace(over, "]}", `],"name":"more"}`, 1))
	require.Equal(t, p, decoded[view.Preview](t, refused, http.StatusUnprocessableEntity))

	same := asked(base, inShop("components/web/replicas", "set", "2"), "")
	require.False(t, decoded[view.Preview](t, ui.post("preview", same), http.StatusOK).Saves, "it changes nothing")
	require.Equal(t, http.StatusUnprocessableEntity, ui.post("branches", strings.Replace(same, "]}", `],"name":"more"}`, 1)).status)

	for want, body := range map[string]string{
		"names no commit of this clone": asked(strings.Repeat("1", 40), inShop("priority", "set", "1"), ""),
		"app.cue:6:19":                  asked(base, inShop("components/web", "set", "1"), ""), // has fields of its own
		"there is no operation":         asked(base, inShop("priority", "grow", "1"), ""),
		"does not end with the index":   asked(base, inShop("priority", "insert", "1"), ""),
		"is no directory of a layer":    asked(base, strings.ReplaceAll(inShop("priority", "set", "1"), "shop", "../../../x"), ""),
	} {
		a := ui.post("preview", body)
		require.Equal(t, http.StatusBadRequest, a.status, a.body)
		require.Contains(t, a.body, want)
		require.Equal(t, a.body, ui.post("branches", strings.Replace(body, "]}", `],"name":"more"}`, 1)).body)
	}
	for _, name := range []string{"../main", "ui/../main", "refs/heads/ui/x:refs/heads/main", "x..y", "x~1", "HEAD:x"} {
		said, err := json.Marshal(name)
		require.NoError(t, err)
		a := ui.post("branches", asked(base, inShop("priority", "set", "1"), `,"name":`+string(said)))
		require.Equal(t, http.StatusBadRequest, a.status, a.body)
	}
	require.Contains(t, ui.do(http.MethodGet, "source/applications/acme/none", "").body, "no file declares an application acme/none")
	require.Empty(t, w.repo.Git("for-each-ref", "refs/heads/ui"))
	untouched()
}

// TestUIDraftsOfAnotherSchema: a draft that sets a field which the schema does not have is refused at that field, as vet would refuse the file, and is not
// saved. One of another form than this dashboard knows is a sentence that says what to do.
func TestUIDraftsOfAnotherSchema(t *testing.T) {
	w, ui, untouched := editing(t)
	base := w.repo.Git("rev-parse", "HEAD")
	former := asked(base, inShop("components/web/instances", "set", "3"), "")
	p := decoded[view.Preview](t, ui.post("preview", former), http.StatusOK)
	require.False(t, p.Saves)
	require.Equal(t, "DA1101", p.Problems[0].Code)
	require.Equal(t, []string{"components", "web", "instances"}, p.Problems[0].Field)
	refused := ui.post("branches", strings.Replace(former, "]}", `],"name":"more"}`, 1))
	require.Equal(t, p, decoded[view.Preview](t, refused, http.StatusUnprocessableEntity))

	a := ui.post("preview", strings.Replace(former, `"op"`, `"version":2,"op"`, 1))
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, a.body, "unknown field")
	require.Contains(t, a.body, "reload the page and make it anew")
	untouched()
}

// TestUIDraftsMeetOthers: a draft goes onto what others committed since its base; where they changed the same value a person has to
// decide. Files that cannot be parsed, or are gone, are a sentence.
func TestUIDraftsMeetOthers(t *testing.T) {
	w, ui, _ := editing(t)
	w.repo.Git("checkout", "-q", "-f", "HEAD")
	base := w.repo.Git("rev-parse", "HEAD")
	w.app("globex", "api", 11, 300)
	w.repo.Commit("elsewhere")
	draft := asked(base, inShop("components/web/replicas", "set", "3"), "")
	p := decoded[view.Preview](t, ui.post("preview", draft), http.StatusOK)
	require.True(t, p.Saves)
	require.Equal(t, w.repo.Git("rev-parse", "HEAD"), p.Base)
	saved := decoded[view.SavedDraft](t, ui.post("branches", strings.Replace(draft, "]}", `],"name":"more"}`, 1)), http.StatusCreated)
	require.Equal(t, "1\t1\ttenants/acme/apps/shop/app.cue", w.repo.Git("diff", "--numstat", "HEAD", saved.Branch))

	w.app("acme", "shop", 5, 500)
	w.repo.Commit("the same value")
	p = decoded[view.Preview](t, ui.post("preview", draft), http.StatusOK)
	require.False(t, p.Saves)
	require.Nil(t, p.Plan)
	require.Equal(t, []view.DraftConflict{{Dir: "tenants/acme/apps/shop", Path: []string{"components", "web", "replicas"}, Base: "2", Mine: "3", Theirs: "5"}}, p.Conflicts)
	require.Equal(t, http.StatusUnprocessableEntity, ui.post("branches", strings.Replace(draft, "]}", `],"name":"more"}`, 1)).status)

	w.repo.Write("tenants/acme/apps/shop/app.cue", "package fleet\n\napplication: {\n\tname: \"shop\"\n")
	w.repo.Commit("half a file")
	now := w.repo.Git("rev-parse", "HEAD")
	src := decoded[view.Source](t, ui.do(http.MethodGet, "source/applications/acme/shop", ""), http.StatusOK)
	require.Equal(t, "DA1001", src.Problems[0].Code)
	require.Equal(t, "null", string(src.Declared))
	require.Nil(t, src.Files[0].Text)
	a := ui.post("preview", asked(now, inShop("priority", "set", "3"), ""))
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, a.body, "read tenants/acme/apps/shop/app.cue:4:15: expected '}', found 'EOF'")
}

// TestUIReadOnly: nobody drafts where that is not wanted, or where there is no clone.
func TestUIReadOnly(t *testing.T) {
	w, ui, untouched := editing(t, "--read-only")
	require.Contains(t, ui.get("meta"), `"edit": false`)
	draft := asked(w.repo.Git("rev-parse", "HEAD"), inShop("priority", "set", "3"), "")
	require.Equal(t, http.StatusForbidden, ui.post("preview", draft).status)
	require.Equal(t, http.StatusForbidden, ui.post("branches", draft).status)
	untouched()
	bare := filepath.Join(t.TempDir(), "bare.git")
	w.repo.Git("clone", "-q", "--bare", w.repo.Dir, bare)
	ui = openUI(t, "--repo", bare)
	require.Contains(t, ui.get("meta"), `"edit": false`)
	require.Equal(t, http.StatusNotImplemented, ui.post("preview", draft).status)
}
