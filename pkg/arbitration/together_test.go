package arbitration_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/story"
)

// gather lets components stand together now and then, all of them in one place.
func (s *scene) gather(app *model.Application) {
	if !s.one(3) {
		return
	}
	mode := []model.TogetherMode{model.TogetherRequired, model.TogetherRequired, model.TogetherPreferred}[s.rng.IntN(3)]
	main := &app.Components[0]
	for i := range app.Components {
		if c := &app.Components[i]; i == 0 || s.one(2) {
			c.Placement = model.Placement{Pool: main.Placement.Pool, Flavours: main.Placement.Flavours, Together: &model.Together{Over: "rack", Mode: mode}}
		}
	}
}

// changeRacks makes the racks of a pool other ones: smaller, larger, or one less.
func (s *scene) changeRacks(at int) {
	q := &s.Seen.Pools[at]
	q.Domains = slices.Clone(q.Domains)
	if len(q.Domains) > 1 && s.one(3) {
		q.Domains = slices.Delete(q.Domains, 0, 1)
	}
	for i := range q.Domains {
		q.Domains[i].Capacity = model.Resources{CPU: q.Capacity.CPU / int64(1+s.rng.IntN(4)), Memory: q.Capacity.Memory / int64(1+s.rng.IntN(4))}
	}
}

// standing is where the gang of an instance stands.
type standing struct {
	number  int
	pool    string
	domains []string
	takes   model.Resources
}

// gangs are those of all applications that run.
func (s *scene) gangs() map[model.AppID]standing {
	all := map[model.AppID]standing{}
	for i := range s.Ledger.Instances {
		inst := &s.Ledger.Instances[i]
		if !inst.Phase.Active() || inst.Spec == nil {
			continue
		}
		for k := range inst.Components {
			state := &inst.Components[k]
			if c, ok := inst.Spec.Component(state.Grant.Component); ok && c.Gathers() {
				at := all[inst.App]
				at.number, at.pool = inst.Number, state.Grant.Pool
				at.takes = at.takes.Add(state.Takes())
				for _, name := range state.Grant.Domains {
					if !slices.Contains(at.domains, name) {
						at.domains = append(at.domains, name)
					}
				}
				all[inst.App] = at
			}
		}
	}
	return all
}

// requires reports whether what runs of an application has to stand together.
func (s *scene) requires(id model.AppID) bool {
	inst, ok := s.Ledger.Find(id)
	return ok && inst.Spec != nil && slices.ContainsFunc(inst.Spec.Components, func(c model.Component) bool {
		return c.Gathers() && c.Placement.Together.Mode == model.TogetherRequired
	})
}

// I47. What is required to stand together is never in two domains, and no domain is granted more than it has. Who runs stays in
// its domain as long as it is the same instance in the same pool. Who waits for a domain is told what each has, and none has enough.
func TestGangsStandTogether(t *testing.T) { holds(t, 4, gangsStandTogether) }

func gangsStandTogether(t *rapid.T) {
	s := dressed(t)
	for range rapid.IntRange(2, 8).Draw(t, "rounds") {
		before, seen := s.gangs(), slices.Clone(s.Seen.Pools)
		ruling, _ := s.step(0)
		after := s.gangs()
		taken, had := map[[2]string]model.Resources{}, map[[2]string]model.Resources{}
		for id, was := range before {
			if s.runs(id) && len(was.domains) == 1 {
				key := [2]string{was.pool, was.domains[0]}
				had[key] = had[key].Add(was.takes)
			}
		}
		for id, is := range after {
			if s.requires(id) && is.takes.CPU+is.takes.Memory > 0 && len(is.domains) != 1 {
				t.Fatalf("%s has to stand in one rack, and has %v of %s", id, is.domains, is.pool)
			}
			if was, ran := before[id]; ran && was.number == is.number && was.pool == is.pool && len(was.domains) > 0 && !slices.Equal(was.domains, is.domains) && (s.requires(id) == (len(was.domains) == 1)) {
				t.Fatalf("%s moves from %v to %v while it runs", id, was.domains, is.domains)
			}
			if len(is.domains) == 1 && s.requires(id) {
				key := [2]string{is.pool, is.domains[0]}
				taken[key] = taken[key].Add(is.takes)
			}
		}
		for _, q := range seen {
			for _, d := range q.Domains {
				key := [2]string{q.Name, d.Name}
				for _, name := range taken[key].Exceeds(d.Capacity) {
					if taken[key].Get(name) > had[key].Get(name) {
						t.Fatalf("%s of pool %s has %s, and gangs are granted %s there, which had %s", d.Name, q.Name, d.Capacity, taken[key], had[key])
					}
				}
			}
		}
		for i := range ruling.Decisions {
			s.readDomains(t, &ruling.Decisions[i], seen)
		}
		s.disturb()
	}
}

