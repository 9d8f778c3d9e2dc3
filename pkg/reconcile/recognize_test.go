package reconcile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

const (
	ours   = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	theirs = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// save is one save of a ledger.
func save(id string, sequence int64) model.LedgerIdentity {
	return model.LedgerIdentity{ID: id, Sequence: sequence, Fleet: "fleet"}
}

// TestRecognize: what a branch says is judged by whatever remembers the ledger.
func TestRecognize(t *testing.T) {
	branches := map[string]model.Ledger{
		"gone":     {},
		"empty":    {Revision: model.Revision{1}},
		"unnamed":  {Revision: model.Revision{1}, Commit: "c"},
		"foreign":  {Revision: model.Revision{1}, Commit: "c", Identity: save(theirs, 90)},
		"renamed":  {Revision: model.Revision{1}, Commit: "c", Identity: model.LedgerIdentity{ID: ours, Sequence: 10, Fleet: "other"}},
		"older":    {Revision: model.Revision{1}, Commit: "c", Identity: save(ours, 9)},
		"the same": {Revision: model.Revision{1}, Commit: "c", Identity: save(ours, 10)},
		"newer":    {Revision: model.Revision{1}, Commit: "c", Identity: save(ours, 11)},
	}
	anchor := func(m memory, at model.LedgerIdentity) memory {
		m.anchor, m.anchored = model.Anchor{LedgerIdentity: at}, true
		return m
	}
	nothing := memory{fleet: "fleet", branch: "status"}
	kept := memory{fleet: "fleet", branch: "status", kept: save(ours, 10)}
	strict := map[string]string{"gone": "missing", "empty": "empty", "unnamed": "foreign", "foreign": "foreign", "renamed": "foreign", "older": "older"}
	damaged := map[string]string{}
	for name := range branches {
		damaged[name] = "anchor"
	}
	for name, c := range map[string]struct {
		memory memory
		want   map[string]string // reason by branch; "" where it is recognized
	}{
		"nothing":                    {nothing, map[string]string{"renamed": "foreign"}},
		"the anchor":                 {anchor(nothing, save(ours, 10)), strict},
		"the copy":                   {kept, strict},
		"both":                       {anchor(kept, save(ours, 10)), strict},
		"an anchor behind the copy":  {anchor(kept, save(ours, 9)), strict},
		"an anchor before the copy":  {anchor(kept, save(ours, 11)), map[string]string{"gone": "missing", "empty": "empty", "unnamed": "foreign", "foreign": "foreign", "renamed": "foreign", "older": "older", "the same": "older"}},
		"an anchor of another":       {anchor(kept, save(theirs, 90)), map[string]string{"gone": "missing", "empty": "empty", "unnamed": "foreign", "renamed": "foreign", "older": "foreign", "the same": "foreign", "newer": "foreign"}},
		"a damaged anchor":           {anchor(kept, save("x", 10)), damaged},
		"an anchor without a number": {anchor(kept, save(ours, 0)), damaged},
		"an anchor of another fleet": {anchor(kept, model.LedgerIdentity{ID: ours, Sequence: 1, Fleet: "other"}), damaged},
		"a copy of another fleet":    {memory{fleet: "fleet", kept: model.LedgerIdentity{ID: theirs, Sequence: 5, Fleet: "other"}}, map[string]string{"renamed": "foreign"}},
		"objects": {memory{fleet: "fleet", objects: []string{ours}},
			map[string]string{"gone": "missing", "empty": "empty", "unnamed": "foreign", "foreign": "foreign", "renamed": "foreign"}},
		"objects of two":        {memory{fleet: "fleet", objects: []string{ours, theirs}}, map[string]string{"gone": "missing", "empty": "empty", "unnamed": "foreign", "renamed": "foreign"}},
		"objects without names": {memory{fleet: "fleet", objects: []string{""}}, map[string]string{"gone": "missing", "empty": "empty", "renamed": "foreign"}},
		"this process":          {memory{fleet: "fleet", last: save(ours, 10)}, strict},
	} {
		for branch, ledger := range branches {
			refused := c.memory.judge(&ledger)
			if want := c.want[branch]; want == "" {
				require.Nil(t, refused, "%s remembers, the branch is %s", name, branch)
			} else {
				require.NotNil(t, refused, "%s remembers, the branch is %s", name, branch)
				require.Equal(t, want, refused.Reason, "%s remembers, the branch is %s: %s", name, branch, refused)
				require.Contains(t, refused.Error(), "Bring the branch back")
				require.Contains(t, refused.Error(), "--adopt")
				require.NotContains(t, refused.Error(), strings.Repeat("a", 9), "ids are short")
			}
		}
	}
}
