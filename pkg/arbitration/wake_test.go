package arbitration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/follow"
	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/story"
)

// TestWhatWakesWhom: a/new waits or is refused, something happens, and an arbiter
// that decides only what changed wakes it, as deciding everything would.
func TestWhatWakesWhom(t *testing.T) {
	gone := func(names ...string) func(*story.Story) {
		return func(s *story.Story) {
			for _, name := range names {
				id, err := model.ParseAppID(name)
				require.NoError(t, err)
				s.Remove(id)
			}
		}
	}
	for _, c := range []struct {
		name, situation string
		happens         func(*story.Story)
		verdict         model.Verdict
		everything      bool // a pool or a tenant changes
	}{
		{"another goes and leaves room", `
policy preemption=none
pool general cpu=4
tenant a
tenant b
runs b/1 size=3
asks a/new size=2`, gone("b/1"), model.VerdictGranted, false},
		{"another goes and leaves too little", `
policy preemption=none
pool general cpu=4
tenant a
tenant b
runs b/1 b/2 size=1
runs b/3 size=2
asks a/new size=2`, gone("b/1"), model.VerdictWaiting, false},
		{"another goes and with what its own tenant gives up it is enough", `
policy preemption=within-tenant
pool general cpu=6
tenant a guarantee=6
tenant b
runs a/low size=2
runs b/1 b/2 size=2
asks a/new size=4 priority=300`, gone("b/1"), model.VerdictGranted, false},
		{"another goes and with what others give up it is enough", `
policy preemption=any
pool general cpu=6
tenant a
tenant b weight=10
tenant c
runs c/low size=2
runs b/1 b/2 size=2 priority=600
asks b/large size=6 priority=600
asks a/new size=4 priority=600`, gone("b/1"), model.VerdictGranted, false},
		{"a pool grows", `
pool general cpu=4
tenant a
runs a/1 size=3
asks a/new size=2`, func(s *story.Story) { s.Seen.Pools[0].Capacity.CPU += 1000 }, model.VerdictGranted, true},
		{"a pool grows to what it asks for at the least", `
pool general cpu=4
tenant a
asks a/new size=5`, func(s *story.Story) { s.Seen.Pools[0].Capacity.CPU += 1000 }, model.VerdictGranted, true},
		{"quota is raised", `
pool general cpu=8
tenant a quota=4
runs a/1 size=3
asks a/new size=2`, func(s *story.Story) { s.Fleet.Tenants[0].Quota = &model.Resources{CPU: 5000, Memory: 1 << 40} }, model.VerdictGranted, true},
		{"one that counts against the same quota goes", `
pool general cpu=8
tenant a quota=4
runs a/1 size=3
asks a/new size=2`, gone("a/1"), model.VerdictGranted, false},
		{"weight raises its fair share", `
policy preemption=reclaim
pool general cpu=6
tenant a
tenant b
runs b/1 b/2 b/3 size=1
runs b/4 b/5 b/6 size=1
asks a/new size=4`, func(s *story.Story) { s.Fleet.Tenants[0].Weight = 3 }, model.VerdictGranted, true},
		{"another goes and leaves room for what ends before the first of the line starts, and not for the one before it", `
policy preemption=none
pool general cpu=10
tenant a
runs a/1 size=6 expect=60m began=1m
runs a/2 size=4 expect=60m began=1m
asks a/first size=10 priority=300
asks a/long size=4 expect=120m
asks a/new size=4 expect=30m`, gone("a/2"), model.VerdictGranted, false},
		{"it has waited for long enough to be kept room for, and the next that goes leaves the rest", `
policy reserveAfter=5m
pool general cpu=4
tenant a
tenant b
runs b/1 b/2 size=2
asks a/new size=4`, func(s *story.Story) {
			s.Remove(model.AppID{Tenant: "b", Name: "1"}, model.AppID{Tenant: "b", Name: "2"})
		}, model.VerdictGranted, false},
		{"the other has run for long enough", `
policy preemption=reclaim minRuntime=30m
pool general cpu=4
tenant a guarantee=4
tenant b
runs b/1 size=4
asks a/new size=4`, func(s *story.Story) {}, model.VerdictGranted, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := story.Read(c.situation)
			require.NoError(t, err)
			if inst, ok := s.Ledger.Find(model.AppID{Tenant: "b", Name: "1"}); ok { // it has just begun
				inst.History = []model.Transition{{At: s.Now, Instance: 1, From: model.PhaseAdmitted, To: model.PhaseScheduled}}
			}
			at := &scene{World: s.World}
			arbiter := newWatched(follow.Silent)
			rule := func() model.Ruling {
				fleet, seen, ledger := at.inputs()
				ruling := arbiter.Decide(fleet, seen, ledger, s.Now)
				require.Empty(t, differing(essence(s.Decide()), essence(ruling)))
				return ruling
			}
			for range 3 {
				s.Apply(rule())
			}
			waits := rule()
			d, _ := waits.Find(model.AppID{Tenant: "a", Name: "new"})
			require.NotEqual(t, model.VerdictGranted, d.Verdict, d.Message)
			anew := arbiter.anew
			if c.happens(s); c.name == "the other has run for long enough" {
				s.Now = s.Now.Add(time.Hour)
			}
			ruling := rule()
			d, _ = ruling.Find(model.AppID{Tenant: "a", Name: "new"})
			require.Equal(t, c.verdict, d.Verdict, d.Message)
			if !c.everything {
				require.Equal(t, anew, arbiter.anew, "it decided everything anew")
			}
		})
	}
}

// TestThoseWhoAreNotConcernedKeepTheirDecision: with its words and its inputs.
func TestThoseWhoAreNotConcernedKeepTheirDecision(t *testing.T) {
	s, err := story.Read(`
policy preemption=none
pool general cpu=4
tenant a
tenant b
runs b/1 size=3
asks a/new size=2
asks a/next size=2
asks b/large size=4`)
	require.NoError(t, err)
	at := &scene{World: s.World}
	arbiter := follow.Silent(arbitration.Solve)
	rule := func() model.Ruling {
		fleet, seen, ledger := at.inputs()
		return arbiter.Decide(fleet, seen, ledger, s.Now)
	}
	before := rule()
	was, _ := before.Find(model.AppID{Tenant: "b", Name: "large"})
	kept := *was
	s.Fleet.Commit = "another"
	s.Remove(model.AppID{Tenant: "a", Name: "new"})
	ruling := rule()
	d, _ := ruling.Find(model.AppID{Tenant: "b", Name: "large"})
	require.Equal(t, kept, *d)
	next, _ := ruling.Find(model.AppID{Tenant: "a", Name: "next"})
	require.Equal(t, 1, next.Position)
	require.Contains(t, next.Message, "number 1 in the line of its tenant; it needs 2 cpu")
}

// Who is promised a start in every pass is listed once, however many passes that are.
func TestPromisedAreListedOnce(t *testing.T) {
	s, err := story.Read(`
		policy preemption=none
		pool general cpu=8
		tenant acme
		runs acme/train size=6 expect=100m began=10m
		asks acme/large size=8`)
	require.NoError(t, err)
	var last *solve.Case
	arbiter := follow.Silent(func(in solve.Inputs) *solve.Case {
		last = arbitration.Solve(in)
		return last
	})
	for range 5 {
		s.Apply(arbiter.Decide(s.Fleet, s.Seen, s.Ledger, s.Now))
		s.Now = s.Now.Add(time.Second)
		require.LessOrEqual(t, len(last.Promised), 2) // before and after it was read again
	}
}
