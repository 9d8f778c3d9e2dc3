package offline

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// TestSettleEndsWhereTheLoopRests: on random fleets, of which some still start when a change comes, settling shows the
// next pass as its first round, ends, and ends with the rulings, byte for byte, at which passes every second come to
// rest on a runtime that starts everything.
func TestSettleEndsWhereTheLoopRests(t *testing.T) {
	later := 0
	rapid.Check(t, func(t *rapid.T) {
		before := drawCase(t)
		was := turn.Take(before)
		for range rapid.IntRange(0, 6).Draw(t, "passes") {
			before.Ledger, before.Seen.Workloads, before.Now = was.Next, started(&was.Next), before.Now.Add(time.Second)
			was = turn.Take(before)
		}
		c := before
		c.Ledger, c.Now = was.Next, c.Now.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "later"))*time.Second)
		c.Seen.Workloads = turn.AsRecorded(&c.Ledger)
		base := outcomeOf(turn.Take(c))
		change(t, &c)

		first := turn.Take(c)
		next := outcomeOf(first)
		rounds, n := []plan.Round{plan.RoundOf(1, c.Now, &base, &next)}, notes{}
		end := settle(c, first, &rounds, &n)
		require.Len(t, n, 1, "it comes to rest: %v", n)
		require.ElementsMatch(t, plan.Compare(&base, &next).Applications, rounds[0].Applications)
		for i := range rounds[1:] {
			require.Less(t, rounds[i].Number, rounds[i+1].Number)
			require.False(t, rounds[i+1].At.Before(rounds[i].At))
			if rounds[i+1].At.After(c.Now) {
				later++
			}
		}

		rest := loop(c)
		require.Equal(t, rulings(&rest), rulings(&end.Ledger))
		require.Equal(t, phases(&rest), phases(&end.Ledger))
	})
	if !testing.Short() { // of the twenty cases of -short there may be none
		require.Positive(t, later, "no round waited for a rule of time")
	}
}

// TestSettleEndsWithoutRest: where something keeps changing, the rounds end, and a note names it.
func TestSettleEndsWithoutRest(t *testing.T) {
	policy := generate.Policy(model.PreemptionAny)
	policy.StartDeadline = time.Hour
	w := world.New(model.Platform{Name: "restless", Policy: policy})
	w.AddPool(model.Pool{Name: "general", Nodes: 1, Capacity: model.Resources{CPU: 4000, Memory: 1 << 30}})
	w.Fleet.Tenants = []model.Tenant{{Name: "acme", Weight: 1, PriorityCeiling: 1000, Policy: policy}}
	w.Declare(generate.App("acme", "blog", 100, 3, model.Resources{CPU: 1000}, &policy).Seal())
	w.Declare(generate.App("acme", "shop", 100, 3, model.Resources{CPU: 1000}, &policy).Seal())
	c := turn.Case{Fleet: w.Fleet, Seen: w.Seen, Now: w.Now}
	first, turns := turn.Take(c), 0
	c.Decide = func(model.Fleet, model.Observation, model.Ledger, time.Time) model.Ruling {
		ruling := first.Ruling
		ruling.Decisions = slices.Clone(ruling.Decisions)
		turns++
		ruling.Decisions[1].Reason, ruling.Decisions[1].Position = model.Reason(fmt.Sprint("Turn", turns)), turns
		return ruling
	}
	before, after := plan.Outcome{Fleet: w.Fleet}, outcomeOf(first)
	rounds, n := []plan.Round{plan.RoundOf(1, c.Now, &before, &after)}, notes{}
	settle(c, first, &rounds, &n)
	require.Len(t, rounds, mostRounds)
	require.Equal(t, "after 50 rounds the fleet is not at rest; these keep changing: acme/shop", n[1])
}

// rulings digests the decisions of a ledger without their advice, which hangs on the clock: who may give way does.
func rulings(l *model.Ledger) model.Digest {
	list := slices.Clone(l.Decisions)
	for i := range list {
		list[i].Advice, list[i].Advised = nil, nil
	}
	return model.DigestOf(list)
}

