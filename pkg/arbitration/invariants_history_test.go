package arbitration_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/follow"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/inside"
	"github.com/d-aros/d-aros/test/arbitration/story"
)

// remembered draws a world in which weights follow past use.
func remembered(t *rapid.T) *scene {
	s := dressed(t)
	s.past = true
	s.Fleet.Platform.HalfLife = time.Duration(1+s.rng.IntN(300)) * time.Hour
	s.use()
	return s
}

// use lets the ledger say something of past use.
func (s *scene) use() {
	half := s.Fleet.Platform.HalfLife
	past := &model.PastUse{At: s.Now, HalfLife: half}
	draw := func(n model.NodeUse) {
		if n.Used, n.Step = s.rng.Int64N(half.Microseconds()*3/2), model.LeastStep+s.rng.IntN(49); s.one(4) {
			n.Used = 0
		}
		past.Nodes = append(past.Nodes, n)
	}
	for i := range s.Fleet.Platform.Groups {
		draw(model.NodeUse{Group: s.Fleet.Platform.Groups[i].Name})
	}
	for i := range s.Fleet.Tenants {
		draw(model.NodeUse{Tenant: s.Fleet.Tenants[i].Name})
	}
	if s.Ledger.PastUse = past.Seal(); s.one(8) {
		past.Nodes = slices.Clone(past.Nodes[1:]) // by hand
	}
}

// TestDecidingWhatChangedIsDecidingEverythingByPastUse: an arbiter that remembers rules as one that does not
// where weights follow past use.
func TestDecidingWhatChangedIsDecidingEverythingByPastUse(t *testing.T) {
	decidingWhatChanged(t, 4, remembered, follow.Silent, arbitration.Rule)
}

// halfOfAll is the past use, in millionths of a second, of who has half of all capacity on average, by a half-life of an hour.
const halfOfAll = 2_596_851_172

// TestWeightsAreScaledOnce: what is fair follows the declared weights in every pass of an arbiter that remembers, although its nodes
// have the scaled ones of the pass before. a had the half that is fair, b had nothing and counts twice.
func TestWeightsAreScaledOnce(t *testing.T) {
	s, err := story.Read(`
pool general cpu=10
tenant a
tenant b
asks a/1 b/1 a/2 b/2 a/3 b/3 size=10`)
	require.NoError(t, err)
	s.Fleet.Platform.HalfLife = time.Hour
	s.Ledger.PastUse = new(model.PastUse{At: s.Now, HalfLife: time.Hour, Nodes: []model.NodeUse{{Tenant: "a", Used: halfOfAll}}}).Seal()
	at, arbiter := &scene{World: s.World}, newWatched(follow.Silent)
	for n := 3; n > 0; n-- {
		fleet, seen, ledger := at.inputs()
		got, want := arbiter.Decide(fleet, seen, ledger, s.Now), s.Decide()
		require.Equal(t, []model.NodeUse{{Tenant: "a", Used: halfOfAll, Factor: 1000}}, got.PastUse.Nodes)
		require.Equal(t, want.PastUse, got.PastUse)
		require.Empty(t, differing(essence(want), essence(got)))
		s.Remove(model.AppID{Tenant: "a", Name: strconv.Itoa(n)}) // it asks for less, so fair shares are computed again
	}
	require.Equal(t, 1, arbiter.anew)
}

// TestWhatIsFairFollowsPastUse: an arbiter that remembers takes for b what a has beyond its fair share as soon as the ledger says that a
// had more, though nothing else changes.
func TestWhatIsFairFollowsPastUse(t *testing.T) {
	s, err := story.Read(`
policy preemption=any
pool general cpu=10
tenant a
tenant b
runs a/1 a/2 a/3 a/4 a/5 b/1 b/2 b/3 b/4 b/5 size=1
asks b/new size=1`)
	require.NoError(t, err)
	s.Fleet.Platform.HalfLife = time.Hour
	at, arbiter := &scene{World: s.World}, newWatched(follow.Silent)
	for _, verdict := range []model.Verdict{model.VerdictWaiting, model.VerdictGranted} {
		fleet, seen, ledger := at.inputs()
		got := arbiter.Decide(fleet, seen, ledger, s.Now)
		require.Empty(t, differing(essence(s.Decide()), essence(got)))
		d, _ := got.Find(model.AppID{Tenant: "b", Name: "new"})
		require.Equal(t, verdict, d.Verdict, d.Message)
		s.Ledger.PastUse = new(model.PastUse{At: s.Now, HalfLife: time.Hour, Nodes: []model.NodeUse{{Tenant: "a", Used: 2 * halfOfAll}}}).Seal()
	}
	require.Equal(t, 1, arbiter.anew)
}

// I45. Past use makes other weights of those that are declared, and nothing else: within a quarter and twice, guarantees
// hold as they do without, and the ruling is the one that these weights would have if people had written them.
func TestPastUseChangesWeightsOnly(t *testing.T) { holds(t, 4, pastUseChangesWeightsOnly) }

func pastUseChangesWeightsOnly(t *rapid.T) {
	s := remembered(t).lived(t)
	weights, without := s.inside().Weights(), s.clone()
	without.Fleet.Platform.HalfLife = 0
	plain := inside.Look(without.Fleet, without.Seen, without.Ledger, without.Now).Weights()
	for name, w := range weights {
		if w.Counts*4 < 256*w.Declared || w.Counts > 2*256*w.Declared {
			t.Fatalf("the weight %d of %s counts %d in 256ths", w.Declared, name, w.Counts)
		}
		require.Equal(t, plain[name].Floor, w.Floor, name)
		require.Equal(t, plain[name].Declared, plain[name].Counts)
	}
	for i := range without.Fleet.Tenants {
		tn := &without.Fleet.Tenants[i]
		tn.Weight = int(weights[tn.Name].Counts)
	}
	groups := slices.Clone(without.Fleet.Platform.Groups)
	for i := range groups {
		groups[i].Weight = int(weights[groups[i].Name].Counts)
	}
	without.Fleet.Platform.Groups = groups
	if diff := differing(essence(without.Decide()), essence(s.Decide())); diff != "" {
		t.Fatal(diff)
	}
}
