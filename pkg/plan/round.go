package plan

import (
	"strconv"
	"time"
)

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
