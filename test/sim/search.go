package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Options are what is special about a world.
type Options struct {
	Plant Sabotage // a bug that every process has; nil: none

	// Plan plans every pass, for comparison with what is saved; nil: turn.Take. With
	// a bug planted nothing is planned, unless Planned says so.
	Plan    Plan
	Planned bool

	// Remake changes what a ledger says that is made again from the cluster; nil: nothing.
	Remake func(*model.Ledger)

	restless bool // the history ends with its last event, and nothing comes to rest
}

// Live makes a world, lives through a history in it and returns what did not hold,
// nil if all did.
func Live(history []Event, o Options) *Violation { return newWorld(o).run(history) }

// Tell lives through a history and tells it.
func Tell(history []Event, o Options) (string, *Violation) {
	w := newWorld(o)
	w.story = &strings.Builder{}
	v := w.run(history)
	return w.story.String(), v
}

// Finding is a seed whose history violates a rule.
type Finding struct {
	Seed      uint64
	Violation *Violation
}

func (f Finding) String() string { return fmt.Sprintf("%d: %s", f.Seed, f.Violation.Rule) }

// Search lives through the histories of n seeds from the first on and returns those that violate a rule, by seed.
func Search(first uint64, n, events int, o Options) (found []Finding) {
	for seed := first; seed < first+uint64(n); seed++ {
		if v := Live(Draw(seed, events), o); v != nil {
			found = append(found, Finding{seed, v})
		}
	}
	return found
}

// attempts bounds how often a history is lived through to shorten it.
const attempts = 4000

// Shrink returns a part of a history that violates the same rule, from which no
// single event can be taken, as far as attempts suffice.
func Shrink(history []Event, o Options, rule string) []Event {
	left := attempts
	fails := func(h []Event) bool {
		left--
		v := Live(h, o)
		return v != nil && v.Rule == rule
	}
	if v := Live(history, o); v != nil && v.Step <= len(history) {
		history, o.restless = history[:v.Step], true
	}
	for size := max(1, len(history)/2); left > 0; {
		removed := false
		for at := 0; at+size <= len(history) && left > 0; {
			shorter := slices.Concat(history[:at], history[at+size:])
			if fails(shorter) {
				history, removed = shorter, true
			} else {
				at += size
			}
		}
		if size == 1 && !removed {
			break
		}
		size = max(1, size/2)
	}
	return history
}

// Explain tells the shortest history that was found to violate the same rule, and
// how to keep it.
func Explain(history []Event, o Options, v *Violation) string {
	short := Shrink(history, o, v.Rule)
	story, v := Tell(short, o)
	return fmt.Sprintf("%v\n\n%s\nto keep it, as test/sim/testdata/kept/NAME.txt:\n%s", v, story, Text(short))
}
