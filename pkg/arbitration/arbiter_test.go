package arbitration_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// TestDecidingWhatChangedIsDecidingEverything: an arbiter that remembers rules
// as one that does not, after every one of many random changes.
func TestDecidingWhatChangedIsDecidingEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		shape := generate.Everything(1+rng.IntN(4), 2+rng.IntN(8))
		w := generate.Random(rng, shape)
		var remembering arbitration.Arbiter
		for range 8 {
			fleet, seen, ledger := w.Fleet, w.Seen, w.Ledger
			fleet.Applications = append([]*model.Application(nil), fleet.Applications...)
			got := remembering.Decide(fleet, seen, ledger, w.Now)
			require.Equal(t, essence(arbitration.Decide(fleet, seen, ledger, w.Now)), essence(got))
			if rng.IntN(3) > 0 {
				w.Round()
			}
			change(w, rng, shape)
		}
	})
}

func change(w *world.World, rng *rand.Rand, shape generate.Shape) {
	w.Now = w.Now.Add(time.Duration(rng.IntN(3)) * time.Second)
	apps := w.Fleet.Applications
	switch kind := rng.IntN(8); {
	case kind < 5:
		w.Declare(shape.Application(rng, "late-"+string(rune('a'+rng.IntN(26))), generate.Policy(shape.Preemption)))
	case kind == 5 && len(apps) > 0:
		w.Remove(apps[rng.IntN(len(apps))].ID)
	case kind == 6:
		w.Seen.Pools = append([]model.Pool(nil), w.Seen.Pools...)
		w.Seen.Pools[0].Capacity.CPU = int64(2+rng.IntN(14)) * 1000
	case kind == 7:
		w.Now = w.Now.Add(time.Hour)
	}
}

// essence is a ruling without the words that tell of the moment.
func essence(r model.Ruling) []model.Decision {
	out := make([]model.Decision, len(r.Decisions))
	for i, d := range r.Decisions {
		out[i] = model.Decision{App: d.App, Verdict: d.Verdict, Reason: d.Reason, Spec: d.Spec, Degraded: d.Degraded, Position: d.Position,
			Grants: d.Grants, Refused: d.Refused, EvictAt: d.EvictAt, Standing: d.Standing, For: d.For}
	}
	return out
}

// BenchmarkArrival is one more application where many wait.
func BenchmarkArrival(b *testing.B) {
	w := generate.LargeScale.World()
	w.Round()
	w.Now = w.Now.Add(time.Second)
	w.Round()
	var a arbitration.Arbiter
	a.Decide(w.Fleet, w.Seen, w.Ledger, w.Now)
	apps := w.Fleet.Applications
	more := apps[len(apps)/2]
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		next := *more
		next.ID.Name = "zz-arrives-" + string(rune('a'+i%26))
		fleet := w.Fleet
		fleet.Applications = append(append([]*model.Application(nil), apps...), new(next.Seal()))
		a = arbitration.Arbiter{}
		a.Decide(w.Fleet, w.Seen, w.Ledger, w.Now)
		b.StartTimer()
		a.Decide(fleet, w.Seen, w.Ledger, w.Now)
	}
}
