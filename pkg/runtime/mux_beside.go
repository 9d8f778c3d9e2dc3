package runtime

import (
	"context"
	"slices"
)

// Beside adds an adapter that has no runtime which could be away, and answers at once from what
// it knows. It gets what it carries before the others get the rest, has no part of pools, and no
// patience begins with its answer. It is called once, before the Mux is used.
func (m *Mux) Beside(a Adapter) *Mux {
	m.beside = a
	m.Busy.Go(func() { m.forward(a.Changed()) })
	return m
}

// actBeside has the adapter beside the others carry out its share, and returns theirs.
func (m *Mux) actBeside(ctx context.Context, list []Assignment) (others []Assignment, report Report) {
	if m.beside == nil {
		return list, report
	}
	others = slices.Clone(list)
	shares := slices.Clone(list)
	for i := range list {
		shares[i].Components, shares[i].Jobs, others[i].Components = nil, nil, nil
		for _, c := range list[i].Components {
			of := &others[i]
			if m.beside.Carries(c.Component, nil) == nil {
				of = &shares[i]
			}
			of.Components = append(of.Components, c)
		}
	}
	return others, m.beside.Act(ctx, shares)
}
