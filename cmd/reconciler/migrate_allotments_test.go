package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUpgradeOfAFleetWithoutAllotments: where tenants still write what they get, an error
// names the file and the command, and what runs goes on as it was. The command changes
// nothing of what runs either.
func TestUpgradeOfAFleetWithoutAllotments(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 6, 300)
	w.app("globex", "api", 2, 300)
	w.repo.Commit("first")
	w.passes()
	show := func(path string) string {
		out, err := w.repo.Command("show", "refs/heads/status:"+path).Output()
		require.NoError(t, err)
		return string(out)
	}
	running := func() (specs string) {
		for _, app := range []string{"acme/shop", "globex/api"} {
			require.Contains(t, show("tenants/"+app+"/instance.json"), `"phase": "Running"`)
			specs += show("tenants/" + app + "/spec.json")
		}
		return specs
	}
	accepted := running()

	// Before there were allotments, the same fleet was written so.
	root, err := os.ReadFile(filepath.Join(w.repo.Dir, "fleet.cue"))
	require.NoError(t, err)
	before := strings.Replace(string(root), "\tallotments: {acme: {}, globex: {}, initech: {}}\n", "", 1)
	require.NotEqual(t, string(root), before)
	w.repo.Write("fleet.cue", before)
	w.repo.Write("tenants/acme/tenant.cue", `package fleet

tenant: {
	name: "acme"
	guarantee: {cpu: "4", memory: "16Gi"} // agreed
	weight: 2
	quota: {cpu: "32", memory: "256Gi", applications: 50, workloads: 100, priorityCeiling: 900}
}
`)
	w.app("acme", "shop", 5, 300)
	w.app("acme", "blog", 1, 300)
	w.repo.Commit("before allotments")
	w.passes()
	require.Equal(t, accepted, running(), "nothing is changed")
	said := w.text(1, "vet", w.repo.Dir)
	require.Contains(t, said, "DA1351 tenant.guarantee: the guarantee of a tenant is written in platform.allotments; \"reconciler migrate allotments\" moves it\n  tenants/acme/tenant.cue:5:13")
	require.Contains(t, said, "DA1351 tenant.name: ")

	w.app("acme", "shop", 6, 300)
	require.NoError(t, os.RemoveAll(filepath.Join(w.repo.Dir, "tenants/acme/apps/blog")))
	w.repo.Commit("as it runs")
	w.text(0, "migrate", "allotments", "--repo", w.repo.Dir)
	w.text(0, "vet", w.repo.Dir)
	w.passes()
	require.Equal(t, accepted, running(), "what means the same starts, moves and stops nothing")

	require.Regexp(t, `"weight": 2,\s+"guarantee": \{\s+"cpu": 4000`, show("tenants/acme/tenant.json"), "and the guarantee is in force")
}
