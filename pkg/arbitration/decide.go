package arbitration

import (
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/advice"
	"github.com/d-aros/d-aros/pkg/arbitration/explain"
	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// Decide rules on every application that the fleet declares to run, or that
// holds a grant in the ledger and is still declared. The ruling is empty while the
// fleet has no platform.
func Decide(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) model.Ruling {
	c, r := rule(fleet, seen, ledger, now)
	if c != nil {
		advice.New(c, Solve).Advise(r.Decisions)
	}
	return r
}

// Rule rules as Decide does, and advises nobody.
func Rule(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) model.Ruling {
	_, r := rule(fleet, seen, ledger, now)
	return r
}

func rule(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) (*solve.Case, model.Ruling) {
	if fleet.Platform == nil {
		return nil, model.Ruling{}
	}
	c := Solve(solve.Inputs{Fleet: fleet, Seen: seen, Ledger: ledger, Now: now})
	r := model.Ruling{Decisions: make([]model.Decision, len(c.Apps))}
	explain.New(c).All(r.Decisions)
	r.OverQuota, r.PastUse = c.OverQuota(), c.PastUse(ledger.PastUse, now)
	return c, r
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

// Advice lists changes, each sufficient alone, that give an application what it lacks: a place, all that it asks for or its
// newer spec. Those come first that cost others least. Each was verified by arbitrating with it. Advised, which
// is nil where nothing is lacking, says which kinds were tried. Decide advises so too, and does a part of the work in each pass.
func Advice(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time, app model.AppID) ([]model.Advice, *model.Advised) {
	if fleet.Platform == nil {
		return nil, nil
	}
	c := Solve(solve.Inputs{Fleet: fleet, Seen: seen, Ledger: ledger, Now: now})
	if _, a := c.Find(app); a != nil {
		return advice.New(c, Solve).All(a)
	}
	return nil, nil
}
