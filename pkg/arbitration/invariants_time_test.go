package arbitration_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
)

// timed draws a dressed world in which some end by themselves.
func timed(t *rapid.T) *scene {
	s := plain(t)
	s.timed = true
	return s.dressed()
}

// limitInTime lets every second application end by itself.
func (s *scene) limitInTime(app *model.Application) {
	if s.one(2) {
		for i := range app.Components {
			app.Components[i].Type = "job"
			if s.one(2) { // of the others it is learned
				app.Components[i].Expect = time.Duration(1+s.rng.IntN(60)) * time.Minute
			}
		}
	}
	if s.one(8) {
		app.Policy.Backfill = model.BackfillOff
	}
}

// end ends an application that runs and ends by itself.
func (s *scene) end() {
	var jobs []model.AppID
	for i := range s.Ledger.Instances {
		if inst := &s.Ledger.Instances[i]; inst.Phase.Active() && inst.Spec.Components[0].Finite() {
			jobs = append(jobs, inst.App)
		}
	}
	if len(jobs) == 0 {
		return
	}
	id := jobs[s.rng.IntN(len(jobs))]
	inst, _ := s.Ledger.Find(id)
	switch s.rng.IntN(4) {
	case 0: // it begins anew
		state := &inst.Components[0]
		state.State, state.Since, inst.Revision = []model.State{model.StateStarting, model.StateWaiting, model.StateFailed}[s.rng.IntN(3)], s.Now, model.Revision{}
		return
	case 1: // earlier runs come to light
		for range model.RuntimeLeast {
			inst.NoteRuntime(&inst.Spec.Components[0], time.Duration(1+s.rng.IntN(60))*time.Minute)
		}
		inst.Revision = model.Revision{}
		return
	}
	s.End(id)
}

// I41. Nobody passes an application that has a reservation and ends after it: what those hold that go on after the promised time,
// and what is promised until then, is there.
func nobodyPassesAndEndsAfter(t *rapid.T) {
	s := flat(t, rapid.IntRange(6, 16).Draw(t, "capacity"), rapid.Bool().Draw(t, "guarantees"), func() int { return 0 })
	s.Fleet.Platform.Policy.Preemption = rapid.SampledFrom([]model.Preemption{"none", "within-tenant", "reclaim", "any"}).Draw(t, "preemption")
	for range 12 {
		for range s.rng.IntN(4) {
			s.job(s.rng.IntN(len(s.Fleet.Tenants)), 1+s.rng.IntN(6), []int{20, 200, 200, 600}[s.rng.IntN(4)], s.rng.IntN(60))
		}
		if s.one(3) {
			s.end()
		}
		ruling, _ := s.Round()
		for _, d := range ruling.Decisions {
			if d.Starts == nil {
				continue
			}
			after := s.heldAfter(d.Starts.At)
			for _, o := range ruling.Decisions {
				if o.Starts != nil && !o.Starts.At.After(d.Starts.At) {
					after += s.app(o.App).Components[0].Requests.CPU
				}
			}
			if capacity := s.Seen.Pools[0].Capacity.CPU; after > capacity {
				t.Fatalf("%s was promised a start at %s, and then %dm of %dm are taken or promised", d.App, d.Starts.At, after, capacity)
			}
		}
		s.Now = s.Now.Add(time.Duration(1+s.rng.IntN(20)) * time.Minute)
	}
}

func TestNobodyPassesAndEndsAfter(t *testing.T) { holds(t, 3, nobodyPassesAndEndsAfter) }

// heldAfter is the CPU that those hold that are expected to go on after a time.
func (s *scene) heldAfter(at time.Time) (sum int64) {
	for i := range s.Ledger.Instances {
		inst := &s.Ledger.Instances[i]
		if !inst.Phase.Active() {
			continue
		}
		state, takes := &inst.Components[0], inst.Spec.Components[0].Expect
		end := state.Since.Add(takes)
		for takes > 0 && !end.After(s.Now) {
			takes *= 2
			end = state.Since.Add(takes)
		}
		if takes == 0 || end.After(at) {
			sum += state.Takes().CPU
		}
	}
	return sum
}