// loop makes passes, every second once none changes anything at once, until none has for longer than any rule of time.
func loop(c turn.Case) model.Ledger {
	for quiet := 0; quiet < 70; {
		out := turn.Take(c)
		same := model.DigestOf(c.Ledger) == model.DigestOf(out.Next) && slices.EqualFunc(c.Ledger.Instances, out.Next.Instances,
			func(x, y model.Instance) bool { return x.SpecDigest() == y.SpecDigest() })
		c.Ledger, c.Orphans, c.Tallies, c.Seen.Workloads = out.Next, out.Next.Orphans, out.Tallies, started(&out.Next)
		if quiet++; !same {
			quiet = 0
			continue
		}
		c.Now = c.Now.Add(time.Second)
	}
	return c.Ledger
}

// started is a runtime that has started all that it was told.
func started(l *model.Ledger) (list []model.Workload) {
	for i := range l.Instances {
		if in := &l.Instances[i]; in.Phase.Active() {
			for _, s := range in.Components {
				list = append(list, model.Workload{App: in.App, Component: s.Grant.Component, Digest: s.Workload, Replicas: s.Run, Ready: s.Run, Current: true})
			}
		}
	}
	slices.SortFunc(list, func(a, b model.Workload) int {
		return cmp.Or(a.App.Compare(b.App), strings.Compare(a.Component, b.Component))
	})
	return list
}

// drawCase draws a fleet of which nothing runs yet.
func drawCase(t *rapid.T) turn.Case {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	shape := generate.Everything(3, rapid.IntRange(2, 10).Draw(t, "applications"))
	shape.Preemption = rapid.SampledFrom([]model.Preemption{model.PreemptionReclaim, model.PreemptionAny}).Draw(t, "preemption")
	w := generate.Random(rng, shape)
	c := turn.Case{Fleet: w.Fleet, Seen: model.Observation{Pools: w.Seen.Pools}, Now: w.Now}
	for i, app := range c.Fleet.Applications {
		spec := *app
		spec.Policy = new(*app.Policy)
		spec.Policy.StartDeadline = time.Hour
		spec.Policy.MinRuntime = time.Duration(rng.IntN(3)) * 20 * time.Second
		spec.Policy.ReserveAfter = time.Duration(rng.IntN(3)) * 10 * time.Second
		spec.Components = slices.Clone(spec.Components)
		if last := len(spec.Components) - 1; last > 0 && rng.IntN(2) == 0 {
			spec.Components[last].DependsOn = []string{spec.Components[0].Name}
		}
		spec = spec.Seal()
		c.Fleet.Applications[i] = &spec
	}
	return c
}

// change edits a few applications, or the capacity.
func change(t *rapid.T, c *turn.Case) {
	c.Fleet.Applications = slices.Clone(c.Fleet.Applications)
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		n := rapid.IntRange(0, len(c.Fleet.Applications)-1).Draw(t, "of")
		spec := *c.Fleet.Applications[n]
		switch rapid.SampledFrom([]string{"priority", "replicas", "stop", "capacity"}).Draw(t, "change") {
		case "priority":
			spec.Priority = rapid.SampledFrom([]int{10, 200, 600, 950}).Draw(t, "priority")
		case "replicas":
			spec.Components = slices.Clone(spec.Components)
			spec.Components[0].Replicas = rapid.IntRange(1, 6).Draw(t, "replicas")
		case "stop":
			spec.Desired = "terminated"
		case "capacity":
			c.Seen.Pools = slices.Clone(c.Seen.Pools)
			c.Seen.Pools[0].Capacity.CPU = c.Seen.Pools[0].Capacity.CPU * int64(rapid.IntRange(1, 4).Draw(t, "halves")) / 2
		}
		spec = spec.Seal()
		c.Fleet.Applications[n] = &spec
	}
}

func phases(l *model.Ledger) (all []string) {
	for i := range l.Instances {
		in := &l.Instances[i]
		all = append(all, fmt.Sprint(in.App, in.Number, in.Phase, in.Reason))
	}
	return all
}
