package evaluate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// An application file with any content leaves a fleet in which every application
// is either usable or not, and nothing else suffers.
func FuzzApplicationFile(f *testing.F) {
	for _, name := range []string{"tenants/acme/apps/shop/app.cue", "tenants/globex/apps/api/app.cue"} {
		data, err := os.ReadFile(filepath.Join(exampleRepo, name))
		require.NoError(f, err)
		f.Add(data)
	}
	for _, a := range sample(examples(f)) {
		for _, file := range a.Files {
			if filepath.Base(file.Name) == "more.cue" {
				f.Add(file.Data)
			}
		}
	}
	base := archive(f, "base.txtar")
	from := New()
	from.Fleet("c", unpack(base), nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4<<10 || len(data) == 0 {
			t.Skip("the caps have a test of their own")
		}
		fleet := again(from).Fleet("c", unpack(base, overlay("tenants/acme/apps/shop/more.cue", string(data))), nil)
		require.Len(t, fleet.Tenants, 1)
		require.Equal(t, 1, len(fleet.Applications)+len(fleet.Unusable))
		for _, p := range fleet.Problems {
			require.Equal(t, "acme", p.Tenant)
			require.NotEmpty(t, p.Places)
			require.NotEmpty(t, p.Message)
		}
	})
}
