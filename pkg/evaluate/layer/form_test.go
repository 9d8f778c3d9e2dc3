package layer

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/model"
)

// archive is a fleet of package evaluate's tests.
func archive(t testing.TB, name string) *txtar.Archive {
	a, err := txtar.ParseFile(filepath.Join("..", "testdata", name))
	require.NoError(t, err)
	return a
}

// sources are the CUE files of one directory of the base fleet.
func sources(t testing.TB, dir string) (all []Source) {
	for _, f := range archive(t, "base.txtar").Files {
		if filepath.Dir(f.Name) == dir && strings.HasSuffix(f.Name, ".cue") {
			all = append(all, Source{f.Name, f.Data})
		}
	}
	require.NotEmpty(t, all)
	return all
}

// policyOf is what the applications of tenant acme are evaluated under.
func policyOf(t testing.TB) []byte {
	platform := Platform(sources(t, "."))
	require.Empty(t, platform.Problems)
	tenant := Tenant("acme", sources(t, "tenants/acme"), &platform.Above)
	require.Empty(t, tenant.Problems)
	return tenant.Policy
}

var inShop = model.AppID{Tenant: "acme", Name: "shop"}

// What is plain data is exported without its instance, and comes out the same.
func TestPlainDataGoesTheShortWay(t *testing.T) {
	platform := Platform(sources(t, "."))
	tenant := Tenant("acme", sources(t, "tenants/acme"), &platform.Above)

	_, trees, _ := parse("application", sources(t, "tenants/acme/apps/shop"))
	doc, ok := NewForm().fill(tenant.Policy, trees)
	require.True(t, ok)
	require.Equal(t, string(Application(inShop, sources(t, "tenants/acme/apps/shop"), nil, tenant.Policy, Form{}).JSON), string(doc))
}

// Tenants that only their names tell apart are under one bound form, and the
// sentences about what is not valid still say the name.
func TestFormIsBoundOnceForEqualPolicies(t *testing.T) {
	policy, files := policyOf(t), sources(t, "tenants/acme/apps/shop")
	other := bytes.ReplaceAll(policy, []byte(`"tenant acme"`), []byte(`"tenant globex"`))
	require.NotEqual(t, policy, other)
	form := NewForm().Under(policy)
	again := form.Under(other)
	require.Equal(t, form.bound, again.bound, "not bound anew")

	stricter := bytes.ReplaceAll(other, []byte(`"maxReplicas":`), []byte(`"maxReplicas":1,"":`))
	require.NotEqual(t, again.rules, again.Under(stricter).rules)

	require.Empty(t, Application(inShop, files, nil, other, again).Problems)
	files = append(files, Source{"tenants/acme/apps/shop/more.cue", []byte("package fleet\n\napplication: priority: 999999\n")})
	problems := Application(inShop, files, nil, other, again).Problems
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Message, "tenant globex")
}