// job declares an application that ends by itself after so many minutes, 0: never.
func (s *scene) job(tenant, size, priority, minutes int) model.AppID {
	s.last++
	app := generate.App(fmt.Sprintf("tenant-%d", tenant), fmt.Sprintf("job-%03d", s.last), priority, 1, cpu(size), new(s.Fleet.Platform.Policy))
	if minutes > 0 {
		app.Components[0].Type, app.Components[0].Expect = "job", time.Duration(minutes)*time.Minute
	}
	s.Declare(app)
	return app.ID
}

// I41. Where all end when they are expected to, and nobody comes who is served earlier, nobody starts later than
// was promised when it was the first of its line: those that pass it cost it nothing.
func promisedStartsAreKept(t *rapid.T) {
	s := flat(t, rapid.IntRange(4, 12).Draw(t, "capacity"), false, func() int { return 0 })
	capacity := int(s.Seen.Pools[0].Capacity.CPU / 1000)
	promised := map[model.AppID]time.Time{}
	passed := 0
	for range 80 {
		if s.last < 25 && s.one(2) {
			minutes := 1 + s.rng.IntN(50)
			if s.one(8) && s.heldAfter(s.Now.Add(1000*time.Hour)) == 0 {
				minutes = 0 // one goes on for ever
			}
			s.job(0, 1+s.rng.IntN(capacity-1), 200, minutes)
		}
		ruling, changes := s.Round()
		for _, id := range changes.Admitted {
			if at, ok := promised[id]; ok && s.Now.After(at) {
				t.Fatalf("%s was promised a start at %s and started at %s", id, at, s.Now)
			}
		}
		for _, d := range ruling.Decisions {
			if at, ok := promised[d.App]; d.Starts != nil && (!ok || d.Starts.At.Before(at)) {
				promised[d.App] = d.Starts.At
			}
		}
		for _, id := range changes.Admitted {
			by, _ := ruling.Find(id)
			for _, d := range ruling.Decisions {
				switch _, ok := promised[d.App]; {
				case !ok || d.Verdict != model.VerdictWaiting:
				case cmp.Or(cmp.Compare(slices.Index(standings, by.Standing), slices.Index(standings, d.Standing)), by.App.Compare(d.App)) < 0:
					delete(promised, d.App) // it is served earlier
				default:
					passed++
				}
			}
		}
		next := s.Now.Add(time.Duration(1+s.rng.IntN(10)) * time.Minute)
		if end := s.nextEnd(); !end.IsZero() && end.Before(next) {
			next = end
		}
		s.Now = next
		s.endDue()
	}
	timesPassed += passed
}

// nextEnd is when the next of those that run is expected to end, zero: none is.
func (s *scene) nextEnd() (next time.Time) {
	for i := range s.Ledger.Instances {
		inst := &s.Ledger.Instances[i]
		if inst.Phase.Active() && inst.Spec.Components[0].Expect > 0 && len(inst.Components) > 0 && !inst.Components[0].Finished() {
			if end := inst.Components[0].Since.Add(inst.Spec.Components[0].Expect); next.IsZero() || end.Before(next) {
				next = end
			}
		}
	}
	return next
}

// endDue lets all end that are expected to have ended.
func (s *scene) endDue() {
	for i := range s.Ledger.Instances {
		inst := &s.Ledger.Instances[i]
		if inst.Phase.Active() && inst.Spec.Components[0].Expect > 0 && !s.Now.Before(inst.Components[0].Since.Add(inst.Spec.Components[0].Expect)) {
			s.End(inst.App)
		}
	}
}

// standings are the classes of applications, what is served first first.
var standings = []model.Standing{model.StandingWithinGuarantee, model.StandingWithinFairShare, model.StandingWithinSlack, model.StandingBorrowing}

// timesPassed is how often somebody was served before one that was promised a start.
var timesPassed int

func TestPromisedStartsAreKept(t *testing.T) {
	timesPassed = 0
	holds(t, 1, promisedStartsAreKept)
	t.Logf("%d times somebody was served before one that was promised a start", timesPassed)
	require.Positive(t, timesPassed)
}
