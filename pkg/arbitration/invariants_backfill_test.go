package arbitration_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// stream is a stream of jobs of one tenant that all end when they are expected to. The tenant has no weight, so that all stand alike and who comes first
// is served first: who stands better may take the place of one that was promised a start.
type stream struct {
	capacity int
	seed     uint64
	jobs     int
}

// played is when the jobs of a stream came and started.
type played struct {
	came, starts, first map[model.AppID]time.Time // first: the start that was promised when a job became the first of its line
}

// play lets the jobs come and end, in one line with or without backfill.
func (g stream) play(t *rapid.T, backfill model.Backfill) *played {
	policy := generate.Policy("reclaim")
	policy.Backfill = backfill
	w := world.New(model.Platform{Name: "stream", Policy: policy, Bands: generate.Bands})
	w.AddPool(model.Pool{Name: "pool-0", Nodes: 1, Capacity: cpu(g.capacity)})
	w.Fleet.Tenants = append(w.Fleet.Tenants, model.Tenant{Name: "tenant-0", PriorityCeiling: 1000, Policy: policy})
	s := &scene{World: w, rng: rand.New(rand.NewPCG(g.seed, 41))}
	p := &played{came: map[model.AppID]time.Time{}, starts: map[model.AppID]time.Time{}, first: map[model.AppID]time.Time{}}
	arrives := s.Now
	for len(p.starts) < g.jobs {
		for ; s.last < g.jobs && !arrives.After(s.Now); arrives = arrives.Add(time.Duration(s.rng.IntN(12)) * time.Minute) {
			p.came[s.job(0, 1+s.rng.IntN(g.capacity), 200, 1+s.rng.IntN(50))] = s.Now
		}
		for moves := true; moves; {
			ruling, changes := s.Round()
			moves = !changes.None()
			for _, id := range changes.Admitted {
				p.starts[id] = s.Now
			}
			for _, d := range ruling.Decisions {
				switch _, known := p.first[d.App]; {
				case d.Starts != nil && !known:
					p.first[d.App] = d.Starts.At
				case d.Starts == nil && known && d.Verdict == model.VerdictWaiting:
					t.Fatalf("%s was promised a start and is promised none any more: %s", d.App, d.Message)
				}
			}
		}
		next := s.nextEnd()
		if s.last < g.jobs && (next.IsZero() || arrives.Before(next)) {
			next = arrives
		}
		if next.IsZero() && len(p.starts) < g.jobs {
			t.Fatalf("%d of %d jobs never start", g.jobs-len(p.starts), g.jobs)
		}
		s.Now = next
		s.endDue()
	}
	return p
}

// TestNoReservedStartIsLater: with backfill no job starts later than it was promised when it became the first of its line. Against the run
// without backfill each job is compared with itself, and what comes out is printed: most start as early or earlier, and some later.
func TestNoReservedStartIsLater(t *testing.T) {
	var earlier, equal, later, heads, headsLater int
	var sooner time.Duration
	holds(t, 1, func(t *rapid.T) {
		g := stream{capacity: rapid.IntRange(4, 12).Draw(t, "capacity"), seed: rapid.Uint64().Draw(t, "seed"), jobs: rapid.IntRange(5, 25).Draw(t, "jobs")}
		with, without := g.play(t, model.BackfillReserve), g.play(t, model.BackfillOff)
		require.Equal(t, with.came, without.came)
		for id, at := range with.starts {
			than := without.starts[id]
			sooner += than.Sub(at)
			switch at.Compare(than) {
			case -1:
				earlier++
			case 0:
				equal++
			default:
				later++
			}
			told, head := with.first[id]
			if !head {
				continue
			}
			if heads++; at.After(told) {
				t.Fatalf("%s was promised a start at %s when it became the first of its line, and starts at %s", id, told, at)
			}
			if at.After(than) {
				headsLater++
			}
		}
	})
	n := earlier + equal + later
	t.Logf("of %d jobs %d start earlier than without backfill, %d at the same time, %d later, %s sooner on the average", n, earlier, equal, later, sooner/time.Duration(n))
	t.Logf("%d were promised a start and none starts later than that, %d of them later than without backfill", heads, headsLater)
	require.Positive(t, heads)
	require.Greater(t, earlier, later)
}
