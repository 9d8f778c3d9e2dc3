package turn

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// tenantSteps is how many steps of one tenant may act at a time.
const tenantSteps = 50

// Case is everything that a pass decides on.
type Case struct {
	Fleet    model.Fleet       // of the accepted commit, its renderings checked
	Checked  *Checked          // by that check; nil: its applications want no names
	Refused  *access.Violation // why the commit after the accepted one is refused; nil: none is
	Ledger   model.Ledger
	Source   model.SourceState // of the next ledger
	Seen     model.Observation // of Platform(Fleet, Ledger)
	Orphans  []model.Inventory // in the cluster, of applications that the ledger has no record of
	Requests access.Requests
	Results  []workflow.Result // of probes and notices
	Tallies  workflow.Tallies  // that the last outcome left; nil: nothing is known of answers
	Now      time.Time

	Series
}

// A Series is what only a caller sets that takes turn after turn.
type Series struct {
	// Newcomers is how many applications that the ledger has no record of the next one
	// records at most; 0: all. The rest follow with the next cases.
	Newcomers int

	// Doubts are why nothing is carried out by the specs of some records. The loop looks
	// for them in commits where nobody signs the ledger.
	Doubts map[model.AppID]lifecycle.Doubt

	// Decide rules on a fleet; nil means arbitration.Decide. It rules the same, and
	// remembers its last case.
	Decide func(model.Fleet, model.Observation, model.Ledger, time.Time) model.Ruling
}

// Outcome is the decision.
type Outcome struct {
	Fleet  model.Fleet  // that was used, with what was kept of the ledger and all problems
	Ruling model.Ruling // what arbitration said of this case, also where it said so before
	Next   model.Ledger // that follows
	Moves  []lifecycle.Move
	Left   int // newcomers that the next ledger does not record yet

	// Tallies are for the next case, if this one was saved. No ledger has them.
	Tallies workflow.Tallies
}

// Decided reports whether there was a platform to decide on. If not, the next ledger
// differs from the last in its commit and its problems only, and nothing may be done
// to a runtime.
func (o *Outcome) Decided() bool { return o.Fleet.Platform != nil }

// Platform returns the platform that a pass uses: the one of the commit, or the last
// good one if that is not valid. It is nil if none was ever valid.
func Platform(fleet model.Fleet, ledger model.Ledger) *model.Platform {
	return cmp.Or(fleet.Platform, ledger.Platform)
}

// Take makes the whole decision of one pass. Equal cases have equal outcomes.
func Take(c Case) Outcome {
	fleet := c.Fleet
	c.Ledger = lifecycle.Refute(c.Ledger, c.Doubts, fleet.Commit, c.Now)
	fleet.Problems = slices.Concat(c.refusal(), c.doubted(), access.New(fleet.Platform, fleet.Tenants).Problems(c.Now), fleet.Problems)
	fleet, leaving := lifecycle.KeepLastGood(fleet, c.Ledger, c.Requests.Removals)
	if fleet.Platform == nil {
		next := c.Ledger
		next.Commit, next.Source, next.Problems, next.Revision = fleet.Commit, c.Source, fleet.Problems, model.Revision{}
		next.Orphans = c.orphans(&fleet)
		return Outcome{Fleet: fleet, Next: next, Tallies: c.Tallies}
	}
	fleet = lifecycle.KeepAllotments(fleet, &c.Ledger, c.Seen.Pools)
	fleet = lifecycle.KeepReservations(fleet, c.Seen.Pools)
	fleet = c.Checked.settle(fleet, &c.Ledger, leaving)
	fleet.Problems = slices.Concat(fleet.Problems, lifecycle.UnkeptUnits(&fleet, c.Seen.Shortfalls), c.Requests.Problems, begunAnew(&c.Ledger, c.Now))
	decide := c.Decide
	if decide == nil {
		decide = arbitration.Decide
	}
	c.Ledger = lifecycle.Retry(c.Ledger, c.commands(fleet, &c.Ledger, true), fleet.Commit, c.Now)
	fleet, moves := lifecycle.HoldMoves(fleet, &c.Ledger, leaving, func(f model.Fleet) model.Ruling { return arbitration.Rule(f, c.Seen, c.Ledger, c.Now) })
	ruling := decide(fleet, c.Seen, c.Ledger, c.Now)
	part, left := c.part(fleet, &ruling, moves)
	next := lifecycle.Advance(c.Ledger, part, ruling, c.Seen, c.Now)
	next.Source, next.Orphans = c.Source, c.orphans(&fleet)
	next.Source.Left = left
	next, tallies := c.carry(fleet, next)
	next.PastUse = pastUse(&c.Ledger, &next, ruling.PastUse, c.Now)
	return Outcome{fleet, ruling, next, moves, left, tallies}
}

func (c *Case) refusal() []model.Problem {
	if c.Refused == nil {
		return nil
	}
	return []model.Problem{c.Refused.Problem(c.Fleet.Commit)}
}

// doubted reports the specs of the ledger that no commit declares.
func (c *Case) doubted() (problems []model.Problem) {
	for _, app := range slices.SortedFunc(maps.Keys(c.Doubts), model.AppID.Compare) {
		problems = append(problems, model.Problem{Code: model.CodeSpecDoubted, Path: "tenants/" + app.String() + "/spec.json", Message: c.Doubts[app].Why, Tenant: app.Tenant, App: app.Name})
	}
	return problems
}

// carry carries the runs of workflows forward: what a run targets is laid on the
// components of its application, and how it ends decides about the phase.
func (c *Case) carry(fleet model.Fleet, next model.Ledger) (model.Ledger, workflow.Tallies) {
	reports := workflow.Reports{Commands: c.commands(fleet, &next, false), Results: c.Results, Tallies: c.Tallies, Seen: &c.Seen}
	runs, tallies := workflow.Carry(&c.Ledger, &next, reports, workflow.Limits{Steps: tenantSteps}, c.Now)
	return lifecycle.Follow(next, runs, c.Seen, c.Now), tallies
}

// commands returns what people ask of each application, in the order of their commits: to
// have a release on hold tried again, or what they ask of its run. Who asks is found out
// for commands that were not handled yet: the others are listed only because they are
// still there.
func (c *Case) commands(fleet model.Fleet, ledger *model.Ledger, retries bool) map[model.AppID][]model.Command {
	commands := map[model.AppID][]model.Command{}
	var policy *access.Policy
	for i := range c.Requests.List {
		r := &c.Requests.List[i]
		inst, ok := ledger.Find(r.App)
		if !ok {
			continue
		}
		asked := r.Commands()
		if slices.ContainsFunc(asked, func(m model.Command) bool { return workflow.IsNew(inst, m) }) {
			if policy == nil {
				policy = access.New(fleet.Platform, fleet.Tenants)
			}
			asked = policy.Commands(r, c.Now)
		}
		for _, m := range asked {
			if (m.Action == model.CommandRetry) == retries {
				commands[r.App] = append(commands[r.App], m)
			}
		}
	}
	return commands
}
