package arbitration_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// arrival draws a world at rest in which one more application has just asked.
func arrival(t *rapid.T) (s *scene, id model.AppID) {
	s = plain(t).lived(t)
	s.noLimits()
	for i := range s.Fleet.Platform.Groups {
		s.Fleet.Platform.Groups[i].Borrow, s.Fleet.Platform.Groups[i].Lend = nil, nil
	}
	s.rest(t)
	return s, s.arrive()
}

// I18. For one application that arrives, nothing can be given back: if any one of
// those that gave way kept one step more, something would be short. How near to
// the least the choice is, the test of choosing says: it compares with all choices.
func TestDisruptionIsMinimal(t *testing.T) { holds(t, 5, disruptionIsMinimal) }

func disruptionIsMinimal(t *rapid.T) {
	s, id := arrival(t)
	if s.short() || s.updating() {
		return
	}
	look, before := s.inside(), s.takes()
	ruling, changes := s.step(0)
	d, _ := ruling.Find(id)
	if len(changes.Admitted) > 1 {
		return // an application that arrives may also change fair shares
	}
	after := s.inside()
	for _, v := range d.Displaced {
		_, from := look.Parts(v.App)
		_, to := after.Parts(v.App)
		if to < 0 {
			parts, _ := look.Parts(v.App)
			to = len(parts)
		}
		if to == from {
			t.Fatalf("%s is said to give way and keeps all it has", v.App)
		}
		if to != from+1 {
			continue // its next step is not known from outside
		}
		fits := true
		for pool, was := range before.in[v.App] {
			fits = fits && s.Used(pool).Add(was).Sub(s.takes().in[v.App][pool]).Fits(s.poolOf(pool).Capacity)
		}
		if fits {
			t.Fatalf("%s gave way to %s and would fit beside it", v.App, id)
		}
	}
}

func (s *scene) poolOf(name string) model.Pool {
	for _, q := range s.Seen.Pools {
		if q.Name == name {
			return q
		}
	}
	return model.Pool{}
}

// I19. For one application that arrives, nobody is evicted if it would do, for what the
// application got, that those who may be degraded in its favour are.
func TestDegradingComesBeforeEviction(t *testing.T) { holds(t, 5, degradingComesFirst) }

func degradingComesFirst(t *rapid.T) {
	s, id := arrival(t)
	if s.short() || s.updating() {
		return
	}
	look := s.inside()
	ruling, changes := s.step(0)
	d, _ := ruling.Find(id)
	if len(changes.Admitted) > 1 {
		return // an application that arrives may also change fair shares
	}
	_, got := s.inside().Parts(id)
	for _, v := range d.Displaced {
		if v.To == "evicted" && look.DegradingSuffices(id, got) {
			t.Fatalf("%s is evicted for %s, and degrading would do", v.App, id)
		}
	}
}

// I20. Nobody gives way for nothing: who gives way is named by one who got a
// place by it, and what it got did not fit in what was free.
func TestNobodyGivesWayForNothing(t *testing.T) { holds(t, 5, nobodyGivesWayForNothing) }

func nobodyGivesWayForNothing(t *rapid.T) {
	s, id := arrival(t)
	if s.short() || s.updating() {
		return
	}
	var free []model.Resources
	for _, q := range s.Seen.Pools {
		free = append(free, q.Capacity.Sub(s.Used(q.Name)))
	}
	ruling, changes := s.step(0)
	d, _ := ruling.Find(id)
	named := 0
	for _, other := range ruling.Decisions {
		named += len(other.Displaced)
	}
	if lost := len(changes.Evicted) + len(changes.Reduced); lost > named {
		t.Fatalf("%+v, and %d are said to give way", changes, named)
	}
	if len(d.Displaced) == 0 || len(changes.Admitted) > 1 {
		return // an application that arrives may also change fair shares
	}
	if d.Verdict != model.VerdictGranted {
		t.Fatalf("%v give way to %s, which is %s", d.Displaced, id, d.Verdict)
	}
	for _, v := range d.Displaced {
		loser, _ := ruling.Find(v.App)
		if loser.For != id.String() {
			t.Fatalf("%s gives way to %s and names %q", v.App, id, loser.For)
		}
	}
	for i := range free {
		if s.Holds(id).Fits(free[i]) {
			t.Fatalf("%s got %s, and %s was free: %v", id, s.Holds(id), free[i], d.Displaced)
		}
	}
}
