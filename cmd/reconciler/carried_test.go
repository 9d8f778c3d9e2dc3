package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/view"
)

// TestWhatNoRuntimeCarriesIsRefused: vet, plan and a pass refuse a component that no adapter
// carries, with the same sentence and place, although policy and pool allow its runtime. It
// is granted nothing.
func TestWhatNoRuntimeCarriesIsRefused(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, replaceIn(w.repo.Dir+"/fleet.cue", `policy: {`, `pools: hosts: {runtimes: ["virtual-machine"], capacity: {cpu: "8", memory: "32Gi"}}
	policy: {`))
	require.NoError(t, replaceIn(w.repo.Dir+"/fleet.cue", `runtimes: ["container"]`, `runtimes: ["container", "virtual-machine"]`))
	w.app("acme", "shop", 1, 500)
	w.repo.Commit("a container")
	w.passes()
	w.repo.Write("tenants/acme/apps/shop/more.cue", "package fleet\n\napplication: components: web: runtime: \"virtual-machine\"\n")
	w.app("acme", "agent", 1, 500)
	w.repo.Write("tenants/acme/apps/agent/more.cue", "package fleet\n\napplication: components: web: runtime: \"virtual-machine\"\n")

	const sentence = "application.components.web.runtime: no runtime adapter carries a worker of virtual-machine on linux; kubernetes carries container on linux, container on windows; kubevirt carries virtual-machine on linux, virtual-machine on windows (vm); process carries process on linux (worker, job); wasm carries wasm on linux (worker, job); nomad carries nomad on linux (worker, job)"
	vetted := w.text(exitDiffers, "vet", w.repo.Dir)
	require.Equal(t, 2, strings.Count(vetted, "DA1595 "+sentence), vetted)
	require.Contains(t, vetted, "tenants/acme/apps/shop/more.cue:3:40")
	w.repo.Git("checkout", "-q", "-b", "change")
	w.repo.Commit("virtual machines")
	var planned view.Plan
	w.run(exitRefused, &planned, "plan", "--repo", w.repo.Dir, "--now", w.now.Format(time.RFC3339), "-o", "json")
	require.Len(t, planned.Problems, 2, "%+v", planned.Problems)
	w.repo.Git("checkout", "-q", "main")
	w.repo.Git("merge", "-q", "--ff-only", "change")
	r, err := w.loop.Pass(t.Context())
	require.NoError(t, err)
	require.Len(t, r.Problems, 2)
	for i, p := range r.Problems {
		require.Equal(t, "DA1595 "+sentence, p.Code+" "+p.Path+": "+p.Message)
		require.Equal(t, p, planned.Problems[i])
	}
	ledger, err := w.paper.Branch.Load(t.Context())
	require.NoError(t, err)
	shop, _ := ledger.Find(model.AppID{Tenant: "acme", Name: "shop"})
	require.Equal(t, model.PhaseRunning, shop.Phase, "the container goes on")
	require.Equal(t, "container", shop.Spec.Components[0].Runtime)
	agent, known := ledger.Find(model.AppID{Tenant: "acme", Name: "agent"})
	require.True(t, !known || len(agent.Components) == 0, "%+v", agent)
}
