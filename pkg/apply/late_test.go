package apply_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
)

// TestLateRequestIsUndone: a process that was suspended, or a proxy that tries
// again, may send what nobody wants any more after it was pruned and the inventory
// no longer lists it.
func TestLateRequestIsUndone(t *testing.T) {
	for name, stays := range map[string][]string{
		"of an application that goes on": {configMap("stays", "1")},
		"of one that has ended":          nil,
	} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			a := f.applier()
			before := f.set("shop", configMap("stays", "1"), configMap("late", "1"))
			f.apply(a, f.tenant(), before)
			set := f.set("shop", stays...)
			f.apply(a, set)
			require.False(t, f.exists(configMaps, "late"))
			a.Live().Drifted()

			f.send(before.Objects[1])
			f.drifts(a, "shop")
			f.eventually(func() bool { // what ended lost its inventory, too: that takes a second pass
				r := a.Apply(t.Context(), []render.Set{set})
				return r.Err == nil && r.Sets[0].OK()
			}, "the set to be carried out")
			require.False(t, f.exists(configMaps, "late"))
			require.Equal(t, len(stays) > 0, f.exists(configMaps, "stays"))
			f.settles(a, set)
			require.Empty(t, a.Live().Drifted(), "what was corrected is no drift any more")
		})
	}
}

// send applies an object in our name, as an earlier process would.
func (f *fixture) send(o render.Object) {
	force := true
	_, err := f.dynamic.Resource(configMaps).Namespace(f.fleet).Patch(f.t.Context(), o.Object.GetName(), types.ApplyPatchType, o.JSON,
		metav1.PatchOptions{FieldManager: apply.FieldManager, Force: &force})
	require.NoError(f.t, err)
}
