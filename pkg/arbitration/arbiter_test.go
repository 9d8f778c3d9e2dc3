package arbitration_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/follow"
	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
)

// TestDecidingWhatChangedIsDecidingEverything: an arbiter that remembers rules
// as one that does not, after every one of many random changes, and does decide
// what changed instead of everything in most passes.
func TestDecidingWhatChangedIsDecidingEverything(t *testing.T) {
	decidingWhatChanged(t, 10, dressed, follow.Silent, arbitration.Rule)
}

// TestDecidingWhatChangedIsDecidingEverythingInTime: the same where some end by themselves.
func TestDecidingWhatChangedIsDecidingEverythingInTime(t *testing.T) {
	decidingWhatChanged(t, 2, timed, follow.Silent, arbitration.Rule)
}

// TestAdvisingWhatChangedIsAdvisingEverything: the same with advice, and while room is promised.
func TestAdvisingWhatChangedIsAdvisingEverything(t *testing.T) {
	for _, draw := range []func(*rapid.T) *scene{dressed, timed} {
		decidingWhatChanged(t, 1, func(t *rapid.T) *scene {
			s := draw(t)
			s.limitPools()
			return s
		}, follow.New, arbitration.Decide)
	}
}

func decidingWhatChanged(t *testing.T, hundreds int, draw func(*rapid.T) *scene, arbiter func(func(solve.Inputs) *solve.Case) *follow.Arbiter,
	decide func(model.Fleet, model.Observation, model.Ledger, time.Time) model.Ruling) {
	paths := map[string]*[2]int{} // by kind of edit: how often everything was decided, and less than that
	holds(t, hundreds, func(t *rapid.T) {
		s := draw(t)
		remembering := newWatched(arbiter)
		kind := "at first"
		var last []model.Decision
		for range 10 {
			fleet, seen, ledger := s.inputs()
			anew := remembering.anew
			before := essenceByApp(last)
			got, want := remembering.Decide(fleet, seen, ledger, s.Now), decide(fleet, seen, ledger, s.Now)
			if diff := differing(essence(want), essence(got)); diff != "" {
				t.Fatalf("%s: %s", kind, diff)
			}
			require.Equal(t, want.PastUse, got.PastUse, kind)
			for i := range got.Decisions { // what is news is told as it is now, word for word
				d, w := &got.Decisions[i], &want.Decisions[i]
				old, known := before[d.App]
				now := essenceOf(d)
				old.Advice, old.Advised, now.Advice, now.Advised = nil, nil, nil, nil
				if (!known || model.DigestOf(old) != model.DigestOf(now)) && model.DigestOf(momentless(d)) != model.DigestOf(momentless(w)) {
					t.Fatalf("%s: %s is told as\n%s\nand would be\n%s", kind, d.App, told(d), told(w))
				}
			}
			last = slices.Clone(got.Decisions)
			s.Ledger.Decisions = last // as the loop saves them; where it cannot, it has the arbiter forget
			if paths[kind] == nil {
				paths[kind] = &[2]int{}
			}
			if remembering.anew > anew {
				paths[kind][0]++
			} else {
				paths[kind][1]++
			}
			kind = s.edit(func() model.Ruling { return got })
		}
	})
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(paths)) {
		n := paths[kind]
		t.Logf("%-24s everything %5d  less %5d", kind, n[0], n[1])
		total += n[1]
		if everything := []string{"at first", "platform", "guarantee", "capacity", "more capacity", "quota", "weight", "unusable"}; !slices.Contains(everything, kind) {
			require.Greater(t, n[1], n[0], "%s: decides everything more often than what changed", kind)
		}
	}
	require.Greater(t, total, 3*paths["at first"][0], "it hardly ever decides what changed only")
}

// watched is an arbiter that counts how often it decides everything.
type watched struct {
	*follow.Arbiter
	given solve.Inputs
	anew  int
}

// newWatched counts the arbitrations of the inputs that the arbiter was given. The others
// verify what would admit an application, with changed inputs.
func newWatched(arbiter func(func(solve.Inputs) *solve.Case) *follow.Arbiter) *watched {
	w := &watched{}
	w.Arbiter = arbiter(func(in solve.Inputs) *solve.Case {
		if reflect.DeepEqual(in, w.given) {
			w.anew++
		}
		return arbitration.Solve(in)
	})
	return w
}

func (w *watched) Decide(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) model.Ruling {
	w.given = solve.Inputs{Fleet: fleet, Seen: seen, Ledger: ledger, Now: now}
	return w.Arbiter.Decide(fleet, seen, ledger, now)
}

// inputs are copies of what arbitration is told, which nothing changes later.
func (s *scene) inputs() (model.Fleet, model.Observation, model.Ledger) {
	c := s.clone()
	for i := range c.Ledger.Instances {
		inst := &c.Ledger.Instances[i]
		inst.Components, inst.History = slices.Clone(inst.Components), slices.Clone(inst.History)
	}
	c.Ledger.Decisions = slices.Clone(c.Ledger.Decisions)
	return c.Fleet, c.Seen, c.Ledger
}

