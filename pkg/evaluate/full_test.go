package evaluate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the full fleet says arrives in the model, value by value.
func TestFullFleet(t *testing.T) {
	f := New().Fleet("cccc", unpack(archive(t, "full.txtar")), func(commit string) (Files, error) {
		require.Equal(t, strings.Repeat("b", 40), commit)
		return unpack(archive(t, "full.txtar")), nil
	})
	require.Empty(t, report(f))
	var b strings.Builder
	for _, v := range []any{f.Platform, f.Tenants, f.Applications} {
		out, err := json.MarshalIndent(v, "", "  ")
		require.NoError(t, err)
		fmt.Fprintf(&b, "%s\n", out)
	}
	app := f.Applications[0]
	for _, v := range app.InForce {
		fmt.Fprintln(&b, v.Path, v.Value, v.Layer, v.At)
	}
	for _, path := range slices.Sorted(maps.Keys(app.At)) {
		fmt.Fprintln(&b, path, app.At[path])
	}
	for _, path := range slices.Sorted(maps.Keys(f.Tenants[0].At)) {
		fmt.Fprintln(&b, path, f.Tenants[0].At[path])
	}
	for _, path := range slices.Sorted(maps.Keys(f.Platform.At)) {
		fmt.Fprintln(&b, path, f.Platform.At[path])
	}
	golden(t, "testdata/full.golden", b.String())
}
