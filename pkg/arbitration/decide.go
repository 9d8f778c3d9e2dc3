package arbitration

import (
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/explain"
	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// Decide rules on every application that the fleet declares to run, or that
// holds a grant in the ledger and is still declared. The ruling is empty while the
// fleet has no platform.
func Decide(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) model.Ruling {
	if fleet.Platform == nil {
		return model.Ruling{}
	}
	c := Solve(solve.Inputs{Fleet: fleet, Seen: seen, Ledger: ledger, Now: now})
	r := model.Ruling{Decisions: make([]model.Decision, len(c.Apps))}
	explain.New(c, Solve).All(r.Decisions)
	r.OverQuota = c.OverQuota()
	return r
}

// Solve is the arbitration: its stages in the order in which they bind. The fleet
// must have a platform.
func Solve(in solve.Inputs) *solve.Case {
	c := solve.New(in)
	apps := c.FirstComeOrder()
	for _, a := range apps {
		c.KeepPlace(a)
	}
	for _, a := range apps {
		c.PassGate(a)
	}
	c.CountDemand()
	c.FairShares()
	c.Stand()
	c.Allot(nil)
	for tenant := range c.Nodes {
		c.Number(tenant, func(*solve.App) {})
	}
	return c
}

// Counterfactuals lists changes, each sufficient alone, that would have admitted
// a pending or rejected application; the changes that its owner can make come first.
// Each was verified by arbitrating the changed inputs, and one unit less of it
// does not suffice. It is empty for an application that is granted a place, and
// where no single change of these kinds suffices.
func Counterfactuals(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time, app model.AppID) []string {
	if fleet.Platform == nil {
		return nil
	}
	c := Solve(solve.Inputs{Fleet: fleet, Seen: seen, Ledger: ledger, Now: now})
	if _, a := c.Find(app); a != nil {
		return explain.New(c, Solve).Counterfactuals(a)
	}
	return nil
}
