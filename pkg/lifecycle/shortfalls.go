package lifecycle

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// promisedTo reports whether the plan of the pool promises anything to a component: a node
// may speak of nothing else.
func promisedTo(inst *model.Instance, s *model.Shortfall) bool {
	c, ok := inst.Component(s.Component)
	return ok && inst.Phase.Active() && c.Grant.Pool == s.Pool && c.Grant.Replicas > 0
}

// asReported reports whether a record says of the promises that nodes do not keep what they
// report, in order. It writes no sentences: nearly always it is asked, it is so.
func asReported(inst *model.Instance, short []model.Shortfall) bool {
	told := inst.Outcomes
	next := func() *model.Outcome {
		i := slices.IndexFunc(told, func(o model.Outcome) bool { return o.OfNodes() })
		if i < 0 {
			return nil
		}
		o := &told[i]
		told = told[i+1:]
		return o
	}
	for len(short) > 0 {
		first := &short[0]
		nodes := 0
		for len(short) > 0 && short[0].SamePromise(first) {
			if promisedTo(inst, &short[0]) {
				if nodes == 0 {
					first = &short[0]
				}
				nodes++
			}
			short = short[1:]
		}
		if nodes == 0 {
			continue
		}
		if o := next(); o == nil || !first.Is(o) || max(o.Objects, 1) != nodes {
			return false
		}
	}
	return next() == nil
}

// UnkeptUnits returns a problem for each promise to a unit of the system that nodes of a pool do
// not keep: no application has it. It names the first node.
func UnkeptUnits(fleet *model.Fleet, short []model.Shortfall) (problems []model.Problem) {
	if fleet.Platform == nil {
		return nil
	}
	type promise struct{ unit, pool, resource, setting string }
	told := map[promise]bool{}
	for _, s := range short {
		p := promise{s.Unit, s.Pool, s.Resource, s.Setting}
		if s.Unit == "" || told[p] {
			continue
		}
		told[p] = true
		for _, r := range fleet.Platform.Reservations {
			if r.System == s.Unit && r.Pool == s.Pool {
				o := s.Outcome()
				problems = append(problems, model.Problem{
					Code: model.CodeNotKept, Path: "platform.reservations." + r.Name, Message: string(o.Reason) + ": " + o.Message,
					Places: []model.Place{{At: fleet.Platform.At["reservations."+r.Name], Note: "reservation " + r.Name + ": " + r.Amount.String() + " on each node"}},
				})
			}
		}
	}
	return problems
}
