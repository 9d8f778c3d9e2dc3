package architecture

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
)

// train are the modules that Kubernetes publishes together and that only work together.
var train = []string{
	"k8s.io/api", "k8s.io/apimachinery", "k8s.io/apiextensions-apiserver", "k8s.io/cli-runtime",
	"k8s.io/client-go", "k8s.io/component-base", "k8s.io/component-helpers", "k8s.io/kubectl",
}

func TestModule(t *testing.T) {
	mod, err := modfile.Parse("go.mod", []byte(read(t, "go.mod")), nil)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSuffix(module, "/"), mod.Module.Mod.Path)
	require.Empty(t, mod.Replace, "a replaced module cannot be got with go install: use a published version")
	require.Empty(t, mod.Exclude)

	versions := map[string][]string{}
	for _, r := range mod.Require {
		for _, name := range train {
			if r.Mod.Path == name {
				versions[r.Mod.Version] = append(versions[r.Mod.Version], name)
			}
		}
	}
	require.Len(t, versions, 1, "the modules of Kubernetes have more than one version")
}
