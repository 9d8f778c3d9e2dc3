package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuotaBelowUse: a quota that is lowered from 40 to 6 CPUs while 6500m are granted is a
// warning in a plan, and the same words in every answer after the merge. What runs stays,
// a fix of an image passes, and nothing grows.
func TestQuotaBelowUse(t *testing.T) {
	w := newWorld(t)
	w.tenant("acme", 40)
	w.app("acme", "shop", 6, 300)
	api := func(image, cpu string) {
		w.repo.Write("tenants/acme/apps/api/app.cue", `package fleet

application: {
	name: "api"
	components: web: {
		type: "worker", replicas: 1
		properties: image: "example.com/web:`+image+`"
		resources: requests: {cpu: "`+cpu+`", memory: "1Gi"}
	}
}
`)
	}
	api("1", "500m")
	w.repo.Commit("first")
	w.passes()

	w.tenant("acme", 6)
	const over = "tenant acme is over quota"
	const amounts = ": 6.5 cpu granted, its quota is 6 (tenants/acme/tenant.cue:5:15); what runs stays, nothing grows"
	text := w.text(0, "plan", "--repo", w.repo.Dir)
	require.Contains(t, text, "warning: "+over+amounts)
	require.Contains(t, text, `spec.hard[requests.cpu]: "40" → "8"`, "what is granted, with a pod more for each of the two rolling updates")
	require.Contains(t, w.text(0, "plan", "--repo", w.repo.Dir, "-o", "markdown"), "> **Warning:** "+over)
	w.repo.Commit("less")
	w.passes()

	const since = over + " since 2026-03-01 12:"
	require.Contains(t, w.text(0, "status", "--repo", w.repo.Dir), since)
	explained := w.text(0, "explain", "--repo", w.repo.Dir, "acme/shop")
	require.Contains(t, explained, since)
	require.Regexp(t, `short +quota.cpu +6 .* 6 +500m +tenants/acme/tenant.cue:5:15`, explained)
	require.NotRegexp(t, `quota.cpu .* 40 `, explained)
	pages := func(path string) string {
		out, err := w.repo.Command("show", "refs/heads/status:"+path).Output()
		require.NoError(t, err)
		return string(out)
	}
	require.Contains(t, pages("README.md"), "Over quota")
	require.Contains(t, pages("tenants/acme/README.md"), over)
	require.Contains(t, pages("tenants/acme/quota.json"), `"granted": 6500`)
	tip := w.tip()
	w.pass()
	require.Equal(t, tip, w.tip(), "a state that lasts costs no commit")

	// A fix of an image passes, more does not.
	api("2", "500m")
	require.Equal(t, "updated", string(w.plan(1).Applications[0].Effect))
	w.repo.Commit("a fix")
	w.passes()
	require.NotContains(t, w.text(0, "status", "--repo", w.repo.Dir), "not accepted")
	api("2", "600m")
	require.Equal(t, "refused", string(w.plan(2).Applications[0].Effect))
	api("2", "500m")

	// With less in use it is over.
	w.app("acme", "shop", 5, 300)
	w.repo.Commit("smaller")
	w.passes()
	require.NotContains(t, w.text(0, "status", "--repo", w.repo.Dir), over)
	_, err := w.repo.Command("show", "refs/heads/status:tenants/acme/quota.json").Output()
	require.Error(t, err)
}

// TestGroupQuotaBelowUse: the same for the quota of a group, which its tenants are told of.
func TestGroupQuotaBelowUse(t *testing.T) {
	w := newWorld(t)
	group := func(cpu int) {
		w.repo.Write("groups.cue", fmt.Sprintf(`package fleet

platform: groups: web: {
	tenants: ["acme"]
	quota: {cpu: "%d", memory: "256Gi"}
}
`, cpu))
	}
	group(40)
	w.app("acme", "shop", 6, 300)
	w.app("globex", "feed", 2, 300)
	w.repo.Commit("first")
	w.passes()

	group(4)
	const over = "group web is over quota"
	const amounts = ": 6 cpu granted, its quota is 4 (groups.cue:5:15); what runs stays, nothing grows"
	require.Contains(t, w.text(0, "plan", "--repo", w.repo.Dir), "warning: "+over+amounts)
	require.Contains(t, w.text(0, "plan", "--repo", w.repo.Dir, "-o", "markdown"), "> **Warning:** "+over)
	w.repo.Commit("less")
	w.passes()

	const since = over + " since 2026-03-01 12:"
	require.Contains(t, w.text(0, "status", "--repo", w.repo.Dir), since)
	require.Contains(t, w.text(0, "status", "--repo", w.repo.Dir, "acme"), since)
	require.NotContains(t, w.text(0, "status", "--repo", w.repo.Dir, "globex"), over)
	explained := w.text(0, "explain", "--repo", w.repo.Dir, "acme/shop")
	require.Contains(t, explained, since)
	require.Regexp(t, `short +groups.web.quota.cpu +6 .* 4 +2 +groups.cue:5:15`, explained)
	pages := func(path string) string {
		out, err := w.repo.Command("show", "refs/heads/status:"+path).Output()
		require.NoError(t, err)
		return string(out)
	}
	require.Contains(t, pages("README.md"), "| group web |")
	require.Contains(t, pages("tenants/acme/README.md"), over)
	require.NotContains(t, pages("tenants/globex/README.md"), over)
	require.Contains(t, pages("inputs/quota.json"), `"granted": 6000`)
	tip := w.tip()
	w.pass()
	require.Equal(t, tip, w.tip(), "a state that lasts costs no commit")

	w.app("acme", "shop", 4, 300)
	w.repo.Commit("smaller")
	w.passes()
	require.NotContains(t, w.text(0, "status", "--repo", w.repo.Dir), over)
	_, err := w.repo.Command("show", "refs/heads/status:inputs/quota.json").Output()
	require.Error(t, err)
}
