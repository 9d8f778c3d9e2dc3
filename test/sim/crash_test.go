package sim

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/tier"
)

// TestCrashPoints ends the process at one line after the other of every pass of a workflow, has it start anew and go on. Each
// story comes to what it is about, whatever ends when.
func TestCrashPoints(t *testing.T) {
	on := strings.Repeat("wait 20s\npass ann\n", 4)
	first := "pass ann\n" + on
	for name, story := range map[string]struct {
		text string
		is   func(*model.Run) bool
	}{
		"approval": {
			"declare acme/shop gated v1 x3\npass ann\nask acme/shop approve\npass ann\n" + on,
			func(r *model.Run) bool { return r.Phase == model.RunSucceeded && r.Steps[0].Reason == "Approved" },
		},
		"canary": {
			"declare acme/shop gated v1 x3\npass ann\nask acme/shop approve\npass ann\n" + on +
				"declare acme/shop gated v2 x3\npass ann\nask acme/shop approve\npass ann\n" + on + "behave acme/shop web crash\n" + on,
			func(r *model.Run) bool {
				return slices.ContainsFunc(r.Targets, func(t model.Target) bool { return t.Next != nil })
			},
		},
		"blue-green": {
			"declare acme/blog switched v1 x2\n" + first + "declare acme/blog switched v2 x2\n" + first,
			func(r *model.Run) bool {
				return slices.ContainsFunc(r.Targets, func(t model.Target) bool { return t.Traffic == model.TrafficNext })
			},
		},
		"undo and rollback": {
			"declare acme/batch migrated v1 x2\n" + first + "declare acme/batch migrated v2 x2\nbehave acme/batch web slow\n" + first + "wait 6m\npass ann\n" + on,
			func(r *model.Run) bool { return r.Phase == model.RunRolledBack && r.Number == 2 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			history := parse(t, story.text)
			w := newWorld(Options{})
			require.Nil(t, w.run(history))
			require.True(t, slices.ContainsFunc(w.origin.versions, func(v version) bool {
				return slices.ContainsFunc(v.ledger.Instances, func(i model.Instance) bool { return i.Run != nil && story.is(i.Run) })
			}), "the story does not come to what it is about")

			crash := parse(t, "crash ann 1")[0]
			step, lives := tier.Count(71, 37, 1), 0
			for at, e := range history {
				if operations[e.Op].name != "pass" {
					continue
				}
				for line := at % step; line < len(lineWords); line += step {
					crash.Args[1] = line
					crashed := slices.Concat(history[:at], []Event{crash}, history[at:])
					if v := Live(crashed, Options{}); v != nil {
						t.Fatal(Explain(crashed, Options{}, v))
					}
					lives++
				}
			}
			t.Logf("%d crashes", lives)
		})
	}
}
