package arbitration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/follow"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/inside"
)

// large draws a world of a few tenants that share one pool, with applications of all sizes and priorities, some
// with a ladder, that may take what exceeds the fair share of their tenant after some minutes of waiting.
func large(t *rapid.T) *scene {
	s := flat(t, rapid.IntRange(8, 40).Draw(t, "capacity"), rapid.Bool().Draw(t, "guarantees"), func() int { return 0 })
	s.Fleet.Platform.Policy.Preemption = rapid.SampledFrom([]model.Preemption{"reclaim", "reclaim", "any"}).Draw(t, "preemption")
	s.Fleet.Platform.Policy.ReserveAfter = time.Minute
	for _, app := range slices.Clone(s.Fleet.Applications) {
		s.Remove(app.ID)
	}
	return s
}

// crowd lets an application come or go.
func (s *scene) crowd() {
	if n := len(s.Fleet.Applications); n > 3 && s.one(4) {
		s.Remove(s.Fleet.Applications[s.rng.IntN(n)].ID)
		return
	}
	capacity := int(s.Seen.Pools[0].Capacity.CPU / 1000)
	most := []int{2, 4, capacity / 2, capacity}[s.rng.IntN(4)]
	id := s.job(s.rng.IntN(len(s.Fleet.Tenants)), 1+s.rng.IntN(most), []int{20, 200, 200, 300, 600}[s.rng.IntN(5)], 0)
	app := s.app(id)
	app.Policy = new(*app.Policy)
	app.Policy.ReserveAfter = time.Duration(s.rng.IntN(4)) * time.Minute
	if s.one(3) {
		main := &app.Components[0]
		main.Replicas, main.Degrade = 1+s.rng.IntN(3), &model.Degrade{MinReplicas: 1}
	}
	*app = app.Seal()
}

// I43. Who may take what exceeds the fair share of its tenant takes only after it has waited for reserveAfter. It is told before when and of
// whom, and takes so if nothing else happens until then. Each such exchange makes what runs rank better, so everything comes to
// rest, and an arbiter that remembers takes at the same time.
func TestTakingIsToldAndKept(t *testing.T) {
	taken, kept := 0, 0
	holds(t, 2, func(t *rapid.T) {
		s := large(t)
		arbiter := follow.Silent(arbitration.Solve)
		for range 8 {
			s.crowd()
			s.crowd()
			told := map[model.AppID]*model.Taking{}
			for round, moves := 0, true; moves || len(told) > 0; round++ {
				if round > 2*len(s.Fleet.Applications)+12 {
					t.Fatalf("something still moves after %d rounds", round)
				}
				before, since := s.inside().Running(), s.waiting()
				fleet, seen, ledger := s.inputs()
				want := s.Decide()
				if diff := differing(essence(want), essence(arbiter.Decide(fleet, seen, ledger, s.Now))); diff != "" {
					t.Fatal(diff)
				}
				moves = !s.Apply(want).None()
				after := s.inside().Running()
				for id, by := range told {
					if d, _ := want.Find(id); !by.At.After(s.Now) && len(d.Displaced) == 0 && !s.elseHappens(want, id, since) {
						t.Fatalf("%s was told that it may take at %s: %s", id, by.At, d.Message)
					}
				}
				for _, d := range want.Decisions {
					if !takesBeyond(&d) {
						continue
					}
					taken++
					if at, ok := since[d.App]; !ok || s.Now.Before(at.Add(s.app(d.App).Policy.ReserveAfter)) {
						t.Fatalf("%s takes, and waits since %s only", d.App, at)
					}
					if !inside.Improves(after, before) {
						t.Fatalf("%s takes, and what runs does not rank better", d.App)
					}
					if by := told[d.App]; by != nil && !s.elseHappens(want, d.App, since) {
						kept++
						if !slices.Equal(by.From, displaced(&d)) || !by.At.Equal(s.Now) {
							t.Fatalf("%s was told %+v and takes from %v at %s", d.App, by, displaced(&d), s.Now)
						}
					}
				}
				clear(told)
				for _, d := range want.Decisions {
					if d.Takes != nil && d.Takes.From != nil && !moves {
						told[d.App] = d.Takes
					}
				}
				s.Now = s.Now.Add(time.Minute)
			}
		}
	})
	t.Logf("%d took beyond the fair share of their tenant, %d as they had been told", taken, kept)
	require.Positive(t, kept)
}

