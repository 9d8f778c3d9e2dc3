package e2e

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

const shopFile = "tenants/acme/apps/shop/app.cue"

// examples are the files of examples/repo, on nodes of the test's own, with a workflow
// for the shop: a migration, a canary of the web site and somebody who agrees.
func (w *world) examples() map[string]string {
	w.t.Helper()
	w.cluster.AddNodes(w.t, w.name, 12, "8", "32Gi")
	w.cluster.AddNodes(w.t, w.name+"-batch", 4, "8", "32Gi")
	files, root := map[string]string{}, os.DirFS("../../examples/repo")
	require.NoError(w.t, fs.WalkDir(root, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(path, "cue.mod") {
			return err
		}
		content, err := fs.ReadFile(root, path)
		files[path] = string(content)
		return err
	}))
	files["pools.cue"] = strings.NewReplacer(`pool": "general"`, `pool": "`+w.name+`"`, `pool": "batch"`, `pool": "`+w.name+`-batch"`).Replace(files["pools.cue"])
	files[shopFile] = edited(w.t, files, shopFile, "\tcomponents: {\n", `	workflow: steps: [
		{name: "base", type: "deploy", components: ["settings", "credentials", "database"]},
		{name: "migrate", type: "job", component: "migrate", dependsOn: ["base"]},
		{name: "release", type: "canary", components: ["web"], dependsOn: ["migrate"], timeout: "30m", onFailure: "rollback"
			properties: stages: [{weight: 25, manual: true}]},
		{name: "work", type: "deploy", components: ["worker"], dependsOn: ["release"]},
		{name: "agree", type: "approval", dependsOn: ["work"]},
	]
	components: {
`)[shopFile]
	return files
}

// edited is a file with one text in place of another.
func edited(t *testing.T, files map[string]string, path, old, text string) map[string]string {
	t.Helper()
	require.Contains(t, files[path], old)
	return map[string]string{path: strings.Replace(files[path], old, text, 1)}
}

