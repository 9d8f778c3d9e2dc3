//go:build linux

package nodeagent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An old copy of a plan takes nothing back, also after a restart and in a dry run; an older state that Git has again
// is a new generation, and a ledger that begins anew counts anew.
func TestOldPlansAreRefused(t *testing.T) {
	n := newNode(t)
	plan := func(ledger string, generation int, limit string) string {
		return strings.Replace(n.document(limit), "source:", fmt.Sprintf("ledger: %q\ngeneration: %d\nsource:", ledger, generation), 1)
	}
	ledger, other := strings.Repeat("a", 32), strings.Repeat("b", 32)
	refused := func(r Report, err error) {
		t.Helper()
		require.NoError(t, err)
		require.Contains(t, r.Problem, "it is of generation 7, and that of generation 8 has been in force: it is an old copy")
		require.False(t, r.Holds())
		require.Equal(t, "30000", n.quota())
	}
	applied := func(text, quota string) {
		t.Helper()
		n.write(text)
		r, err := Once(t.Context(), n.cfg, false)
		require.NoError(t, err)
		require.True(t, r.Holds(), r.Problem)
		require.Equal(t, quota, n.quota())
	}
	applied(plan(ledger, 7, "200m"), "20000")
	applied(plan(ledger, 8, "300m"), "30000")
	n.write(plan(ledger, 7, "200m"))
	refused(Once(t.Context(), n.cfg, true))
	refused(Once(t.Context(), n.cfg, false))
	refused(Once(t.Context(), n.cfg, false))
	applied(plan(ledger, 9, "200m"), "20000")
	applied(plan(other, 1, "300m"), "30000")

	stop := n.start() // and while it runs
	n.eventually("it runs", func() bool { return strings.Contains(n.log.String(), "plan in force") })
	n.write(plan(other, 2, "200m"))
	n.eventuallyQuota("20000")
	n.write(plan(other, 1, "300m"))
	n.eventually("the refusal is said", func() bool { return strings.Contains(n.log.String(), "it is an old copy") })
	require.Equal(t, "20000", n.quota())
	stop()
}
