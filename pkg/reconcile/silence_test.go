package reconcile

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestSilenceDelaysNothingThatWasNotTried: while an API server gives no answer, passes try a few applications each. The others
// have not failed: the first pass that has answers carries them out, however long the silence was.
func TestSilenceDelaysNothingThatWasNotTried(t *testing.T) {
	const apps, silences = 4 * atOnce, 6
	k, runtime := newCarrying(t, 0)
	for i := range apps {
		k.worker(fmt.Sprintf("app%02d", i), "1", "")
	}
	runtime.silent = true
	k.by("ann")
	for range silences {
		k.now = k.now.Add(5 * time.Second)
		_, err := k.loop.Pass(t.Context())
		require.ErrorContains(t, err, "no answer")
	}
	tried := len(k.loop.done.retry)
	require.Positive(t, tried)
	require.LessOrEqual(t, tried, 2*atOnce, "of %d in %d passes", apps, silences)

	runtime.silent = false
	_, err := k.loop.Pass(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(runtime.acted), apps-tried)
	require.Contains(t, runtime.acted, model.AppID{Tenant: "acme", Name: fmt.Sprintf("app%02d", apps-1)})
}
