package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/d-aros/d-aros/pkg/model"
)

// Act has each adapter carry out its share of the assignments: an adapter gets all, each with
// the components that it carries, so what has moved to another one goes. What an adapter that
// does not answer was only to lose is drift when it answers again, and fails nobody.
func (m *Mux) Act(ctx context.Context, list []Assignment) Report {
	list, aside := m.actBeside(ctx, list)
	shares, nobodys := m.shares(list)
	whole := Report{Outcomes: make([]Outcome, len(list))}
	if len(m.lanes) == 1 {
		whole = m.lanes[0].Act(ctx, shares[0])
	} else {
		m.actTogether(ctx, list, shares, &whole)
	}
	for i := range whole.Outcomes {
		whole.Outcomes[i].Notices = append(whole.Outcomes[i].Notices, nobodys[i]...)
		if i < len(aside.Outcomes) {
			whole.Outcomes[i].join(m.beside.Name(), &aside.Outcomes[i])
		}
	}
	return whole
}

func (m *Mux) actTogether(ctx context.Context, list []Assignment, shares [][]Assignment, whole *Report) {
	for i := range list {
		whole.Outcomes[i].App = list[i].App
	}
	reports := make([]Report, len(m.lanes))
	answered := all(m, func(l *lane) *atomic.Bool { return &l.acts },
		func(i int, l *lane) Report { return l.Act(ctx, shares[i]) }, func(i int, r Report) { reports[i] = r })
	var away []error
	for i, l := range m.lanes {
		r := &reports[i]
		if !answered[i] {
			r.Err = errBusy
		}
		whole.Requests.add(r.Requests)
		for n := range r.Outcomes {
			whole.Outcomes[n].join(l.Name(), &r.Outcomes[n])
		}
		if r.Err == nil {
			continue
		}
		away = append(away, fmt.Errorf("%s: %w", l.Name(), r.Err))
		for n := range shares[i] {
			if s := &shares[i][n]; len(s.Components)+len(s.Jobs) > 0 {
				whole.Outcomes[n].join(l.Name(), &Outcome{Err: r.Err})
			} else {
				l.owe(s.App)
			}
		}
	}
	if len(away) == len(m.lanes) {
		whole.Err = errors.Join(away...)
	}
}

// shares returns for each lane its share of the assignments, and for each assignment sentences
// about the components that nobody carries.
func (m *Mux) shares(list []Assignment) (shares [][]Assignment, nobodys [][]string) {
	shares, nobodys = make([][]Assignment, len(m.lanes)), make([][]string, len(list))
	for i := range m.lanes {
		shares[i] = make([]Assignment, len(list))
	}
	for n := range list {
		a := &list[n]
		for i := range m.lanes {
			shares[i][n] = *a
			shares[i][n].Components, shares[i][n].Jobs = nil, nil
		}
		of := map[string]int{} // the lane of each component
		for _, c := range a.Components {
			i, err := m.carrier(a, &c)
			if of[c.Name] = i; err != nil {
				nobodys[n] = append(nobodys[n], fmt.Sprintf("component %s does not run: %v", c.Name, err))
				continue
			}
			shares[i][n].Components = append(shares[i][n].Components, c)
		}
		for _, j := range a.Jobs {
			at, known := of[j.Component]
			for i := range m.lanes {
				if i == at || !known {
					shares[i][n].Jobs = append(shares[i][n].Jobs, j)
				}
			}
		}
	}
	return shares, nobodys
}

// carrier returns the first lane that carries a component, -1 and why if none does.
func (m *Mux) carrier(a *Assignment, c *Component) (int, error) {
	var pool *model.PoolSpec
	if a.Platform != nil {
		pool, _ = model.Find(a.Platform.Pools, c.State.Grant.Pool)
	}
	var errs []error
	for i, l := range m.lanes {
		err := l.Carries(c.Component, pool)
		if err == nil {
			return i, nil
		}
		errs = append(errs, err)
	}
	return -1, errors.Join(errs...)
}

// owe notes that an adapter was to lose what it may have of an application.
func (l *lane) owe(app model.AppID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owed[app], l.again = true, false
}
