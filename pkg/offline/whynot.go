package offline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/turn"
)

// Level is how far an application is admitted.
type Level string

// Levels.
const (
	LevelFull     Level = "full"     // everything that the application asks for
	LevelMinimum  Level = "minimum"  // the least that it can run with
	LevelAdmitted Level = "admitted" // quota, limits and policy let it in, with or without room
)

// Levels are all levels, the highest first.
var Levels = []Level{LevelFull, LevelMinimum, LevelAdmitted}

// Obstacles are what keeps an application from a level.
type Obstacles struct {
	App      model.AppID         `json:"application"`
	Level    Level               `json:"level"`
	Reached  bool                `json:"reached"`
	Verdict  model.Verdict       `json:"verdict"`
	Reason   model.Reason        `json:"reason"`
	Message  string              `json:"message"`
	Position int                 `json:"position,omitempty"`
	Standing model.Standing      `json:"standing,omitempty"`
	Shares   []model.TenantShare `json:"shares,omitempty"`
	Failing  []model.Constraint  `json:"failing"`
	Ahead    []model.AppID       `json:"ahead"`  // applications that hold most of the scarce capacity
	Ways     []string            `json:"ways"`   // changes, each sufficient alone, with what they cost
	Advice   []model.Advice      `json:"advice"` // the same as data
}

// WhyNot decides again on a ledger and the source commit that it records, and returns what keeps an application from a
// level.
func WhyNot(ctx context.Context, o Options, fleet *source.Repository, ledger model.Ledger, app model.AppID, level Level, now time.Time) (Obstacles, error) {
	d, err := openDeclared(ctx, o, fleet)
	if err != nil {
		return Obstacles{}, err
	}
	defer d.close()
	c, err := d.caseOf(ctx, ledger.Commit, ledger)
	if err != nil {
		return Obstacles{}, err
	}
	c.Seen, c.Now = model.Observation{Pools: ledger.Pools, Workloads: turn.AsRecorded(&ledger)}, now
	return obstacles(c, app, level)
}

// obstacles returns what keeps an application from a level in a case.
func obstacles(c turn.Case, app model.AppID, level Level) (Obstacles, error) {
	out := turn.Take(c)
	c.Fleet = out.Fleet
	d, ok := out.Ruling.Find(app)
	if !ok {
		return Obstacles{}, fmt.Errorf("%s is not to run: Git says so, or it ended for good with the spec that Git has", app)
	}
	v := Obstacles{App: app, Level: level, Reached: reached(d, level), Failing: []model.Constraint{}, Ahead: []model.AppID{}, Ways: []string{}, Advice: []model.Advice{}}
	if !v.Reached && level == LevelFull && d.Verdict != model.VerdictRejected {
		// Decide as if the application could not be degraded.
		c.Fleet, c.Ledger = allOrNothing(c.Fleet, c.Ledger, app)
		again := turn.Take(c)
		if full, ok := again.Ruling.Find(app); ok && full.Verdict != model.VerdictGranted {
			full.Grants = d.Grants
			d = full
		}
	}
	v.Verdict, v.Reason, v.Message, v.Position = d.Verdict, d.Reason, d.Message, d.Position
	v.Standing, v.Shares = d.Standing, d.Shares
	if v.Reached {
		return v, nil
	}
	for _, limit := range d.Constraints {
		if !limit.OK {
			v.Failing = append(v.Failing, limit)
		}
	}
	v.Ahead = append(v.Ahead, d.BlockedBy...)
	list, _ := arbitration.Advice(c.Fleet, c.Seen, c.Ledger, c.Now, app)
	for _, a := range list {
		v.Ways, v.Advice = append(v.Ways, a.String()), append(v.Advice, a)
	}
	return v, nil
}

// reached reports whether a decision gives a level.
func reached(d *model.Decision, level Level) bool {
	switch level {
	case LevelFull:
		return d.Verdict == model.VerdictGranted && !d.Degraded && d.Refused == nil
	case LevelMinimum:
		return d.Verdict == model.VerdictGranted
	}
	return d.Verdict == model.VerdictGranted || d.Verdict == model.VerdictWaiting
}

// allOrNothing returns the same fleet, in which one application cannot be degraded and asks for its place anew.
func allOrNothing(fleet model.Fleet, ledger model.Ledger, app model.AppID) (model.Fleet, model.Ledger) {
	fleet.Applications = slices.Clone(fleet.Applications)
	for i := range fleet.Applications {
		if a := *fleet.Applications[i]; a.ID == app {
			a.Policy = new(*a.Policy)
			a.Policy.Degradation = false
			fleet.Applications[i] = &a
		}
	}
	ledger.Instances = slices.Clone(ledger.Instances)
	for i := range ledger.Instances {
		if in := &ledger.Instances[i]; in.App == app && in.Phase.Active() {
			*in = model.Instance{App: app, Number: in.Number, Phase: model.PhaseAdmitted, Since: in.Since, Declared: in.Declared}
		}
	}
	ledger.Decisions = slices.DeleteFunc(slices.Clone(ledger.Decisions), func(d model.Decision) bool { return d.App == app })
	return fleet, ledger
}