// edit lets one thing happen of all that can, and says what. Ruling returns the one that comes true, if that happens.
func (s *scene) edit(ruling func() model.Ruling) string {
	s.Now = s.Now.Add(time.Duration(s.rng.IntN(3)) * time.Second)
	if len(s.Fleet.Applications) == 0 {
		s.arrive()
		return "arrival"
	}
	if s.timed && s.one(3) {
		s.end()
		return "end"
	}
	if s.past && s.one(3) {
		s.use()
		return "past use"
	}
	some := func() *model.Application { return s.Fleet.Applications[s.rng.IntN(len(s.Fleet.Applications))] }
	tenant := &s.Fleet.Tenants[s.rng.IntN(len(s.Fleet.Tenants))]
	switch s.rng.IntN(17) {
	case 0, 1, 2, 3:
		s.carryOut(ruling(), 0)
		return "ruling comes true"
	case 4:
		s.carryOut(ruling(), time.Minute)
		s.arrive()
		return "both"
	case 5:
		s.arrive()
		return "arrival"
	case 6:
		s.Remove(some().ID)
		return "departure"
	case 7:
		old := some().ID
		app := s.dressUp(s.shape.Application(s.rng, old.Name, new(generate.Policy(s.shape.Preemption))))
		app.ID = old
		s.Declare(app)
		return "newer spec"
	case 8:
		app := *some()
		app.Priority = []int{20, 60, 150, 250, 550}[s.rng.IntN(5)]
		s.Declare(app)
		return "priority"
	case 9, 10:
		q := &s.Seen.Pools[s.rng.IntN(len(s.Seen.Pools))]
		if s.rng.IntN(3) == 0 {
			q.Capacity.CPU = int64(2+s.rng.IntN(14)) * 1000
			return "capacity"
		}
		q.Capacity.CPU += int64(s.rng.IntN(4)) * 500
		q.Capacity.Memory += int64(s.rng.IntN(4)) << 29
		return "more capacity"
	case 11:
		tenant.Quota = &model.Resources{CPU: int64(1+s.rng.IntN(8)) * 1000, Memory: int64(1+s.rng.IntN(8)) << 30}
		tenant.MaxApplications = s.rng.IntN(4)
		return "quota"
	case 12:
		tenant.Weight = 1 + s.rng.IntN(4)
		return "weight"
	case 13:
		switch s.rng.IntN(3) {
		case 0:
			tenant.Guarantee.CPU = int64(s.rng.IntN(4)) * 1000
			return "guarantee"
		case 1:
			s.Fleet.Platform.Policy.Preemption = []model.Preemption{"none", "within-tenant", "reclaim", "any"}[s.rng.IntN(4)]
			return "platform"
		}
		app := *some()
		s.Remove(app.ID)
		s.Fleet.Unusable = append(slices.Clone(s.Fleet.Unusable), model.Unusable{App: app.ID, Code: "DA1001", Message: "does not parse"})
		return "unusable"
	case 14:
		inst := &s.Ledger.Instances[s.rng.IntN(len(s.Ledger.Instances))]
		if len(inst.Components) > 0 {
			inst.Components[0].State = []model.State{model.StateStarting, model.StateReady}[s.rng.IntN(2)]
		}
		return "readiness"
	case 15:
		s.EndRun(s.Ledger.Instances[s.rng.IntN(len(s.Ledger.Instances))].App)
		return "workflow"
	}
	s.Now = s.Now.Add(time.Duration(1+s.rng.IntN(40)) * time.Minute)
	return "time"
}

// differing tells the first difference of two rulings.
func differing(want, got []model.Decision) string {
	for i := range min(len(want), len(got)) {
		if model.DigestOf(want[i]) != model.DigestOf(got[i]) {
			return fmt.Sprintf("anew: %s\nremembering: %s", told(&want[i]), told(&got[i]))
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("anew %d decisions, remembering %d", len(want), len(got))
	}
	return ""
}

// essence is a ruling without the words that tell of the moment.
func essence(r model.Ruling) []model.Decision {
	out := make([]model.Decision, len(r.Decisions))
	for i := range r.Decisions {
		out[i] = essenceOf(&r.Decisions[i])
	}
	return out
}

// momentless is a decision without the moments of its advice: a ruling that was not saved is the same ruling later.
func momentless(d *model.Decision) model.Decision {
	same := *d
	if d.Advised != nil {
		same.Advised = new(*d.Advised)
		same.Advised.At, same.Advised.Checked = time.Time{}, time.Time{}
	}
	return same
}

func essenceOf(d *model.Decision) model.Decision {
	advised := momentless(d).Advised
	return model.Decision{App: d.App, Verdict: d.Verdict, Reason: d.Reason, Spec: d.Spec, Degraded: d.Degraded, Position: d.Position,
		Grants: d.Grants, Refused: d.Refused, EvictAt: d.EvictAt, Starts: d.Starts, Takes: d.Takes, Standing: d.Standing, For: d.For, Advice: d.Advice, Advised: advised}
}

func essenceByApp(decisions []model.Decision) map[model.AppID]model.Decision {
	all := map[model.AppID]model.Decision{}
	for i := range decisions {
		all[decisions[i].App] = essenceOf(&decisions[i])
	}
	return all
}

// told is a decision as it is recorded.
func told(d *model.Decision) string {
	b, _ := json.MarshalIndent(d, "", " ")
	return string(b)
}

// BenchmarkArrival is one more application where many wait.
func BenchmarkArrival(b *testing.B) {
	w := generate.LargeScale.World()
	w.Round()
	w.Now = w.Now.Add(time.Second)
	w.Round()
	a := follow.New(arbitration.Solve)
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
		a = follow.New(arbitration.Solve)
		a.Decide(w.Fleet, w.Seen, w.Ledger, w.Now)
		b.StartTimer()
		a.Decide(fleet, w.Seen, w.Ledger, w.Now)
	}
}
