package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// TestCompact: an object of a set that waits is known by the same name, labels and annotations, and can be read whole again.
func TestCompact(t *testing.T) {
	for name, input := range goldens(t) {
		set, err := Application(input())
		require.NoError(t, err)
		waits := set.Compact()
		for i := range set.Objects {
			o, c := &set.Objects[i], &waits.Objects[i]
			require.Equal(t, manifest.Identity(o.Object), manifest.Identity(c.Object), name)
			require.Equal(t, o.Object.GetLabels(), c.Object.GetLabels(), name)
			require.Equal(t, o.Object.GetAnnotations(), c.Object.GetAnnotations(), name)
			require.Equal(t, o.Object, c.Whole(), name)
			require.Equal(t, o.JSON, c.JSON, name)
			require.NotContains(t, c.Object.Object, "spec", name)
			require.NotContains(t, c.Object.Object, "data", name)
			if o.Sealed == nil {
				continue
			}
			values := map[string][]byte{"key": []byte("value")}
			open, err := o.Unseal(values)
			require.NoError(t, err, name)
			again, err := c.Unseal(values)
			require.NoError(t, err, name)
			require.Equal(t, open, again, "%s: values that come later", name)
		}
	}
}
