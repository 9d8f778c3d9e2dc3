package arbitration_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/follow"
	"github.com/d-aros/d-aros/pkg/model"
)

// I29. An arbiter that remembers rules as one that does not, after every change.
// Words and shares are those of the moment when the decision was made.
func TestRememberingChangesNothing(t *testing.T) { holds(t, 3, incrementalIsFull) }

func incrementalIsFull(t *rapid.T) {
	s := dressed(t)
	s.limitPools()
	remembering := follow.Silent(arbitration.Solve)
	for range rapid.IntRange(1, 5).Draw(t, "events") {
		fleet, seen, ledger := s.inputs()
		got := essence(remembering.Decide(fleet, seen, ledger, s.Now))
		for i, want := range essence(s.Decide()) {
			if model.DigestOf(got[i]) != model.DigestOf(want) {
				t.Fatalf("remembering: %+v; anew: %+v", got[i], want)
			}
		}
		if s.one(2) {
			s.step(time.Duration(s.rng.IntN(2)) * time.Minute)
		}
		s.disturb()
	}
}

// I30. At rest, an application that arrives and makes nobody give way changes no
// decision about other tenants, if their fair shares are as before.
func TestOtherTenantsAreLeftAlone(t *testing.T) { holds(t, 4, otherTenantsAreLeftAlone) }

func otherTenantsAreLeftAlone(t *rapid.T) {
	s, id := arrival(t)
	o := s.clone()
	o.Remove(id)
	before, after := o.inside(), s.inside()
	for _, tn := range s.Fleet.Tenants {
		if tn.Name != id.Tenant && before.FairShare(tn.Name) != after.FairShare(tn.Name) {
			return
		}
	}
	ruling := s.Decide()
	if d, _ := ruling.Find(id); len(d.Displaced) > 0 {
		return
	}
	was := o.Decide()
	for _, d := range essence(was) {
		if d.App.Tenant == id.Tenant {
			continue
		}
		for _, now := range essence(ruling) {
			if now.App == d.App && model.DigestOf(now) != model.DigestOf(d) {
				t.Fatalf("%s arrived, and %+v became %+v", id, d, now)
			}
		}
	}
}
