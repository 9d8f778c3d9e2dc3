package turn_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/test/arbitration/generate"
)

const cores = 20

// shared is a fleet in which tenants of equal weight share twenty cores, turn after turn.
type shared struct {
	turn.Case
	writes, evicted int
}

func newShared(half time.Duration, tenants ...string) *shared {
	policy := generate.Policy("reclaim")
	platform := &model.Platform{Name: "shared", Policy: policy, Bands: generate.Bands, HalfLife: half,
		Pools: []model.PoolSpec{{Name: "pool", OS: []string{"linux"}, Runtimes: []string{"container"}}}}
	s := &shared{Case: turn.Case{Fleet: model.Fleet{Commit: "c0ffee", Platform: platform}, Now: now, Series: turn.Series{Decide: arbitration.Rule}}}
	for _, name := range tenants {
		s.Fleet.Tenants = append(s.Fleet.Tenants, model.Tenant{Name: name, Weight: 1, PriorityCeiling: 1000, Policy: policy})
	}
	cpu := model.Resources{CPU: cores * 1000}
	s.Seen.Pools = []model.Pool{{Name: "pool", Nodes: 1, Capacity: cpu, Largest: cpu}}
	return s
}

// asks declares twenty applications of a core each.
func (s *shared) asks(tenant string) {
	for i := range cores {
		app := generate.App(tenant, fmt.Sprintf("app-%02d", i), 200, 1, model.Resources{CPU: 1000}, new(s.Fleet.Platform.Policy))
		app = app.Seal()
		s.Fleet.Applications = append(s.Fleet.Applications, &app)
	}
}

// takes takes turns, step apart.
func (s *shared) takes(turns int, step time.Duration) {
	for range turns {
		s.Now = s.Now.Add(step)
		s.Seen.Workloads = turn.AsStarted(&s.Ledger)
		out := turn.Take(s.Case)
		for i := range out.Ruling.Decisions {
			if out.Ruling.Decisions[i].Verdict == model.VerdictEvicted {
				s.evicted++
			}
		}
		if out.Next.PastUse != s.Ledger.PastUse {
			s.writes++
		}
		s.Ledger = out.Next
	}
}

// holds are the cores that a tenant has.
func (s *shared) holds(tenant string) int {
	return int(model.UsageByTenant(&s.Ledger)[tenant].Granted.CPU / 1000)
}

// TestWhoCameLateConverges: a tenant had everything for long, and then another one comes. Within three half-lives both
// have had the same, to a sixteenth of all capacity, and share alike. With equal weights, the difference would be an eighth then.
func TestWhoCameLateConverges(t *testing.T) {
	half := 168 * time.Hour
	s := newShared(half, "early", "late")
	s.asks("early")
	s.takes(60, half/8)
	require.Equal(t, cores, s.holds("early"))
	require.GreaterOrEqual(t, s.Ledger.PastOf("early").Used, 990)
	require.Equal(t, 2000, s.Ledger.PastOf("late").Scaled)

	s.asks("late")
	s.takes(3, time.Minute)
	require.GreaterOrEqual(t, s.holds("late"), cores*3/4, "half the weight against twice")
	s.takes(3*32, half/32)
	early, late := s.Ledger.PastOf("early"), s.Ledger.PastOf("late")
	t.Logf("after three half-lives early had %d, late %d thousandths on average, and they have %d and %d cores; %d were evicted", early.Used, late.Used, s.holds("early"), s.holds("late"), s.evicted)
	require.LessOrEqual(t, early.Used-late.Used, 1000/16)
	require.InDelta(t, s.holds("early"), s.holds("late"), 2)
	require.LessOrEqual(t, s.evicted, cores*3/2, "they come to rest")
	s.takes(3*16, half/16)
	require.InDelta(t, s.Ledger.PastOf("early").Used, s.Ledger.PastOf("late").Used, 1000/16)
	before := s.evicted
	s.takes(6*16, half/16)
	require.Equal(t, before, s.evicted, "nothing moves any more")
}

// TestPastUseIsWrittenSeldom: with a turn in which somebody gets or loses something, else at most 64 times in a half-life,
// and not at all where there is nothing new to say.
func TestPastUseIsWrittenSeldom(t *testing.T) {
	half := 64 * time.Hour
	s := newShared(half, "a", "b")
	s.takes(10, time.Minute)
	require.Equal(t, 1, s.writes, "once, to begin with")
	s.takes(100, time.Hour)
	require.Equal(t, 1, s.writes, "nobody has anything")
	began := s.Now
	s.asks("a")
	s.takes(1, time.Minute)
	require.Equal(t, 2, s.writes)
	require.Empty(t, s.Ledger.PastUse.Nodes, "it had nothing until now")
	require.True(t, s.Ledger.PastUse.At.After(began))
	s.takes(59, time.Minute)
	require.Equal(t, 2, s.writes)
	s.takes(10*60, time.Minute)
	require.Equal(t, 12, s.writes)
	require.InDelta(t, 1000*(1-0.8973), s.Ledger.PastOf("a").Used, 2) // 2^(-10/64)

	// A clock that jumps: back nothing is lost, and time counts on from there.
	used := s.Ledger.PastOf("a").Used
	s.takes(1, -1000*time.Hour)
	require.Equal(t, 13, s.writes)
	require.Equal(t, used, s.Ledger.PastOf("a").Used)
	s.takes(60, time.Minute)
	require.Greater(t, s.Ledger.PastOf("a").Used, used)

	// Who leaves leaves a trace, and it goes.
	writes := s.writes
	for i, app := range s.Fleet.Applications {
		ended := *app
		ended.Desired = model.DesiredTerminated
		s.Fleet.Applications[i] = new(ended.Seal())
	}
	s.takes(3, time.Second)
	require.Zero(t, s.holds("a"))
	require.Greater(t, s.writes, writes)
	used = s.Ledger.PastOf("a").Used
	s.takes(64, time.Hour)
	require.InDelta(t, used/2, s.Ledger.PastOf("a").Used, 2)

	s.Fleet.Platform = new(*s.Fleet.Platform)
	s.Fleet.Platform.HalfLife = 0
	s.takes(1, time.Minute)
	require.Nil(t, s.Ledger.PastUse, "off is off")
}

// TestPastUseChangedByHand: it counts for nothing, which is said for a half-life, and is learned anew.
func TestPastUseChangedByHand(t *testing.T) {
	half := 2 * time.Hour
	s := newShared(half, "a", "b")
	s.asks("a")
	s.takes(30, half/8)
	edited := *s.Ledger.PastUse
	edited.Nodes = slices.Clone(edited.Nodes)
	edited.Nodes[0].Used /= 2
	s.Ledger.PastUse = &edited
	told := func() (codes []string) {
		for _, p := range s.Ledger.Problems {
			codes = append(codes, p.Code)
		}
		return codes
	}
	s.takes(1, time.Minute)
	require.Equal(t, []string{model.CodePastUseChanged}, told())
	require.Contains(t, s.Ledger.Problems[0].Message, "learned anew since")
	require.True(t, s.Ledger.PastUse.Intact())
	require.Zero(t, s.Ledger.PastOf("a").Used)
	s.takes(60, time.Minute)
	require.Equal(t, []string{model.CodePastUseChanged}, told())
	require.InDelta(t, 293, s.Ledger.PastOf("a").Used, 20)
	s.takes(70, time.Minute)
	require.Empty(t, told())
}
