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
func TestHigherPrioritiesRunInFull(t *testing.T) { holds(t, 4, higherPrioritiesRunInFull) }

func higherPrioritiesRunInFull(t *rapid.T) {
	s := plain(t)
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
