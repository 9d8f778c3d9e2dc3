package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/test/inprocess"
)

// On a terminal only what no flag says is asked, and again until it is a name.
func TestInitAsks(t *testing.T) {
	names := fleetNames{Tenant: "acme"}
	var said strings.Builder
	require.NoError(t, names.complete("My Fleet", strings.NewReader("\nBad Name\n shop \n"), &said))
	require.Equal(t, fleetNames{Fleet: "fleet", Tenant: "acme", App: "shop"}, names)
	require.Equal(t, "Name of the fleet [fleet]: Its first application [hello]: "+nameRule+"\nIts first application [hello]: ", said.String())

	require.NoError(t, (&fleetNames{}).complete("x", nil, nil))
	require.ErrorContains(t, (&fleetNames{}).complete("x", strings.NewReader(""), &said), "--yes")
	for _, bad := range []string{"../up", "a\"b", "A", "-a", "a-", strings.Repeat("a", 64)} {
		require.ErrorContains(t, (&fleetNames{App: bad}).complete("x", nil, nil), "--application")
	}
}

// What the new files show in comments is accepted when somebody takes the marks
// of the comments away.
func TestInitComments(t *testing.T) {
	files, err := fleetFiles(fleetNames{Fleet: "fleet", Tenant: "acme", App: "shop"})
	require.NoError(t, err)
	code := regexp.MustCompile(`(?m)^(\t*)// (\t*(?:[a-z][A-Za-z]*: |\}\]).*)$`)
	dir, shown := t.TempDir(), 0
	for _, f := range files {
		if path.Ext(f.Name) == ".cue" && !strings.HasPrefix(f.Name, "cue.mod/") {
			shown += len(code.FindAll(f.Data, -1))
			f.Data = code.ReplaceAll(f.Data, []byte("$1$2"))
		}
		name := filepath.Join(dir, f.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	require.Equal(t, 16, shown)
	w, err := clone.Open(t.Context(), dir)
	require.NoError(t, err)
	defer w.Close()
	tree, err := w.Files(t.Context())
	require.NoError(t, err)
	fleet := evaluate.Through(inprocess.By[evaluate.Worker]()).Fleet("c", tree, nil)
	require.Empty(t, fleet.Problems)
	require.Len(t, fleet.Applications, 1)
	require.NotNil(t, fleet.Applications[0].Workflow)
	require.Equal(t, model.OnFailureRollback, fleet.Applications[0].Lifecycle.OnFailure)
	require.Len(t, fleet.Platform.Groups, 1)
}