// takesBeyond reports whether an application takes what exceeds the fair share of its tenant.
func takesBeyond(d *model.Decision) bool {
	return d.Verdict == model.VerdictGranted && slices.ContainsFunc(d.Displaced, func(v model.Displacement) bool { return strings.Contains(v.Why, "it has waited for") })
}

// elseHappens reports whether in a ruling somebody else takes something, or has just waited for long enough for something to be kept for it.
func (s *scene) elseHappens(r model.Ruling, id model.AppID, since map[model.AppID]time.Time) bool {
	return slices.ContainsFunc(r.Decisions, func(d model.Decision) bool {
		at, waits := since[d.App]
		return d.App != id && (len(d.Displaced) > 0 || waits && at.Add(s.app(d.App).Policy.ReserveAfter).Equal(s.Now))
	})
}

// displaced are those that give way for an application.
func displaced(d *model.Decision) (ids []model.AppID) {
	for _, v := range d.Displaced {
		ids = append(ids, v.App)
	}
	return ids
}

// waiting is since when everybody waits who does.
func (s *scene) waiting() map[model.AppID]time.Time {
	all := map[model.AppID]time.Time{}
	for i := range s.Ledger.Instances {
		if inst := &s.Ledger.Instances[i]; inst.Phase == model.PhaseAdmitted {
			all[inst.App] = inst.Since
		}
	}
	return all
}

// An arbiter that remembers tells the same as one that does not of when and of whom each may take, where so many exceed the fair share of their
// tenant that they take turns; and all are told when from the first pass in which they wait.
func TestTurnsFollowFromWhatChanges(t *testing.T) {
	inTurn := 0
	holds(t, 1, func(t *rapid.T) {
		s := many(t)
		arbiter := follow.Silent(arbitration.Solve)
		for range 6 {
			for range s.rng.IntN(3) {
				if s.one(3) {
					s.Remove(s.Fleet.Applications[s.rng.IntN(len(s.Fleet.Applications))].ID)
				} else {
					s.job(1+s.rng.IntN(len(s.Fleet.Tenants)-1), 9+s.rng.IntN(3), 200, 0)
				}
			}
			fleet, seen, ledger := s.inputs()
			want := s.Decide()
			if diff := differing(essence(want), essence(arbiter.Decide(fleet, seen, ledger, s.Now))); diff != "" {
				t.Fatal(diff)
			}
			has := map[string]bool{}
			for _, d := range want.Decisions {
				has[d.App.Tenant] = has[d.App.Tenant] || d.Verdict == model.VerdictGranted
			}
			for _, d := range want.Decisions {
				if d.Verdict == model.VerdictWaiting && d.Position == 1 && !has[d.App.Tenant] && d.Takes == nil {
					t.Fatalf("%s is not told when it may take: %s", d.App, d.Message)
				}
				if d.Takes != nil && d.Takes.Within > 0 {
					inTurn++
				}
			}
			s.Apply(want)
			s.Now = s.Now.Add(time.Duration(s.rng.IntN(40)) * time.Second)
		}
	})
	t.Logf("%d times somebody was told when it may take before it was worked out of whom", inTurn)
	require.Positive(t, inTurn)
}

// many draws a world in which one tenant has everything, and some dozens wait for more than their fair share each.
func many(t *rapid.T) *scene {
	tenants := rapid.IntRange(22, 45).Draw(t, "waiting")
	s := flat(t, 8*tenants, false, func() int { return 1 })
	for _, app := range slices.Clone(s.Fleet.Applications) {
		s.Remove(app.ID)
	}
	policy := s.Fleet.Platform.Policy
	policy.ReserveAfter = time.Minute
	s.Fleet.Platform.Policy, s.Fleet.Tenants = policy, nil
	for i := range tenants + 1 {
		s.Fleet.Tenants = append(s.Fleet.Tenants, model.Tenant{Name: fmt.Sprintf("tenant-%d", i), Weight: 1, PriorityCeiling: 1000, Policy: policy})
	}
	for range 2 * tenants {
		s.job(0, 4, 200, 0)
	}
	s.Round()
	for i := range tenants {
		s.job(i+1, 9+s.rng.IntN(3), 200, 0)
	}
	return s
}