// standing tells the objects of all tenants of the examples and their pods from others:
// whatever makes one anew, changes it or deletes it changes this.
func (w *world) standing() map[string]string {
	w.t.Helper()
	client, err := metadata.NewForConfig(w.cluster.Config)
	require.NoError(w.t, err)
	all := map[string]string{}
	for _, kind := range []schema.GroupVersionResource{
		{Group: "apps", Version: "v1", Resource: "deployments"}, {Group: "apps", Version: "v1", Resource: "statefulsets"},
		{Group: "batch", Version: "v1", Resource: "jobs"}, {Group: "batch", Version: "v1", Resource: "cronjobs"},
		{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}, {Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"},
		{Version: "v1", Resource: "pods"}, {Version: "v1", Resource: "services"}, {Version: "v1", Resource: "configmaps"}, {Version: "v1", Resource: "secrets"},
		{Version: "v1", Resource: "persistentvolumeclaims"}, {Version: "v1", Resource: "resourcequotas"}, {Version: "v1", Resource: "limitranges"},
	} {
		for _, tenant := range []string{"acme", "globex", "initech"} {
			list, err := client.Resource(kind).Namespace(w.name+"-"+tenant).List(w.t.Context(), metav1.ListOptions{})
			require.NoError(w.t, err)
			for _, o := range list.Items {
				all[kind.Resource+" "+tenant+"/"+o.Name] = fmt.Sprint(o.UID, " ", o.Generation)
			}
		}
	}
	return all
}

// TestExamples is the fleet of the examples through what must change nothing: a policy
// edit, a priority edit and, in the middle of a canary, the loss of the ledger.
func TestExamples(t *testing.T) {
	w := newWorld(t)
	w.stop()
	state := t.TempDir()
	w.engine = w.withState(state, "status")
	files := w.examples()
	commit := func(message string, changed map[string]string) string {
		maps.Copy(files, changed)
		return w.commit(message, changed)
	}
	find := func(ledger *model.Ledger, app model.AppID) *model.Instance {
		inst, ok := ledger.Find(app)
		require.True(t, ok, "%s", app)
		return inst
	}
	commit("the examples", files)
	first := w.run("the first run waits for somebody", is("agree", model.StepActive))
	commit("agreed", ask(first.ID, "approve", "agree"))
	for _, app := range []string{"acme/shop", "acme/site", "globex/api", "globex/reports", "initech/risk", "initech/backfill"} {
		w.phase(app, model.PhaseRunning)
	}
	w.until("the autoscaler of the API has brought its two replicas", func(l *model.Ledger) bool {
		inst, _ := l.Find(model.AppID{Tenant: "globex", Name: "api"})
		seen := inst.Shown.Of("server")
		return seen != nil && seen.Told == 2 && seen.Ready == 2
	})
	// A release that the cluster refuses is rolled back and on hold.
	site := "tenants/acme/apps/site/deploy/base/deployment.yaml"
	selector := edited(t, files, site, "    matchLabels:\n", "    matchLabels:\n      tier: front\n")
	commit("a selector that nobody can change", edited(t, selector, site, "      labels:\n", "      labels:\n        tier: front\n"))
	w.until("the release of the site is on hold", func(l *model.Ledger) bool {
		inst, _ := l.Find(id("site"))
		return len(inst.Held) > 0 && inst.Phase == model.PhaseRunning
	})
	w.settled()

	for _, edit := range []struct{ what, path, old, text, changed string }{
		{"one egress host more", "fleet.cue", "\tpolicy: {\n", "\tpolicy: {\n\t\tegress: hosts: [\"hooks.example.com\"]\n", "policy.egress.hosts"},
		{"another priority", shopFile, "priority: 600", "priority: 601", "priority"},
	} {
		t.Log(edit.what)
		before, ledger, commits, writes := w.standing(), w.ledger(), w.statusCommits(), w.writes.Load()
		commit(edit.what, edited(t, files, edit.path, edit.old, edit.text))
		w.pass()
		require.Empty(t, w.last.Transitions())
		require.Equal(t, commits+1, w.statusCommits(), "one commit")
		w.settled()
		require.Equal(t, writes, w.writes.Load(), "no request that writes")
		require.Equal(t, before, w.standing())
		after := w.ledger()
		for i := range ledger.Instances {
			was := &ledger.Instances[i]
			is := find(&after, was.App)
			require.Equal(t, []any{was.Number, was.Phase, was.Since, was.Run, was.Held, was.Refused}, []any{is.Number, is.Phase, is.Since, is.Run, is.Held, is.Refused}, "%s", was.App)
		}
		shop := find(&after, id("shop"))
		entry := shop.History[len(shop.History)-1]
		require.Equal(t, model.ReasonAdmissionChanged, entry.Reason)
		require.Equal(t, edit.changed, entry.Changes[0].Path)
	}

	t.Log("half a canary")
	commit("an update", map[string]string{shopFile: strings.ReplaceAll(files[shopFile], "shop:1.4.2", "shop:1.4.3")})
	second := w.run("half a canary", func(r *model.Run) bool {
		s, ok := r.Step("release")
		return r.Number == 2 && ok && s.Phase == model.StepActive && !s.Until.IsZero()
	})
	asked := commit("agreed early", ask(second.ID, "approve", "agree"))
	w.rolledOut(w.name + "-acme")
	w.until("the request is read, and nothing is left to save", func(l *model.Ledger) bool { return l.Commit == asked && !w.last.Changed() })
	before, ledger := w.standing(), w.ledger()
	w.stop()
	same := func() model.Ledger {
		for range 3 {
			w.pass()
			require.Empty(t, w.last.Applied.Requests.Delete)
		}
		require.NoError(t, w.loop.Ready())
		require.Equal(t, before, w.standing(), "no object changes, no pod, and no job runs")
		return w.ledger()
	}

	t.Log("the branch is lost, and the copy on this machine brings it back")
	w.git(w.repo, "update-ref", "-d", "refs/heads/status")
	lost, err := status.Open(t.Context(), status.Options{URL: w.repo, Dir: t.TempDir()})
	require.NoError(t, err)
	defer lost.Close()
	done, err := lost.Restore(t.Context(), state+"/kept-status", true)
	require.NoError(t, err)
	require.NotEmpty(t, done.Commit)
	w.engine = w.withState(state, "status")
	back := same()
	require.Equal(t, ledger.Identity.ID, back.Identity.ID)
	for i := range ledger.Instances {
		was, is := ledger.Instances[i], back.Instances[i]
		for _, inst := range []*model.Instance{&was, &is} {
			inst.Shown, inst.Revision = nil, model.Revision{} // counts of what is ready may still be saved
		}
		require.Equal(t, was, is)
	}
	w.stop()

	t.Log("branch and copy are lost, and the cluster has the rest")
	w.git(w.repo, "update-ref", "-d", "refs/heads/status")
	rebuilt, saved := w.fromCluster()
	require.Empty(t, rebuilt.Unknown)
	require.Empty(t, rebuilt.Orphans)
	require.Equal(t, []model.AppID{id("site")}, rebuilt.Held)
	require.Equal(t, []model.AppID{{Tenant: "globex", Name: "analytics"}, {Tenant: "initech", Name: "simulation"}}, rebuilt.New, "of which nothing runs")
	require.NotEqual(t, ledger.Identity.ID, saved.Identity.ID)
	w.start()
	back = same()
	run := find(&back, id("shop")).Run
	require.Equal(t, model.RunPaused, run.Phase)
	require.NotEqual(t, second.ID, run.ID)
	require.True(t, is("agree", model.StepPending)(run))
	require.NotEmpty(t, run.Commands)
	for _, h := range run.Commands {
		require.NotEmpty(t, h.Refused, "what was asked of run %s", h.Run)
	}
	for _, was := range ledger.Instances {
		if is := find(&back, was.App); was.App != id("shop") {
			require.Equal(t, was.Phase, is.Phase, "%s", was.App)
		}
	}
}