var noRack = regexp.MustCompile(`needs one rack for all, and no rack of pool (\S+) has (\S+) (\S+) free: ([^;]+?)(?: and needs|;|$)`)

// readDomains reads back what a decision says of racks: none of them has as much as is asked for, nor more than it offers.
func (s *scene) readDomains(t *rapid.T, d *model.Decision, seen []model.Pool) {
	for _, w := range noRack.FindAllStringSubmatch(d.Message, -1) {
		at := slices.IndexFunc(seen, func(q model.Pool) bool { return q.Name == w[1] })
		racks := strings.Split(w[4], ", ")
		if len(racks) != len(seen[at].Domains) {
			t.Fatalf("%s: %q does not name the racks of pool %s", d.App, d.Message, w[1])
		}
		for i, text := range racks {
			var name, has string
			if _, err := fmt.Sscanf(text, "%s has %s", &name, &has); err != nil {
				t.Fatalf("%s: %q: %v", d.App, text, err)
			}
			x := seen[at].Domains[i]
			if free := amount(w[3], has); name != x.Name || free >= amount(w[3], w[2]) || free > x.Capacity.Get(w[3]) {
				t.Fatalf("%s: %q, and %s has %s in all", d.App, text, x.Name, x.Capacity)
			}
		}
	}
}

// What has to stand in a rack that is gone gives its place up when that has lasted, and comes back as another instance in a rack that has
// room. What only prefers a rack stays. Nothing goes back when the rack does.
func TestRackThatIsGone(t *testing.T) {
	s, err := story.Read("pool batch cpu=24 racks=3\ntenant a weight=1\nruns a/has size=4 together=required rack=rack-1\nruns a/likes size=4 together=preferred rack=rack-1\n")
	require.NoError(t, err)
	stands := func(name string) (domains []string, number int) {
		inst, _ := s.Ledger.Find(model.AppID{Tenant: "a", Name: name})
		require.Len(t, inst.Components, 1, name)
		return inst.Components[0].Grant.Domains, inst.Number
	}
	racks := slices.Clone(s.Seen.Pools[0].Domains)
	change := func(domains []model.Domain) {
		s.Seen.Pools = slices.Clone(s.Seen.Pools)
		s.Seen.Pools[0].Domains = domains
		ruling, _ := s.Round()
		if d, _ := ruling.Find(model.AppID{Tenant: "a", Name: "has"}); len(domains) < 3 {
			require.Contains(t, d.Message, "rack rack-1 of pool batch holds less than was granted of it")
		}
		for range 3 {
			s.Now = s.Now.Add(2 * solve.ShortageHold)
			s.Round()
		}
	}
	_, number := stands("has")
	change(racks[1:])
	domains, next := stands("has")
	require.Equal(t, []string{"rack-2"}, domains)
	require.Greater(t, next, number)
	domains, same := stands("likes")
	require.Equal(t, []string{"rack-1"}, domains)
	require.Equal(t, number, same)
	change(racks)
	domains, last := stands("has")
	require.Equal(t, []string{"rack-2"}, domains)
	require.Equal(t, next, last)
}
