package qos

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSolve(t *testing.T) {
	for _, c := range []struct {
		name             string
		capacity, others int64
		claims           []claim
		want             []int64
	}{
		{"4 of 8 cores beside 4×100", 8000, 400, []claim{{4000, 303}}, []int64{400}},
		{"4 of 8 cores beside 40×17", 8000, 40 * 17, []claim{{4000, 303}}, []int64{680}},
		{"2 and 3 of 8 cores beside 300", 8000, 300, []claim{{2000, 170}, {3000, 243}}, []int64{200, 300}},
		{"others are ours too", 8000, 0, []claim{{4000, 303}, {0, 100}, {0, 100}, {0, 100}, {0, 100}}, []int64{400, 100, 100, 100, 100}},
		{"the request already weighs enough", 8000, 100, []claim{{1000, 303}}, []int64{303}},
		{"nobody else", 8000, 0, []claim{{4000, 303}}, []int64{303}},
		{"no reservation", 8000, 400, []claim{{0, 100}, {0, 1}}, []int64{100, 1}},
		{"more than a weight can say", 8000, 400, []claim{{7999, 1}, {0, 1}}, []int64{10000, 1}},
		{"more than there is", 4000, 100, []claim{{3000, 1}, {1500, 1}}, []int64{10000, 5000}},
	} {
		require.Equal(t, c.want, solve(c.capacity, c.others, 10000, c.claims), c.name)
	}
}

// Whoever fits gets its reservation, nobody falls below its floor, and no
// solved weight could be smaller by more than rounding.
func TestSolveKeepsReservations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.Int64Range(1000, 512_000).Draw(t, "capacity") * micro
		others := rapid.Int64Range(0, 5000).Draw(t, "others")
		claims := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) claim {
			return claim{rapid.Int64Range(0, 4000).Draw(t, "reserved") * micro, rapid.Int64Range(1, 10000).Draw(t, "floor")}
		}), 1, 20).Draw(t, "claims")
		var sum int64
		for _, c := range claims {
			sum += c.reserved
		}
		const most = 1 << 40 // weights without a ceiling: what fits must be kept
		weights := solve(capacity, others, most, claims)
		total := others
		for i, w := range weights {
			require.GreaterOrEqual(t, w, claims[i].floor)
			total += w
		}
		if sum >= capacity*9/10 {
			return
		}
		for i, w := range weights {
			got := wide(capacity, w).floor(total)
			// Rounding each weight up by less than one costs the others that much.
			slack := wide(capacity, int64(len(claims))).ceil(total)
			require.GreaterOrEqual(t, got+slack, claims[i].reserved)
			if w > claims[i].floor {
				require.LessOrEqual(t, got, claims[i].reserved+slack+1, "claim %d has more weight than it needs", i)
			}
		}
	})
}

func TestSolveStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claims := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) claim {
			return claim{rapid.Int64Range(0, 1<<50).Draw(t, "reserved"), rapid.Int64Range(1, 10000).Draw(t, "floor")}
		}), 1, 20).Draw(t, "claims")
		for _, w := range solve(rapid.Int64Range(0, 1<<50).Draw(t, "capacity"), rapid.Int64Range(0, 1<<40).Draw(t, "others"), 10000, claims) {
			require.GreaterOrEqual(t, w, int64(1))
			require.LessOrEqual(t, w, int64(10000))
		}
	})
}
