package reconcile

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestFailedSetsAreRetriedWithGrowingWaits: a set that fails is not tried at every
// pass, and a success forgets the failures.
func TestFailedSetsAreRetriedWithGrowingWaits(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	id := model.AppID{Tenant: "acme", Name: "shop"}
	c := newCarriedOut()
	require.True(t, c.due(id, "a", now))
	var waits []time.Duration
	for range 12 {
		c.failed(id, now)
		next, ok := c.next()
		require.True(t, ok)
		require.False(t, c.due(id, "a", next.Add(-time.Nanosecond)))
		require.True(t, c.due(id, "a", next))
		waits = append(waits, next.Sub(now))
		now = next
	}
	require.Equal(t, firstWait, waits[0])
	require.Equal(t, 2*firstWait, waits[1])
	require.Equal(t, maxWait, waits[11])

	c.succeeded(id, "a")
	require.False(t, c.due(id, "a", now))
	require.True(t, c.due(id, "b", now), "a new spec is carried out at once")
	c.forget(id)
	require.True(t, c.due(id, "a", now))
	_, ok := c.next()
	require.False(t, ok)
}

// TestWhatOthersWroteIsCarriedOutAgain, however little of the record it changed, and
// nothing else is.
func TestWhatOthersWroteIsCarriedOutAgain(t *testing.T) {
	record := func(name string, revision byte) model.Instance {
		return model.Instance{App: model.AppID{Tenant: "acme", Name: name}, Number: 1, Phase: model.PhaseRunning, Revision: model.Revision{revision}}
	}
	l := New(Options{})
	l.saved = model.Ledger{Instances: []model.Instance{record("blog", 1), record("shop", 2)}, Revision: model.Revision{1}}
	now := l.o.Now()
	for i := range l.saved.Instances {
		l.done.succeeded(l.saved.Instances[i].App, "a")
	}
	l.forgetWhatOthersDid(l.saved)
	require.Len(t, l.done.applied, 2)

	written := record("shop", 3)
	written.Components = []model.ComponentState{{Run: 2}}
	l.forgetWhatOthersDid(model.Ledger{Instances: []model.Instance{record("blog", 1), written}, Revision: model.Revision{2}})
	require.False(t, l.done.due(record("blog", 1).App, "a", now))
	require.True(t, l.done.due(written.App, "a", now))
}

// TestAPassCarriesOutAnewWhatOthersWrote: another reconciler that wrote a record may have
// acted on it, too, so the next pass does not trust what it remembers of the objects.
func TestAPassCarriesOutAnewWhatOthersWrote(t *testing.T) {
	k, calls := newEntered(t)
	acts := func() bool {
		*calls = nil
		_, err := k.loop.Pass(t.Context())
		require.NoError(t, err)
		return slices.Contains(*calls, "runtime.Act")
	}
	for range 5 {
		acts()
	}
	require.False(t, acts(), "nothing is left to do")

	before, err := k.loop.o.Status.Load(t.Context())
	require.NoError(t, err)
	after := before
	after.Instances = slices.Clone(before.Instances)
	after.Instances[0].Message = "somebody else wrote this"
	after.Instances[0].Revision, after.Revision = model.Revision{}, model.Revision{}
	_, changed, err := k.loop.o.Status.Commit(t.Context(), before, after)
	require.NoError(t, err)
	require.True(t, changed)
	require.True(t, acts())
}
