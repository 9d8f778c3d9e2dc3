package arbitration_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// I37. At rest a higher priority of a tenant runs in full before a lower one: nobody waits or runs
// degraded while what stands worse and is of lower priorities in its tenant holds the room that it lacks.
// Borrowing and lending have no limits here; what stands better gives way to nobody.
// Where policy lets a priority claim the minimum only, the same holds for the minimum.
func TestHigherPrioritiesRunInFull(t *testing.T) {
	holds(t, 4, higherPrioritiesRunInFull)
	holds(t, 2, higherPrioritiesRunAtTheirMinimum)
}

func higherPrioritiesRunInFull(t *rapid.T) { higherPrioritiesRun(t, plain(t)) }

func higherPrioritiesRunAtTheirMinimum(t *rapid.T) { higherPrioritiesRun(t, minimal(t)) }

// minimal draws a world in which priorities claim the minimum only.
func minimal(t *rapid.T) *scene {
	s := plain(t)
	s.minimal = true
	for _, app := range slices.Clone(s.Fleet.Applications) {
		s.Declare(s.dressUp(*app))
	}
	return s
}

// I46. Where policy lets a priority claim the minimum only, nobody gives way to a higher priority of its tenant for more
// than the minimum, in whatever round.
func TestPrioritiesAreForTheMinimum(t *testing.T) { holds(t, 4, prioritiesAreForTheMinimum) }

func prioritiesAreForTheMinimum(t *rapid.T) {
	s := minimal(t)
	for range rapid.IntRange(1, 6).Draw(t, "rounds") {
		look := s.inside()
		changed := map[model.AppID]bool{} // what it claims is that of the newer spec, which may have no steps
		for i := range s.Ledger.Instances {
			in := &s.Ledger.Instances[i]
			app := s.app(in.App)
			changed[in.App] = in.Phase.Active() && app != nil && app.Digest != in.SpecDigest()
		}
		ruling, _ := s.step(time.Hour)
		for _, d := range ruling.Decisions {
			own := slices.ContainsFunc(d.Displaced, func(v model.Displacement) bool { return v.App.Tenant == d.App.Tenant })
			parts, _ := look.Parts(d.App)
			if own && !changed[d.App] && !d.Degraded && parts[0].Priority == 0 { // else what it runs beyond its minimum takes nothing more
				t.Fatalf("%s runs in full, and lower priorities of its tenant gave way: %+v", d.App, d.Displaced)
			}
		}
		s.disturb()
	}
}

func higherPrioritiesRun(t *rapid.T, s *scene) {
	if s.shape.Preemption == "none" {
		return
	}
	s.lived(t)
	s.noLimits()
	for i := range s.Fleet.Platform.Groups {
		s.Fleet.Platform.Groups[i].Borrow, s.Fleet.Platform.Groups[i].Lend = nil, nil
	}
	s.rest(t)
	s.arrive()
	s.rest(t)
	if s.short() || s.updating() {
		return
	}
	look := s.inside()
	for _, d := range s.Decide().Decisions {
		if d.Verdict == model.VerdictRejected {
			continue
		}
		if l := look.RoomOfLowerPriorities(d.App); l >= 0 && !s.unready(d.App) {
			t.Fatalf("%s is %s, and lower priorities of its tenant hold what its level %d lacks: %s", d.App, d.Verdict, l, d.Message)
		}
	}
}

// unready reports whether a component of an application is not ready, so that it is not restored.
func (s *scene) unready(id model.AppID) bool {
	inst, ok := s.Ledger.Find(id)
	return ok && slices.ContainsFunc(inst.Components, func(c model.ComponentState) bool { return c.State == model.StateStarting })
}

// I40. While capacity comes and goes an application turns at most once per hold, which is the longer of
// restoreHold and minRuntime: it is not restored sooner after it was granted less, and what was given back is not
// taken sooner for another. Restored a step further is no turn. What pools lack is taken at once; that is no choice of arbitration.
func TestOneMovePerHold(t *testing.T) { holds(t, 2, oneMovePerHold) }

func oneMovePerHold(t *rapid.T) {
	const hold = 3 * time.Minute
	s := dressed(t)
	for i := range s.Fleet.Applications {
		a := s.Fleet.Applications[i]
		a.Policy = new(*a.Policy)
		a.Policy.RestoreHold, a.Policy.MinRuntime, a.Policy.RestoreMargin = 2*time.Minute, hold, rapid.SampledFrom([]int{0, 50}).Draw(t, "margin")
		*a = a.Seal()
	}
	full := slices.Clone(s.Seen.Pools)
	raised, lowered := map[model.AppID]time.Time{}, map[model.AppID]time.Time{}
	for range 40 {
		s.Seen.Pools = slices.Clone(full)
		for i := range s.Seen.Pools {
			q := &s.Seen.Pools[i]
			q.Capacity.CPU -= q.Capacity.CPU / 4 * int64(s.rng.IntN(3))
		}
		lacks := s.short()
		_, changes := s.step(20 * time.Second)
		for _, id := range changes.Admitted {
			delete(lowered, id) // what lost its place comes back as another instance
		}
		turn := func(ids []model.AppID, now map[model.AppID]time.Time, before map[model.AppID]time.Time) {
			for _, id := range ids {
				if at, ok := before[id]; ok && s.Now.Sub(at) < hold && !lacks {
					t.Fatalf("%s turns %s after it was moved: %+v", id, s.Now.Sub(at), changes)
				}
				now[id] = s.Now
			}
		}
		turn(changes.Raised, raised, lowered)
		turn(slices.Concat(changes.Reduced, changes.Evicted), lowered, raised)
	}
}
