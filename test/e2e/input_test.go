package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

func id(name string) model.AppID { return model.AppID{Tenant: "acme", Name: name} }

// TestBrokenFileBlamesItsOwnApplication: one application's mistake leaves it at
// its last good state and touches no other.
func TestBrokenFileBlamesItsOwnApplication(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "16Gi")
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 10, ""),
		app("acme", "shop", web(2, "1")), app("acme", "docs", web(1, "1"))))
	w.phase("acme/shop", model.PhaseRunning)
	w.phase("acme/docs", model.PhaseRunning)
	w.settled()

	w.commit("a mistake, and a good change beside it", merge(
		map[string]string{"tenants/acme/apps/shop/app.cue": "package fleet\n\napplication: {name: \"shop\", components: web: }\n"},
		app("acme", "docs", web(1, "2")), app("acme", "new", "web: replicas: \"many\"")))
	w.pass()
	w.phase("acme/docs", model.PhaseRunning)
	ledger := w.settled()
	shop, _ := ledger.Find(id("shop"))
	require.Equal(t, model.PhaseRunning, shop.Phase)
	require.Equal(t, model.ReasonInvalidSpec, shop.Refused.Reason)
	fresh, _ := ledger.Find(id("new"))
	require.Equal(t, model.PhaseRejected, fresh.Phase)
	require.NotEmpty(t, ledger.Problems)
	places := ""
	for _, p := range ledger.Problems {
		for _, place := range p.Places {
			places += place.At + "\n"
		}
	}
	require.Contains(t, places, "tenants/acme/apps/shop/app.cue:3:")
	require.Contains(t, w.git(w.repo, "show", "status:errors.json"), "tenants/acme/apps/shop/app.cue:3:")
	docs, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").Get(t.Context(), "docs-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, "registry.example.com/web:2", docs.Spec.Template.Spec.Containers[0].Image)

	t.Log("a restart while Git is broken changes nothing either")
	w.stop()
	commits := w.statusCommits()
	w.start()
	w.settled()
	require.Equal(t, commits, w.statusCommits())
	require.Zero(t, w.writes.Load())

	t.Log("a broken tenant and a broken platform hold everything below them")
	for _, file := range []string{"tenants/acme/tenant.cue", "fleet.cue"} {
		w.commit("break "+file, map[string]string{file: "package fleet\n\nnonsense\n"})
		w.pass()
		ledger = w.settled()
		for _, name := range []string{"shop", "docs"} {
			inst, _ := ledger.Find(id(name))
			require.Equal(t, model.PhaseRunning, inst.Phase, "%s with a broken %s", name, file)
		}
	}
	require.Zero(t, w.writes.Load())

	t.Log("mended, everything is as declared")
	w.commit("mend", merge(platform(w.name), tenant("acme", 10, ""), app("acme", "shop", web(2, "3")), app("acme", "new", web(1, "1"))))
	w.pass()
	w.phase("acme/shop", model.PhaseRunning)
	w.phase("acme/new", model.PhaseRunning)
	require.Empty(t, w.settled().Problems)
}

// TestMassRemovalIsHeld: an empty tree or the removal of many applications prunes
// nothing before a file confirms it, which names the instances.
func TestMassRemovalIsHeld(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 3, "8", "16Gi")
	files := merge(platform(w.name), tenant("acme", 20, ""))
	gone := map[string]string{"fleet.cue": "", "tenants": ""}
	for i := range 5 {
		files = merge(files, app("acme", fmt.Sprint("app", i), web(1, "1")))
	}
	w.commit("a fleet", files)
	for i := range 5 {
		w.phase(fmt.Sprint("acme/app", i), model.PhaseRunning)
	}
	w.settled()
	writes := w.writes.Load()
	running := func() int {
		ledger := w.settled()
		n := 0
		for i := range ledger.Instances {
			if ledger.Instances[i].Phase == model.PhaseRunning {
				n++
			}
		}
		return n
	}

	w.commit("empty", gone)
	w.pass()
	require.Equal(t, 5, running(), "an empty tree removes nothing")
	w.commit("back, but for three", merge(files, map[string]string{
		"tenants/acme/apps/app0": "", "tenants/acme/apps/app1": "", "tenants/acme/apps/app2": ""}))
	w.pass()
	require.Equal(t, 5, running(), "three of five are held")
	require.Contains(t, w.ledger().Problems[0].Message, "these stay until files in approvals/<tenant>/removals name them: acme/app0#1, acme/app1#1, acme/app2#1;")

	w.commit("the trailer of before\n\nConfirm-Removal: 3", nil)
	w.pass()
	require.Equal(t, 5, running())
	require.Contains(t, w.ledger().Problems[0].Message, "a trailer Confirm-Removal does not count any more")

	w.commit("other instances, and those of another tenant", merge(removal("acme", "acme/app0#2", "acme/app1#2", "acme/app2#2"),
		map[string]string{"approvals/globex/removals/old.cue": removalOf("acme/app0#1", "acme/app1#1", "acme/app2#1")}))
	w.pass()
	require.Equal(t, 5, running())
	require.Equal(t, writes, w.writes.Load())

	w.commit("they are meant to go", removal("acme", "acme/app0#1", "acme/app1#1", "acme/app2#1"))
	w.pass()
	require.Equal(t, 2, running())

	t.Log("the file confirms nothing later")
	w.commit("back", files)
	for i := range 5 {
		w.phase(fmt.Sprint("acme/app", i), model.PhaseRunning)
	}
	w.commit("gone again", map[string]string{"tenants/acme/apps/app0": "", "tenants/acme/apps/app1": "", "tenants/acme/apps/app2": ""})
	w.pass()
	require.Equal(t, 5, running())
}

// removal is the file that confirms the removal of instances of a tenant.
func removal(tenant string, instances ...string) map[string]string {
	return map[string]string{"approvals/" + tenant + "/removals/old.cue": removalOf(instances...)}
}

func removalOf(instances ...string) string {
	return fmt.Sprintf("package fleet\n\nremoval: [\"%s\"]\n", strings.Join(instances, `", "`))
}
