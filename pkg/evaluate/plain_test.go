package evaluate

import (
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
)

// The short way says of every tenant what the instance says.
func TestTenantFormIsTheInstance(t *testing.T) {
	cases := sample(examples(t))
	cases["full"] = archive(t, "full.txtar")
	cases["base"] = overlay("README.md", "")
	base, compared := archive(t, "base.txtar"), 0
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
		form := layer.NewTenantForm(&above.layer)
		tenants, _, err := directories(tree, "tenants")
		require.NoError(t, err)
		for _, tenant := range tenants {
			own := sourcesOf(t, tree, path.Join("tenants", tenant))
			require.Equal(t, evaluateTenant(tenant, own, &above.layer, layer.Form{}), evaluateTenant(tenant, own, &above.layer, form), name)
			compared++
		}
	}
	require.Greater(t, compared, len(cases)/2)
}

func sourcesOf(t *testing.T, tree Files, dir string) []layer.Source {
	names, _, err := layer.List(tree, dir)
	require.NoError(t, err)
	files, _, err := layer.Read(tree, names)
	require.NoError(t, err)
	return files
}
