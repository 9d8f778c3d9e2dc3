package reconcile

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestFirstRecordsComeInParts: where many applications start for the first time, each save
// records a part of them, and the loop is not ready before all have a record. What happens
// elsewhere meanwhile counts in the next pass, and what is removed in between never starts.
func TestFirstRecordsComeInParts(t *testing.T) {
	const apps, part = 70, 20
	k, runtime := newCarrying(t, 10*time.Millisecond)
	k.worker("docs", "1", "")
	k.by("ann")
	k.settle()
	k.start(func(o *Options) { o.Slice, o.Newcomers = Slice, part })
	for i := range apps {
		k.worker(fmt.Sprintf("app%02d", i), "1", "")
	}
	k.by("ann")
	for i := range 3 {
		k.loop.declared.polled = time.Time{}
		r, err := k.loop.turn(t.Context())
		require.NoError(t, err)
		left := apps - (i+1)*part
		if i > 0 {
			left-- // it is removed by then
		}
		require.Len(t, k.loop.saved.Instances, 2+(i+1)*part)
		require.Equal(t, left, k.loop.saved.Source.Left)
		require.GreaterOrEqual(t, r.Left, left, "the next pass follows at once")
		require.ErrorContains(t, k.loop.Ready(), "not carried out yet")
		if i == 0 {
			k.Git("rm", "-q", "-r", "tenants/acme/apps/docs", "tenants/acme/apps/app69")
			k.by("ann")
			runtime.acted = map[model.AppID]time.Time{}
		}
		if i == 1 {
			docs, _ := k.loop.saved.Find(acmeDocs)
			require.Equal(t, model.PhaseTerminated, docs.Phase)
			require.Contains(t, runtime.acted, acmeDocs)
		}
	}
	k.settle()
	require.NoError(t, k.loop.Ready())
	require.Zero(t, k.loop.saved.Source.Left)
	require.Len(t, k.loop.saved.Instances, 2+apps-1)
	_, known := k.loop.saved.Find(model.AppID{Tenant: "acme", Name: "app69"})
	require.False(t, known)
	require.NotContains(t, runtime.acted, model.AppID{Tenant: "acme", Name: "app69"})
}
