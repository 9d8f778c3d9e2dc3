package evaluate

import (
	"bytes"
	"path"
	"testing"

	"github.com/stretchr/testify/require"
)

// The short way says of every tenant what the instance says.
func TestTenantFormIsTheInstance(t *testing.T) {
	cases := examples(t)
	cases["full"] = archive(t, "full.txtar")
	cases["base"] = overlay("README.md", "")
	base, short := archive(t, "base.txtar"), 0
	for name, a := range cases {
		files, _ := split(a)
		tree := unpack(base, files)
		if name == "full" {
			tree = unpack(files)
		}
		above := evaluatePlatform(sourcesOf(t, tree, "."))
		if above.platform == nil {
			continue
		}
		form := newTenantForm(&above.layer)
		tenants, _, err := directories(tree, "tenants")
		require.NoError(t, err)
		for _, tenant := range tenants {
			own := sourcesOf(t, tree, path.Join("tenants", tenant))
			require.Equal(t, evaluateTenant(tenant, own, &above.layer), evaluateTenantBy(form, tenant, own, &above.layer), name)
			_, trees, problems := parseLayer("tenant", own)
			if _, _, ok := form.fillTenant(trees); ok && problems == nil {
				short++
			}
		}
	}
	require.Greater(t, short, len(cases)/2, "most tenants go the short way")
}

func sourcesOf(t *testing.T, tree Files, dir string) []source {
	names, _, err := cueFiles(tree, dir)
	require.NoError(t, err)
	files, _, err := read(tree, names)
	require.NoError(t, err)
	return files
}

// Tenants that only their names tell apart are under one bound form, and the
// sentences about what is not valid still say the name.
func TestFormIsBoundOnceForEqualPolicies(t *testing.T) {
	in := shopInput(t)
	other := in
	other.policy = bytes.ReplaceAll(in.policy, []byte(`"tenant acme"`), []byte(`"tenant globex"`))
	require.NotEqual(t, in.policy, other.policy)
	form := newForm().under(in.policy)
	again := form.under(other.policy)
	require.Equal(t, form.bound, again.bound, "not bound anew")

	stricter := bytes.ReplaceAll(other.policy, []byte(`"maxReplicas":`), []byte(`"maxReplicas":1,"":`))
	require.NotEqual(t, again.rules, again.under(stricter).rules)

	other.form = again
	require.Empty(t, evaluateApplication(other).problems)
	other.files = []source{{in.files[0].name, bytes.Replace(in.files[0].data, []byte("priority:"), []byte("priority: 999999 //"), 1)}}
	problems := evaluateApplication(other).problems
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Message, "tenant globex")
}
