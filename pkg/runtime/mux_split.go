package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// split is an assignment for several adapters.
type split struct {
	shares  []Assignment   // by lane
	notices []string       // about components that nobody carries
	refused []Result       // components that do not move, because their data does not
	moves   map[string]int // components that stay where they were until the lane runs them; nil: none
	lasts   bool           // rights are still where the component was that has them
}

// split divides an assignment: a lane gets all of it, with the components that it carries. A lane
// that was seen to have what another one is to carry keeps it as it is until it runs there.
// Configuration is in every lane that has a component of the application.
func (m *Mux) split(a *Assignment) *split {
	s := &split{shares: make([]Assignment, len(m.lanes))}
	for i := range s.shares {
		s.shares[i] = *a
		s.shares[i].Components, s.shares[i].Jobs = nil, nil
	}
	if a.IsShared() {
		m.entitle(s, a)
		return s
	}
	at, pools := map[string]int{}, []*model.PoolSpec(nil)
	for k := range a.Components {
		if c := &a.Components[k]; c.Runs() {
			at[c.Name] = m.place(s, a, c)
			if pool := a.pool(c); pool != nil && !slices.Contains(pools, pool) {
				pools = append(pools, pool)
			}
		}
	}
	for k := range a.Components {
		if c := &a.Components[k]; !c.Runs() {
			m.configure(s, a, c, pools)
		}
	}
	for i := range s.shares {
		slices.SortFunc(s.shares[i].Components, func(x, y Component) int { return strings.Compare(x.Name, y.Name) })
	}
	for _, j := range a.Jobs {
		m.placeJob(s, a, j, at)
	}
	return s
}

// pool returns the pool of a component, nil if it has none.
func (a *Assignment) pool(c *Component) *model.PoolSpec {
	if a.Platform == nil {
		return nil
	}
	pool, _ := model.Find(a.Platform.Pools, cmp.Or(c.State.Grant.Pool, c.Placement.Pool))
	return pool
}

// give adds a component to the share of a lane.
func (s *split) give(lane int, c *Component, hold bool) {
	given := *c
	given.Hold = given.Hold || hold
	s.shares[lane].Components = append(s.shares[lane].Components, given)
}

// place gives a component to the lane that is to carry it, and to those that keep it meanwhile.
// It returns the lane that has it from now on, -1 if there is none.
func (m *Mux) place(s *split, a *Assignment, c *Component) int {
	to, err := m.carrier(a, c.Component, a.pool(c))
	if err != nil {
		s.notices = append(s.notices, fmt.Sprintf("component %s does not run: %v", c.Name, err))
	}
	there := to >= 0 && m.lanes[to].has(a.App, c.Name)
	kept := false
	for i, l := range m.lanes {
		if i == to || !l.has(a.App, c.Name) || to >= 0 && m.lanes[to].runs(a.App, c) && (there || !l.stays(a.App, c)) {
			continue
		}
		s.give(i, c, true)
		kept = true
		switch {
		case to < 0:
		case there || !l.stays(a.App, c):
			if s.moves == nil {
				s.moves = map[string]int{}
			}
			s.moves[c.Name] = to
		case c.keepsData():
			s.refused = append(s.refused, Result{
				Object: "component " + c.Name, Component: c.Name, Action: Failed, Reason: model.OutcomeImmutable,
				Message: fmt.Sprintf("component %s stays in %s, where its volumes are, and does not move to %s", c.Name, l.Name(), m.lanes[to].Name()),
			})
			return i
		default:
			return i
		}
	}
	if to >= 0 && (there || !kept || !c.Hold) {
		s.give(to, c, false)
	}
	return to
}

// entitle leaves each lane the rights on its whole cluster of those components alone that it is to carry, or still has: a
// component that has moved leaves none behind.
func (m *Mux) entitle(s *split, a *Assignment) {
	for i := range s.shares {
		s.shares[i].Shared.Reads = nil
	}
	for _, r := range a.Shared.Reads {
		c := Component{Component: &model.Component{Name: r.Component, Runtime: "container", OS: "linux"}} // no others have rights
		c.State.Grant.Pool = r.Pool
		to := -1
		if pool := a.pool(&c); pool != nil {
			to, _ = m.carrier(a, c.Component, pool)
		}
		for i, l := range m.lanes {
			if has := l.has(r.App, r.Component); has || i == to {
				s.shares[i].Shared.Reads = append(s.shares[i].Shared.Reads, r)
				s.lasts = s.lasts || has && to >= 0 && i != to
			}
		}
	}
}

// configure gives a component that is configuration to the lanes that carry components of its
// application in any of the pools given.
func (m *Mux) configure(s *split, a *Assignment, c *Component, pools []*model.PoolSpec) {
	given := map[int]bool{}
	for _, pool := range pools {
		if i, err := m.carrier(a, c.Component, pool); err == nil {
			given[i] = true
		}
	}
	if len(given) == 0 {
		i, err := m.carrier(a, c.Component, nil)
		if err != nil {
			s.notices = append(s.notices, fmt.Sprintf("component %s is nowhere: %v", c.Name, err))
			return
		}
		given[i] = true
	}
	for i, l := range m.lanes {
		kept := !given[i] && l.has(a.App, c.Name) && slices.ContainsFunc(s.shares[i].Components, func(c Component) bool { return c.Runs() })
		if given[i] || kept {
			s.give(i, c, kept)
		}
	}
}

// placeJob gives the job of a step to the lane that has it. If none does, it goes to the lane of
// its component.
func (m *Mux) placeJob(s *split, a *Assignment, j Job, at map[string]int) {
	to, known := at[j.Component]
	for i, l := range m.lanes {
		if l.hasJob(a.App, j) {
			to, known = i, true
		}
	}
	if c := a.declared(j.Component); !known && c != nil {
		to, _ = m.carrier(a, c, a.pool(&Component{Component: c}))
		known = true
	}
	for i := range s.shares {
		if i == to || !known {
			s.shares[i].Jobs = append(s.shares[i].Jobs, j)
		}
	}
}

// declared returns a component of the accepted spec or of the one before it, nil if neither has it.
func (a *Assignment) declared(name string) *model.Component {
	if a.Instance == nil {
		return nil
	}
	for _, spec := range a.Instance.Specs() {
		if c, ok := spec.Component(name); ok {
			return c
		}
	}
	return nil
}

// carrier returns the first lane that carries a component in a pool, -1 and why if none does.
// Without a pool it is the one that has the component, if any.
func (m *Mux) carrier(a *Assignment, c *model.Component, pool *model.PoolSpec) (int, error) {
	first := -1
	var errs []error
	for i, l := range m.lanes {
		switch err := l.Carries(c, pool); {
		case err != nil:
			errs = append(errs, err)
		case pool != nil || l.has(a.App, c.Name):
			return i, nil
		case first < 0:
			first = i
		}
	}
	if first < 0 {
		return -1, errors.Join(errs...)
	}
	return first, nil
}
