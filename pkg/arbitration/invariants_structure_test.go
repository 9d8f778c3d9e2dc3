package arbitration_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// I26. An application has all its critical components at their least or more, or
// nothing.
func TestGangsAreWhole(t *testing.T) { holds(t, 3, gangsAreWhole) }

func gangsAreWhole(t *rapid.T) {
	s := dressed(t).lived(t)
	ruling := s.Decide()
	for _, d := range ruling.Decisions {
		if d.Verdict != model.VerdictGranted {
			if len(d.Grants) > 0 {
				t.Fatalf("%s is %s and has grants", d.App, d.Verdict)
			}
			continue
		}
		spec := s.specOf(d)
		for _, c := range spec.Components {
			least := c.Replicas
			if spec.Policy.Degradation {
				least = c.MinReplicas()
			}
			for _, g := range d.Grants {
				if g.Component == c.Name && c.Critical && g.Replicas < least {
					t.Fatalf("%s has %d of %s, at least %d", d.App, g.Replicas, c.Name, least)
				}
			}
		}
		if len(d.Grants) != len(spec.Components) {
			t.Fatalf("%s has %d grants for %d components", d.App, len(d.Grants), len(spec.Components))
		}
	}
}

// I27. While a component is not ready, those of the same spec that depend on it
// are granted no more than they have. A newer spec is started in order by the
// lifecycle, and that dependencies have no cycles is checked where fleets are
// evaluated.
func TestDependantsWait(t *testing.T) { holds(t, 8, dependantsWait) }

func dependantsWait(t *rapid.T) {
	s := dressed(t).lived(t)
	for i := range s.Seen.Pools {
		s.Seen.Pools[i].Capacity.CPU /= 2
	}
	s.step(0) // so that many are degraded
	for i := range s.Ledger.Instances {
		if c := s.Ledger.Instances[i].Components; len(c) > 0 && s.one(2) {
			c[0].State = model.StateStarting
		}
	}
	for i := range s.Seen.Pools {
		s.Seen.Pools[i].Capacity = s.Seen.Pools[i].Capacity.Add(model.Resources{CPU: 1000 * int64(s.rng.IntN(12)), Memory: 64 << 30})
	}
	s.Now = s.Now.Add(3600e9)
	before := s.clone()
	for _, d := range s.Decide().Decisions {
		inst, ok := before.Ledger.Find(d.App)
		if !ok || !inst.Phase.Active() || d.Verdict != model.VerdictGranted || inst.SpecDigest() != d.Spec {
			continue
		}
		for i, c := range inst.Spec.Components {
			for _, on := range c.DependsOn {
				if state, _ := inst.Component(on); state.State == model.StateStarting && d.Grants[i].Replicas > inst.Components[i].Grant.Replicas {
					t.Fatalf("%s is granted %d of %s, had %d, and %s is not ready", d.App, d.Grants[i].Replicas, c.Name, inst.Components[i].Grant.Replicas, on)
				}
			}
		}
	}
}

// I28. Who asks to be spread and gets a place is told at least as many domains as
// it asked for, in which there is room for a replica. It is a hint: that all
// replicas fit together is for the runtime to find out.
func TestHintsHaveDomains(t *testing.T) { holds(t, 4, hintsHaveDomains) }

func hintsHaveDomains(t *rapid.T) {
	s := dressed(t).lived(t)
	for _, d := range s.Decide().Decisions {
		if d.Verdict != model.VerdictGranted || s.runs(d.App) {
			continue
		}
		for i, c := range s.app(d.App).Components {
			g := d.Grants[i]
			if c.Placement.Spread == nil || g.Replicas == 0 {
				continue
			}
			if len(g.Domains) < c.Placement.Spread.Min {
				t.Fatalf("%s spreads %s over %v, asked for %d", d.App, c.Name, g.Domains, c.Placement.Spread.Min)
			}
			for _, name := range g.Domains {
				for _, x := range s.poolOf(g.Pool).Domains {
					if x.Name == name && !g.Requests.Fits(x.Capacity) {
						t.Fatalf("%s is to run in %s, which has %s", d.App, name, x.Capacity)
					}
				}
			}
		}
	}
}
