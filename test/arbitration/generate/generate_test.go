package generate

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

func TestEqualSeedsMakeEqualFleets(t *testing.T) {
	digest := func(seed uint64) model.Digest {
		w := Random(rand.New(rand.NewPCG(seed, 0)), Everything(3, 20))
		return model.DigestOf([]any{w.Fleet, w.Seen, w.Ledger.Instances})
	}
	require.Equal(t, digest(1), digest(1))
	require.NotEqual(t, digest(1), digest(2))
}

func TestQueuesHaveTheNumbersOfTheirNames(t *testing.T) {
	require.Equal(t, 15_000, Baseline.Applications())
	require.Equal(t, 50_000, LargeScale.Applications())
	small := Queues{Groups: 2, Tenants: 3, Small: 4, Medium: 2, Large: 1}
	w := small.World()
	require.Len(t, w.Fleet.Applications, small.Applications())
	require.Len(t, w.Fleet.Tenants, 6)
}

func TestCrowdedIsFull(t *testing.T) {
	for _, c := range []Crowded{{Tenants: 10, Running: 100}, {Tenants: 10, Running: 100, Reclaim: true}} {
		require.Equal(t, c.World(true).Seen.Pools[0].Capacity, c.World(true).Used("general"))
		asking := len(c.World(true).Fleet.Applications) - len(c.World(false).Fleet.Applications)
		require.Equal(t, c.Tenants, asking)
		c.Ask = 3
		require.Len(t, c.Asking(), 3)
	}
}

func TestRunTakesWhatIsAskedFor(t *testing.T) {
	w := world.New(model.Platform{})
	w.AddPool(model.Pool{Name: "general"})
	app := App("acme", "shop", 200, 3, model.Resources{CPU: 500}, new(Policy("any")))
	w.Declare(app)
	Run(w, "general", app.ID)
	require.Equal(t, model.Resources{CPU: 1500}, w.Holds(app.ID))
}
