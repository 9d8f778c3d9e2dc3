package turn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestAttack03OthersGoOn: a kustomization that has no end blames its own application.
func TestAttack03OthersGoOn(t *testing.T) {
	deep := map[string]string{"k": "resources: [../d0]"}
	for i := range 500 {
		deep[fmt.Sprint("d", i)] = fmt.Sprintf("resources: [../d%d]", i+1)
	}
	for name, kustomizations := range map[string]map[string]string{
		"itself":     {"k": "resources: [../k]"},
		"each other": {"k": "resources: [../l]", "l": "components: [../k]"},
		"deep":       deep,
	} {
		t.Run(name, func(t *testing.T) { blamesItself(t, kustomizations) })
	}
}

// TestAttack08OthersGoOn: so does a file that grows when it is read.
func TestAttack08OthersGoOn(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 10; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	for name, text := range map[string]string{"aliases": bomb, "documents": strings.Repeat("---\n{}\n", 100_000)} {
		t.Run(name, func(t *testing.T) { blamesItself(t, map[string]string{"k": text}) })
	}
}

// blamesItself demands that kustomizations of acme/a, by their directories, are refused,
// and that globex/site is checked all the same.
func blamesItself(t *testing.T, kustomizations map[string]string) {
	var files []txtar.File
	for dir, text := range kustomizations {
		files = append(files, txtar.File{Name: "tenants/acme/apps/a/" + dir + "/kustomization.yaml", Data: []byte(text)})
	}
	fleet, checked := check(t, fleetWith(variants["kustomize"], "1", files...))
	fleet = checked.Settle(fleet)
	require.Len(t, fleet.Unusable, 1)
	require.Equal(t, model.AppID{Tenant: "acme", Name: "a"}, fleet.Unusable[0].App)
	require.Len(t, fleet.Applications, 1)
	require.Equal(t, model.AppID{Tenant: "globex", Name: "site"}, fleet.Applications[0].ID)
}
