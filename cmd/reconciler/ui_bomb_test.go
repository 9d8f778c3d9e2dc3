package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/test/tier"
)

// TestUIDraftsAreBounded: a draft that makes a definition, or a kustomization, grow without end is refused at the limits of evaluations. Meanwhile
// other pages go on, and the next draft is previewed.
func TestUIDraftsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: evaluates bombs until their limits end them, which takes seconds")
	}
	w, _, _ := editing(t)
	w.repo.Git("checkout", "-q", "-f", "HEAD")
	w.repo.Write("definitions.cue", `package fleet

import "list"

platform: definitions: components: wide: {
	#Parameter: n!: int
	parameter: #Parameter
	example: n: 1
	output: {type: "config", properties: data: x: "\(len([for a in list.Range(0, parameter.n, 1) for b in list.Range(0, parameter.n, 1) {a + b}]))"}
}
`)
	copies := ""
	for i := range 40 {
		copies += fmt.Sprintf(`{"op": "copy", "from": "/data", "path": "/data/x%d"},`, i)
	}
	w.repo.Write("tenants/acme/apps/shop/grows/a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: y}}\n")
	w.repo.Write("tenants/acme/apps/shop/grows/kustomization.yaml", "resources: [a.yaml]\npatches: [{target: {kind: ConfigMap}, patch: '["+strings.TrimSuffix(copies, ",")+"]'}]\n")
	w.repo.Commit("bombs")
	base := w.repo.Git("rev-parse", "HEAD")
	ui := openUI(t, "--repo", w.repo.Dir)
	bombs := map[string]string{"DA1016": `{"type":"wide","properties":{"n":100000}}`}
	if tier.Soak() {
		bombs["DA1712"] = `{"type":"kustomize","properties":{"path":"grows"}}`
	}
	for code, value := range bombs {
		done := make(chan uiAnswer, 1)
		go func() { done <- ui.post("preview", asked(base, inShop("components/more", "set", value), "")) }()
		for range 3 {
			require.Contains(t, ui.get("fleet"), `"acme"`)
			require.Contains(t, ui.get("applications/acme/shop"), `"Running"`)
		}
		p := decoded[view.Preview](t, <-done, http.StatusOK)
		require.False(t, p.Saves)
		require.Equal(t, code, p.Problems[0].Code)
		p = decoded[view.Preview](t, ui.post("preview", asked(base, inShop("components/web/replicas", "set", "3"), "")), http.StatusOK)
		require.True(t, p.Saves, "the next draft does not suffer")
	}
}
