package qos

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const ledgerID = "0123456789abcdef0123456789abcdef"

// A generation is that of the last difference.
func TestEncodeAfter(t *testing.T) {
	plan := Plan{Source: "8f3c", Ledger: ledgerID, Generation: 7}
	first := EncodeAfter(nil, plan)
	require.Contains(t, string(first), `"generation": 7`)
	back, err := Parse(first)
	require.NoError(t, err)
	require.Equal(t, []any{ledgerID, int64(7)}, []any{back.Ledger, back.Generation})

	plan.Generation = 9
	require.Equal(t, string(first), string(EncodeAfter(first, plan)), "it promises the same")
	plan.Source = "9a00"
	second := EncodeAfter(first, plan)
	require.Contains(t, string(second), `"generation": 9`)
	plan.Ledger = strings.Repeat("a", 32)
	require.NotEqual(t, string(second), string(EncodeAfter(second, plan)))
	plan.Generation = 0 // as a ledger without an id has it
	uncounted := Encode(plan)
	plan.Generation = 9
	require.Equal(t, string(uncounted), string(EncodeAfter(uncounted, plan)), "the count alone is no other promise")
	require.Equal(t, string(Encode(Plan{})), string(EncodeAfter([]byte("broken"), Plan{})))
}

func TestOldCopiesDoNotFollow(t *testing.T) {
	inForce := Plan{Ledger: ledgerID, Generation: 7}
	for _, c := range []struct {
		ledger     string
		generation int64
		want       string
	}{
		{ledgerID, 6, "it is of generation 6, and that of generation 7 has been in force: it is an old copy"},
		{ledgerID, 7, ""},
		{ledgerID, 8, ""},
		{strings.Repeat("a", 32), 1, ""}, // a fleet that begins anew
		{"", 0, ""},                      // a person writes it, or the pool is gone
	} {
		next := Plan{Ledger: c.ledger, Generation: c.generation}
		if err := next.Follows(&inForce); c.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
	_, err := Parse([]byte("apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nledger: mine\ngeneration: -1\n"))
	require.EqualError(t, err, `plan: ledger "mine", generation -1: want 32 hexadecimal digits or none, and a number`)
}
