package arbitration_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/inside"
)

// I21. Everything comes to rest, those that were evicted being declared still, and
// at rest the same ruling comes again. It is narrower than rest after one ruling:
// what somebody gave up beyond what was needed is given to others in the next one.
func TestEverythingComesToRest(t *testing.T) { holds(t, 5, everythingComesToRest) }

func everythingComesToRest(t *rapid.T) {
	s := dressed(t).lived(t)
	s.rest(t)
	first := s.Decide()
	if _, changes := s.step(time.Hour); !changes.None() {
		t.Fatalf("at rest, and then %v", changes)
	}
	second := s.Decide()
	if x, y := model.DigestOf(essence(first)), model.DigestOf(essence(second)); x != y {
		t.Fatal("at rest, and another ruling")
	}
}

// I22. Nothing cycles, whatever happens: after each event everything comes to rest
// within as many rounds as there are applications, and while capacity suffices
// for what is granted and no spec changes, each round in which somebody loses
// something makes the sorted list of the standings that run better.
func TestNothingCycles(t *testing.T) { holds(t, 4, nothingCycles) }

func nothingCycles(t *rapid.T) {
	s := plain(t)
	for range rapid.IntRange(1, 8).Draw(t, "events") {
		s.disturb()
		for round := 0; ; round++ {
			if round > len(s.Fleet.Applications)+2 {
				t.Fatalf("something still moves after %d rounds", round)
			}
			before, comparable := s.inside().Running(), !s.short() && !s.updating()
			_, changes := s.step(time.Hour)
			if changes.None() {
				break
			}
			if comparable && len(changes.Evicted)+len(changes.Reduced) > 0 && !inside.Improves(s.inside().Running(), before) {
				t.Fatalf("%+v, and what runs does not stand better:\n%v\n%v", changes, before, s.inside().Running())
			}
		}
	}
}

// I23. Capacity and demand that come and go move an application rarely: who was
// granted less is not restored, and who was granted more does not give way to another, before the
// longer of restoreHold and minRuntime; and who runs does not before its minRuntime.
func TestLittleChangesMoveLittle(t *testing.T) { holds(t, 2, littleChangesMoveLittle) }

func littleChangesMoveLittle(t *rapid.T) {
	const hold, least = 2 * time.Minute, 3 * time.Minute
	s := plain(t)
	for i := range s.Fleet.Applications {
		a := s.Fleet.Applications[i]
		a.Policy = new(*a.Policy)
		a.Policy.RestoreHold, a.Policy.MinRuntime = hold, least
		*a = a.Seal()
	}
	capacity := s.Seen.Pools[0].Capacity
	less := capacity
	less.CPU -= int64(rapid.IntRange(0, 2).Draw(t, "less")) * 500
	tiny := generate.App("tenant-0", "tiny", 650, 1, model.Resources{CPU: 1}, new(generate.Policy(s.shape.Preemption)))
	reduced, raised, admitted := map[model.AppID]time.Time{}, map[model.AppID]time.Time{}, map[model.AppID]time.Time{}
	for round := range 24 {
		s.Seen.Pools[0].Capacity = capacity
		if round%2 == 1 {
			s.Seen.Pools[0].Capacity = less
		}
		if round%3 == 0 {
			s.Declare(tiny)
		} else {
			s.Remove(tiny.ID)
		}
		now := s.Now
		ruling, changes := s.step(20 * time.Second)
		for _, id := range changes.Reduced {
			reduced[id] = now
		}
		for _, id := range changes.Raised {
			if at, ok := reduced[id]; ok && now.Sub(at) < max(hold, least) {
				t.Fatalf("%s is restored %s after it was reduced", id, now.Sub(at))
			}
		}
		for _, id := range changes.Admitted {
			admitted[id] = now
		}
		for _, d := range ruling.Decisions {
			for _, v := range d.Displaced {
				if at := admitted[v.App]; now.Sub(at) < least {
					t.Fatalf("%s gives way to %s %s after it began to run", v.App, d.App, now.Sub(at))
				}
				if at, ok := raised[v.App]; ok && now.Sub(at) < max(hold, least) {
					t.Fatalf("%s gives way to %s %s after it was restored", v.App, d.App, now.Sub(at))
				}
			}
		}
		for _, id := range changes.Raised {
			raised[id] = now
		}
	}
}

// I24. Who got a place keeps it while others that stand no better arrive, however
// long those that gave way take to go: what the ledger grants is taken, so that
// nobody else can be granted it.
func TestPlacesAreKeptForWhomTheyWereMade(t *testing.T) { holds(t, 3, placesAreKept) }

func placesAreKept(t *rapid.T) {
	s, id := arrival(t)
	for i := range s.Fleet.Tenants {
		s.Fleet.Tenants[i].Guarantee = model.Resources{}
	}
	for i := range s.Fleet.Platform.Groups {
		s.Fleet.Platform.Groups[i].Guarantee = model.Resources{}
	}
	s.rest(t)
	if !s.runs(id) || s.app(id).Priority < 100 || s.short() {
		return
	}
	holds := s.Holds(id)
	for range 5 {
		app := s.app(s.arrive())
		app.Priority = 20 // of the lowest band
		*app = app.Seal()
		s.step(time.Second)
		if !s.runs(id) || !holds.Fits(s.Holds(id)) {
			t.Fatalf("%s had %s and has %s after others arrived that stand worse", id, holds, s.Holds(id))
		}
	}
}

// I25. Nobody starves where policy keeps what is free for those that wait for
// long: an application as large as the pool gets its turn although smaller ones
// of its tenant that are no more important keep coming, as all of them end.
func TestNobodyStarves(t *testing.T) { holds(t, 2, nobodyStarves) }

func nobodyStarves(t *rapid.T) {
	const capacity, patience = 8, 5
	s := flat(t, capacity, false, func() int { return 1 })
	for _, app := range append([]*model.Application(nil), s.Fleet.Applications...) {
		s.Remove(app.ID)
	}
	lasts := rapid.IntRange(1, 5).Draw(t, "lasts")
	var running []model.AppID
	ends := map[model.AppID]int{}
	large := model.AppID{}
	for round := range 4*lasts + 2*patience + 4 {
		for range rapid.IntRange(1, 3).Draw(t, "arrivals") {
			id := s.want(0, rapid.IntRange(1, 2).Draw(t, "size"))
			running = append(running, id)
		}
		if round == lasts {
			large = s.want(0, rapid.IntRange(capacity/2, capacity).Draw(t, "large"))
			app := s.app(large)
			app.Policy = new(*app.Policy)
			app.Policy.ReserveAfter = patience * time.Minute
			*app = app.Seal()
		}
		_, changes := s.step(time.Minute)
		for _, id := range changes.Admitted {
			ends[id] = round + lasts
		}
		for _, id := range running {
			if end, ok := ends[id]; ok && end <= round {
				s.Remove(id)
				delete(ends, id)
			}
		}
		if s.runs(large) {
			return
		}
	}
	t.Fatalf("%s never got a place", large)
}
