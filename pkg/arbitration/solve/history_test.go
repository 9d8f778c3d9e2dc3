package solve

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// root is the power of two with the exponent n/of, of a fraction, found by bisection in exact numbers: x with x^of = 2^n.
func root(n, of int64) *big.Rat {
	low, high := new(big.Rat), big.NewRat(1<<16, 1)
	want := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(2), big.NewInt(max(n, -n)), nil))
	if n < 0 {
		want.Inv(want)
	}
	for range 80 {
		mid := new(big.Rat).Add(low, high)
		mid.Quo(mid, big.NewRat(2, 1))
		power := big.NewRat(1, 1)
		for range of {
			power.Mul(power, mid)
		}
		if power.Cmp(want) > 0 {
			high = mid
		} else {
			low = mid
		}
	}
	return low
}

func near(t require.TestingT, want, got, most *big.Rat) {
	diff := new(big.Rat).Sub(want, got)
	require.LessOrEqual(t, diff.Abs(diff).Cmp(most), 0, "%s, the twin says %s", got.FloatString(18), want.FloatString(18))
}

func TestHalvedIsThePowerOfTwo(t *testing.T) {
	for of := int64(1); of <= 16; of++ {
		for n := int64(0); n <= 3*of; n++ {
			got := new(big.Rat).SetFrac64(int64(halved(Share(n), Share(of))), int64(one))
			near(t, root(-n, of), got, big.NewRat(1, 1<<50))
		}
	}
	require.Zero(t, halved(62, 1))
	require.Equal(t, one, halved(0, 7))
}

// TestPastUseHalves: what a node had counts by half after each half-life, in whatever pieces the time is counted, and who
// always has a share has it on average in the end.
func TestPastUseHalves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		half := time.Duration(rapid.IntRange(3600, 8760*3600).Draw(t, "seconds")) * time.Second
		pieces := rapid.IntRange(1, 200).Draw(t, "pieces")
		c := shared(half)
		n := c.Nodes[c.Tenants["a"]]
		n.Had = Share(rapid.Uint64Range(0, uint64(Whole)).Draw(t, "share"))
		c.Ledger.PastUse = c.PastUse(c.Ledger.PastUse, c.Now)
		for range pieces {
			c.Now = c.Now.Add(half / time.Duration(pieces))
			c.Ledger.PastUse = c.PastUse(c.Ledger.PastUse, c.Now)
			c.ReadPast(c.Ledger.PastUse)
		}
		// After one half-life all that it can have is half there. A moment is a second, so a piece may be cut off.
		missing := new(big.Rat).SetFrac64(int64(n.Had/2), int64(Whole))
		is := new(big.Rat).SetFrac64(int64(c.average(n)), int64(Whole))
		near(t, missing, is, big.NewRat(1, 3000))
	})
}

// shared is a case of two tenants.
func shared(half time.Duration) *Case {
	fleet := model.Fleet{Platform: &model.Platform{HalfLife: half, Groups: []model.Group{{Name: "a", Weight: 1, Tenants: []string{"a"}}}},
		Tenants: []model.Tenant{{Name: "a", Weight: 3}, {Name: "b", Weight: 2}}}
	return New(Inputs{Fleet: fleet, Now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)})
}

func TestStepsAreThoseOfThePowerOfTwo(t *testing.T) {
	fair := Whole / 4
	for used, step := range map[Share]int{0: 16, fair: 0, fair / 2: 8, 2 * fair: -16, 3 * fair: -32, Whole: -32, fair / 8: 14} {
		require.Equal(t, step, stepOf(used, fair, -7), "%d", used)
	}
	require.Equal(t, 3, stepOf(fair, 0, 3), "who asks for nothing stays where it is")
	for was := range 2 {
		require.Equal(t, was, stepOf(fair-fair/32, fair, was), "between two steps it stays on the one that it is on")
	}
}

