package optimum

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

func cpu(n int64) model.Resources { return model.Resources{CPU: n} }

func evictable(tier int, n int64) Option { return Option{Tier: tier, Frees: []model.Resources{cpu(n)}} }

func TestLeast(t *testing.T) {
	for _, c := range []struct {
		name    string
		need    int64
		options []Option
		want    Cost
	}{
		{"one large rather than two small", 3, []Option{evictable(0, 1), evictable(0, 2), evictable(0, 4)}, Cost{[]int{1}, 0, 333}},
		{"two that fit rather than two with waste", 3, []Option{evictable(0, 1), evictable(0, 2), evictable(0, 2)}, Cost{[]int{2}, 0, 0}},
		{"three low rather than one high", 3, []Option{evictable(0, 1), evictable(0, 1), evictable(0, 1), evictable(1, 3)}, Cost{[]int{0, 3}, 0, 0}},
		{"less rather than nothing", 2, []Option{evictable(0, 2), {Frees: []model.Resources{cpu(2), cpu(3)}}}, Cost{[]int{0}, 1, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, found := Least(cpu(c.need), c.options)
			require.True(t, found)
			require.Equal(t, c.want, got)
		})
	}
	_, found := Least(cpu(9), []Option{evictable(0, 4), evictable(1, 4)})
	require.False(t, found, "8 are not 9")
}

// TestBestIsNeverWorse holds the search against sets chosen at random.
func TestBestIsNeverWorse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		capacity, weights := cpu(1000*int64(2+rng.IntN(6))), []int{1, 2}
		asks := make([]Ask, 8)
		for i := range asks {
			asks[i] = Ask{Tenant: rng.IntN(2), Amount: cpu(1000 * int64(1+rng.IntN(3)))}
		}
		best := Best(capacity, weights, asks)
		for range 50 {
			if v, fits := Worth(capacity, weights, asks, uint(rng.IntN(1<<8))); fits {
				require.LessOrEqual(t, v.Admitted, best.Admitted)
				require.LessOrEqual(t, v.Used, best.Used)
				require.LessOrEqual(t, v.Least, best.Least)
			}
		}
	}
}

// TestNoChoiceIsCheaper holds the search against choices made at random.
func TestNoChoiceIsCheaper(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		options := make([]Option, 8)
		for i := range options {
			options[i] = evictable(rng.IntN(3), int64(1+rng.IntN(5)))
			if rng.IntN(2) == 0 {
				options[i].Frees = []model.Resources{cpu(1), cpu(6)}
			}
		}
		need := cpu(int64(1 + rng.IntN(15)))
		best, found := Least(need, options)
		for range 200 {
			choice := make([]int, len(options))
			for i := range choice {
				choice[i] = rng.IntN(len(options[i].Frees) + 1)
			}
			if c, enough := Measure(need, options, choice); enough {
				require.True(t, found)
				require.GreaterOrEqual(t, c.Compare(best), 0, "%+v is cheaper than %+v", c, best)
			}
		}
	}
}
