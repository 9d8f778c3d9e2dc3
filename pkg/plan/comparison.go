package plan

import (
	"strconv"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Comparison is the effect of a change of the fleet repo, with the inputs of the comparison.
type Comparison struct {
	Before Side      `json:"from"`
	After  Side      `json:"to"`
	Status string    `json:"statusCommit,omitempty"` // of the status branch with the running applications
	Now    time.Time `json:"now"`
	Notes  []string  `json:"notes"` // assumptions, as sentences
	Changes

	// Approvals are who has to approve the change, by part of the repo, if access names anybody. Nil: that was not looked at.
	Approvals []Approval `json:"approvals,omitzero"`

	// Links are where a comment links to.
	Links model.Links `json:"links,omitzero"`

	// Rounds are the passes after the change until rest, and Changes is then what differs at
	// rest. Nil: Changes is what differs after the next pass.
	Rounds []Round `json:"rounds,omitzero"`

	Next model.Ledger `json:"-"` // that the next pass saves if nothing else happens; with Rounds, the last one
}

// Result returns the verdict on the change: of what it does at once, and at rest.
func (c *Comparison) Result() Result {
	result := c.Changes.Result()
	if len(c.Rounds) > 0 && result != ResultRefused {
		if first := c.Rounds[0].Changes(); !first.Empty() {
			return first.Result()
		}
	}
	return result
}

// Side is one of the two states of the fleet repo that are compared.
type Side struct {
	Name   string `json:"name"`
	Commit string `json:"commit,omitempty"` // "" for files that are not committed
}

// Round is what one pass changes on the way to rest. The first differs from what the same pass
// of the base does, each later one from the pass before it.
type Round struct {
	Number       int           `json:"round"` // of the passes, from 1; those that change nothing are left out
	At           time.Time     `json:"at"`
	Applications []Application `json:"applications"`
	Price        Price         `json:"pricePerHour"`
	Runs         []RunChange   `json:"runs"`
}

// RoundOf returns the round that leads from an outcome to another.
func RoundOf(number int, at time.Time, before, after *Outcome) Round {
	c := Compare(before, after)
	return Round{number, at, append([]Application{}, c.Applications...), c.Price, append([]RunChange{}, c.Runs...)}
}

// Changes returns what people are shown of the round.
func (r *Round) Changes() *Changes {
	return &Changes{Applications: r.Applications, Price: r.Price, Runs: r.Runs}
}

// String names the round: "Round 2 at 2026-03-01T12:00:30Z".
func (r *Round) String() string {
	return "Round " + strconv.Itoa(r.Number) + " at " + r.At.UTC().Format(time.RFC3339)
}