// TestScaledWeightsAreExact compares weights with exact powers: they differ by less than a hundredth.
func TestScaledWeightsAreExact(t *testing.T) {
	c := shared(time.Hour)
	for step := model.LeastStep; step <= model.MostStep; step++ {
		c.unweighted = make([]Share, len(c.Nodes))
		for i := range c.Nodes {
			c.Nodes[i].was = step
		}
		c.Reweigh()
		for _, n := range c.Nodes {
			want := new(big.Rat).Mul(root(int64(step), 16), big.NewRat(n.Declared, 1))
			near(t, want, big.NewRat(n.Weight, unscaled), new(big.Rat).Quo(want, big.NewRat(100, 1)))
			require.GreaterOrEqual(t, n.Weight*4, n.Declared*unscaled)
			require.LessOrEqual(t, n.Weight, n.Declared*unscaled*2)
		}
	}
}

// TestPastUseThatCannotBe: a record that was changed by hand counts for nothing and is begun anew, and a clock that jumps
// back takes nothing away and adds nothing.
func TestPastUseThatCannotBe(t *testing.T) {
	c := shared(time.Hour)
	past := &model.PastUse{At: c.Now, HalfLife: time.Hour, Nodes: []model.NodeUse{
		{Group: "a", Used: 1_000_000, Step: 3}, {Tenant: "b", Used: 2_000_000, Step: -5}, {Tenant: "gone", Used: 5}}}
	c.Ledger.PastUse = past.Seal()
	c.ReadPast(c.Ledger.PastUse)
	c.FairShares() // nobody asks for anything
	group, b := c.Nodes[1], c.Nodes[c.Tenants["b"]]
	require.Equal(t, []int{3, -5, 16}, []int{group.Step, b.Step, c.Nodes[c.Tenants["a"]].Step}, "a group and a tenant of one name are two")

	back := c.PastUse(c.Ledger.PastUse, c.Now.Add(-24*time.Hour))
	require.Equal(t, []model.NodeUse{{Group: "a", Used: 1_000_000, Step: 3, Factor: 1139}, {Tenant: "b", Used: 2_000_000, Step: -5, Factor: 805}}, back.Nodes)
	require.Equal(t, c.Now.Add(-24*time.Hour), back.At)
	require.True(t, past.Due(time.Hour, back.At), "so that time counts again")
	require.False(t, past.Due(time.Hour, c.Now.Add(time.Minute/2)))
	require.True(t, past.Due(time.Hour, c.Now.Add(time.Minute)))
	require.True(t, past.Due(2*time.Hour, c.Now))

	past.Nodes[1].Used++
	require.False(t, past.Intact())
	require.True(t, past.Due(time.Hour, c.Now))
	c.ReadPast(c.Ledger.PastUse)
	c.Reweigh()
	require.Equal(t, 16, b.Step)
	anew := c.PastUse(c.Ledger.PastUse, c.Now)
	require.Equal(t, c.Now, anew.Anew)
	require.Empty(t, anew.Nodes)
	c.Ledger.PastUse = anew
	require.Equal(t, c.Now, c.PastUse(c.Ledger.PastUse, c.Now.Add(59*time.Minute)).Anew, "it is said for a half-life")
	require.Zero(t, c.PastUse(c.Ledger.PastUse, c.Now.Add(time.Hour)).Anew)

	for _, none := range []time.Duration{0, 1, time.Hour - 1, model.MostHalfLife + 1} {
		c := shared(none)
		require.Zero(t, c.HalfLife)
		require.Nil(t, c.PastUse(nil, c.Now))
	}
}

// TestOtherHalfLife: what a node had on average stays when the half-life is edited.
func TestOtherHalfLife(t *testing.T) {
	c := shared(4 * time.Hour)
	n := c.Nodes[c.Tenants["b"]]
	n.used = int64(allOf(4*time.Hour) / 5)
	before := c.average(n)
	n.Step = 0
	c.Ledger.PastUse = c.PastUse(c.Ledger.PastUse, c.Now)
	c.HalfLife = 100 * time.Hour
	c.ReadPast(c.Ledger.PastUse)
	require.InDelta(t, float64(before), float64(c.average(n)), float64(grain))
}
