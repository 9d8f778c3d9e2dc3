package lifecycle

import (
	"flag"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/page"
)

var update = flag.Bool("update", false, "rewrite docs/lifecycle.md and the wanted histories in testdata")

func targets(r Rule, from model.Phase) model.Phase {
	if r.To == "" {
		return from
	}
	return r.To
}

// TestEveryPhaseIsReachable walks the table from Created.
func TestEveryPhaseIsReachable(t *testing.T) {
	reached := map[model.Phase]bool{model.PhaseCreated: true}
	for range model.Phases {
		for _, r := range Rules {
			for _, from := range r.From {
				if reached[from] {
					reached[targets(r, from)] = true
				}
			}
		}
	}
	for _, p := range model.Phases {
		require.True(t, reached[p], "%s is never reached", p)
	}
}

// TestEveryPhaseHasAWayOn: only Terminated is final.
func TestEveryPhaseHasAWayOn(t *testing.T) {
	for _, p := range model.Phases {
		on := slices.ContainsFunc(Rules, func(r Rule) bool { return slices.Contains(r.From, p) && targets(r, p) != p })
		require.Equal(t, p != model.PhaseTerminated, on, "%s", p)
	}
}

// TestPageIsTrue holds docs/lifecycle.md to the table.
func TestPageIsTrue(t *testing.T) {
	const file = "../../docs/lifecycle.md"
	page.Hold(t, *update, file, "table", table())
	page.Hold(t, *update, file, "chart", "```mermaid\n"+chart()+"```\n")
}
