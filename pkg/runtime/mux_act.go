package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/d-aros/d-aros/pkg/model"
)

// Act has each adapter carry out its share of the assignments: an adapter gets all, each with
// the components that it carries, so what has moved to another one goes once it runs there; until
// then the assignment is under way. What an adapter that does not answer was only to lose is drift
// when it answers again, and fails nobody.
func (m *Mux) Act(ctx context.Context, list []Assignment) Report {
	list, aside := m.actBeside(ctx, list)
	splits, shares := m.divide(ctx, list)
	m.noteMoves(list, splits)
	whole := Report{Outcomes: make([]Outcome, len(list))}
	if len(m.lanes) == 1 {
		whole = m.lanes[0].Act(ctx, shares[0])
	} else {
		m.actTogether(ctx, list, shares, &whole)
	}
	for i := range whole.Outcomes {
		o := &whole.Outcomes[i]
		o.Notices, o.Results = append(o.Notices, splits[i].notices...), append(o.Results, splits[i].refused...)
		o.UnderWay = o.UnderWay || (splits[i].moves != nil || splits[i].lasts) && o.OK()
		if i < len(aside.Outcomes) {
			o.join(m.beside.Name(), &aside.Outcomes[i])
		}
	}
	return whole
}

func (m *Mux) actTogether(ctx context.Context, list []Assignment, shares [][]Assignment, whole *Report) {
	for i := range list {
		whole.Outcomes[i].App = list[i].App
	}
	reports := make([]Report, len(m.lanes))
	answered := all(m, func(l *lane) *atomic.Bool { return &l.acts }, func(i int, l *lane) Report {
		if l.since().IsZero() { // nobody knows what it would lose
			return Report{Err: ErrUnseen}
		}
		return l.Act(ctx, shares[i])
	}, func(i int, r Report) { reports[i] = r })
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
			if s := &shares[i][n]; s.asks() {
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

// asks reports whether an adapter has to do more about an assignment than to keep or to lose
// what it has.
func (a *Assignment) asks() bool {
	return len(a.Jobs) > 0 || slices.ContainsFunc(a.Components, func(c Component) bool { return !c.Hold })
}

// divide divides assignments: into the shares of each lane.
func (m *Mux) divide(ctx context.Context, list []Assignment) (splits []*split, shares [][]Assignment) {
	m.lookFirst(ctx, list)
	splits, shares = make([]*split, len(list)), make([][]Assignment, len(m.lanes))
	for n := range list {
		splits[n] = m.split(&list[n])
		for i := range shares {
			shares[i] = append(shares[i], splits[n].shares[i])
		}
	}
	return splits, shares
}

// lookFirst looks at the adapters that never showed what they have, if there are several: what is
// elsewhere decides what one of them may lose.
func (m *Mux) lookFirst(ctx context.Context, list []Assignment) {
	if len(m.lanes) == 1 || len(list) == 0 || list[0].Platform == nil {
		return
	}
	for _, l := range m.lanes {
		if _, ever := l.last(); !ever {
			_, _ = m.Inspect(ctx, list[0].Platform) // who does not show anything does not act
			return
		}
	}
}

// noteMoves notes which components of the assignments move.
func (m *Mux) noteMoves(list []Assignment, splits []*split) {
	m.moving.Lock()
	defer m.moving.Unlock()
	for n := range list {
		if splits[n].moves == nil {
			delete(m.moves, list[n].App)
		} else {
			m.moves[list[n].App] = splits[n].moves
		}
	}
}

// owe notes that an adapter was to lose what it may have of an application.
func (l *lane) owe(app model.AppID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owed[app], l.again = true, false
}
