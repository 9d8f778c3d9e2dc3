package arbitration_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/follow"
	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/story"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// Of an application that waits, the smallest change is told, with its price, and what costs others nothing first.
func TestAdviceOfStories(t *testing.T) {
	for _, c := range []struct {
		name, situation, of string
		told                []string
	}{
		{"the first break point", `
			policy preemption=reclaim
			pool general cpu=10
			tenant a weight=9
			tenant b weight=1
			runs b/1 b/2 b/3 b/4 b/5 b/6 b/7 b/8 b/9 b/10 size=1
			asks a/job size=10`, "a/job", []string{"request 9 cpu for each replica of main instead of 10 (evicts b/10: 1 replica, 1 cpu; evicts b/2", "and moves 6 more)"}},
		{"up to its share", `
			policy preemption=reclaim
			pool general cpu=30
			tenant a
			tenant b
			tenant c
			runs a/big size=11
			runs b/01 b/02 b/03 b/04 b/05 b/06 b/07 b/08 b/09 b/10 b/11 b/12 b/13 b/14 b/15 b/16 b/17 b/18 b/19 size=1
			asks c/all size=30`, "c/all", []string{"request 10", "of main instead of 30"}},
		{"a priority costs a sibling its place", `
			policy preemption=within-tenant
			pool general cpu=8
			tenant a
			runs a/risk size=1 x=8
			asks a/job size=4`, "a/job", []string{"set priority to 201 (evicts a/risk: 8 replicas, 8 cpu)"}},
		{"another pool", `
			pool p1 cpu=4
			pool p2 cpu=8
			tenant a
			runs a/x size=4 in=p1
			asks a/job size=2 in=p1`, "a/job", []string{"run it in pool p2 instead of p1"}},
		{"a smaller minimum", `
			pool general cpu=6
			tenant a
			runs a/x size=4
			asks a/job size=1 x=4 min=3`, "a/job", []string{"let main run with 2 replicas while capacity is short"}},
		{"several racks", `
			pool batch cpu=16 racks=2
			tenant a
			runs a/x size=4 together=required rack=rack-1
			runs a/y size=4 together=required rack=rack-2
			asks a/job size=6 together=required`, "a/job", []string{"let it stand in several racks where no one has room for all (placement.together.mode: preferred)", "request 4 cpu for each replica of main instead of 6"}},
		{"what runs degraded", `
			pool general cpu=6
			tenant a
			runs a/x size=4
			asks a/job size=1 x=4 min=1`, "a/job", []string{"run main with 2 replicas instead of 4", "give pool general 2 cpu more (needs the platform's admin)"}},
		{"of several things each as little as is enough", `
			pool general cpu=5 memory=4Gi
			tenant a
			runs a/low size=4,1Gi priority=100
			runs a/x size=1,3Gi
			asks a/job size=5,4Gi`, "a/job", []string{"give pool general 1 cpu and 3Gi memory more (evicts a/low"}},
		{"and only one where one is enough", `
			pool general cpu=4 memory=4Gi
			tenant a
			runs a/low size=4,1Gi priority=100
			runs a/x size=0,3Gi
			asks a/job size=4,4Gi`, "a/job", []string{"give pool general 3Gi memory more (evicts a/low"}},
		{"it starts by itself", `
			policy preemption=none
			pool general cpu=8
			tenant acme guarantee=8
			tenant beta
			runs beta/train size=6 expect=100m began=10m
			asks acme/large size=8`, "acme/large", []string{"wait: it starts by itself at about 2026-01-01 13:30 UTC if beta/train ends by then"}},
		{"a job that ends before another starts", `
			policy preemption=none
			pool general cpu=8
			tenant acme guarantee=8
			tenant beta
			runs beta/train size=6 expect=100m began=10m
			asks acme/large size=8
			asks beta/slow size=1 expect=3h`, "beta/slow", []string{`declare expect: "1h30m" of main, if it takes no longer: it then ends before acme/large starts, which room is kept for`}},
		{"a flavour more", `
			policy preemption=none
			pool a cpu=4
			pool b cpu=4
			pool c cpu=4
			tenant t
			runs t/x size=4 in=a
			runs t/y size=4 in=b
			asks t/job size=3 flavours=a/b`, "t/job", []string{"add a flavour in pool c, after its others"}},
		{"so little that who then passes the gate has room too", `
			policy preemption=none
			pool general cpu=8
			group g quota=10
			tenant a in=g
			tenant b in=g guarantee=4
			tenant c
			runs c/x size=2
			asks a/job size=8 priority=300
			asks b/next size=4`, "a/job", []string{"request 2 cpu for each replica of main instead of 8"}},
		{"a budget for the place that has room", `
			pool cheap cpu=4 price=1
			pool dear cpu=4 price=2
			tenant a
			runs a/x size=4
			asks a/job size=2 budget=1`, "a/job", []string{"raise budget.costPerHour to 4.0000"}},
		{"a budget for a dearer pool that has room", `
			pool cheap cpu=4 price=1
			pool dear cpu=4 price=2
			tenant a
			runs a/x size=4
			asks a/job size=2 budget=3`, "a/job", []string{"raise budget.costPerHour to 4.0000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := story.Read(c.situation)
			require.NoError(t, err)
			s.Advises = true
			var passes time.Duration
			if !strings.Contains(c.situation, "expect=") {
				passes = time.Hour // what is degraded is held so for a while
			}
			s.Now = s.Now.Add(passes)
			_, settled := s.Settle(5, passes)
			require.True(t, settled)
			id, err := model.ParseAppID(c.of)
			require.NoError(t, err)
			ruling := s.Decide()
			d, _ := ruling.Find(id)
			sentence, changes := d.Advising()
			all := sentence + "\n" + strings.Join(changes, "\n")
			for _, want := range c.told {
				require.Contains(t, all, want, "%s", d.Message)
			}
		})
	}
}

// What runs stays in its flavour. Where it is degraded there and another one has become free, it is told to leave it.
func TestAnotherFlavourIsFreeNow(t *testing.T) {
	s, err := story.Read(`
		policy preemption=none
		pool a cpu=6
		pool b cpu=4
		tenant t
		runs t/x size=5 in=a
		runs t/y size=4 in=b
		asks t/job size=1 x=4 min=1 flavours=a/b`)
	require.NoError(t, err)
	_, settled := s.Settle(5, time.Minute)
	require.True(t, settled)
	s.Remove(model.AppID{Tenant: "t", Name: "y"})
	s.Now = s.Now.Add(time.Hour)
	list, _ := arbitration.Advice(s.Fleet, s.Seen, s.Ledger, s.Now, model.AppID{Tenant: "t", Name: "job"})
	require.True(t, slices.ContainsFunc(list, func(a model.Advice) bool {
		return a.Text == "leave flavour a out, so that it moves to another one, which has room for all of it"
	}), "%v", list)
}

// While room is promised, who waits is advised too, in a fleet that is too large to be arbitrated again: what it would get whoever is
// promised something.
func TestAdviceComesWhileRoomIsPromised(t *testing.T) {
	var many strings.Builder
	for i := range 310 {
		fmt.Fprintf(&many, "asks c/w%03d size=8\n", i)
	}
	s, err := story.Read("policy preemption=none\npool general cpu=8\ntenant acme\ntenant beta\ntenant c\n" +
		"runs beta/train size=5 expect=40m began=10m\nasks acme/large size=8\n" + many.String())
	require.NoError(t, err)
	s.Advises = true
	id := model.AppID{Tenant: "acme", Name: "large"}
	for range 20 { // a part is advised in each pass
		ruling, _ := s.Round()
		if d, _ := ruling.Find(id); d.Advised != nil {
			require.True(t, slices.ContainsFunc(ruling.Decisions, func(d model.Decision) bool { return d.Starts != nil }))
			_, changes := d.Advising()
			require.Contains(t, changes, "request 3 cpu for each replica of main instead of 8")
			return
		}
		s.Now = s.Now.Add(time.Second)
	}
	t.Fatal("it is not advised")
}

// TestAStartIsTriedAtItsTime: that beta/next starts when c/long ends is not told, as until then acme/large has waited for so long
// that what is free is kept for it.
func TestAStartIsTriedAtItsTime(t *testing.T) {
	s, err := story.Read(`
		policy preemption=none reserveAfter=30m
		pool general cpu=12
		tenant acme guarantee=8
		tenant beta
		tenant c
		runs c/short size=8 expect=40m began=10m
		runs c/long size=4 expect=100m began=10m
		asks acme/large size=8 waited=1m
		asks beta/next size=4`)
	require.NoError(t, err)
	for _, c := range []struct {
		app  model.AppID
		told bool
	}{{model.AppID{Tenant: "acme", Name: "large"}, true}, {model.AppID{Tenant: "beta", Name: "next"}, false}} {
		ruling := s.Decide()
		d, _ := ruling.Find(c.app)
		require.NotNil(t, d.Starts, "%s", d.Message)
		list, _ := arbitration.Advice(s.Fleet, s.Seen, s.Ledger, s.Now, c.app)
		require.Equal(t, c.told, slices.ContainsFunc(list, func(a model.Advice) bool { return strings.HasPrefix(a.Text, "wait: it starts") }), "%v", list)
	}
}

// Advice without victims comes first, then what degrades others, then what evicts them; a priority after all that cost
// nobody anything.
func TestAdviceThatCostsNobodyComesFirst(t *testing.T) {
	s, err := story.Read(`
		policy preemption=within-tenant
		pool general cpu=10
		tenant a
		runs a/risk size=1 x=8
		asks a/job size=4`)
	require.NoError(t, err)
	list, _ := arbitration.Advice(s.Fleet, s.Seen, s.Ledger, s.Now, model.AppID{Tenant: "a", Name: "job"})
	var kinds []string
	for _, a := range list {
		kinds = append(kinds, a.Change)
	}
	require.Equal(t, []string{"request", "capacity", "priority"}, kinds)
	require.Equal(t, []model.Victim{{App: model.AppID{Tenant: "a", Name: "risk"}, Evicted: true, Replicas: 8, Amount: "8 cpu"}}, list[2].Victims)
}

// In a fleet of a thousand applications everybody who waits is told something after a few passes, and then the work is
// done: nothing is advised anew while nothing changes.
func TestEverybodyIsAdvised(t *testing.T) {
	w := generate.Growing(1000)
	arbiter := follow.New(arbitration.Solve)
	var last model.Ruling
	for pass := range 12 {
		ruling := arbiter.Decide(w.Fleet, w.Seen, w.Ledger, w.Now)
		waiting, told := 0, 0
		for i := range ruling.Decisions {
			if d := &ruling.Decisions[i]; d.Verdict == model.VerdictWaiting {
				if waiting++; d.Advised != nil {
					require.NotEmpty(t, d.Advised.Kinds)
					require.Nil(t, d.Advised.Changed)
					told++
				}
			}
		}
		require.NotZero(t, waiting)
		if told == waiting && slices.EqualFunc(last.Decisions, ruling.Decisions, func(x, y model.Decision) bool { return x.SameAdvice(&y) }) {
			t.Logf("all %d after %d passes", waiting, pass)
			return
		}
		last = model.Ruling{Decisions: slices.Clone(ruling.Decisions)}
		w.Apply(ruling)
		w.Now = w.Now.Add(time.Second)
	}
	t.Fatal("not everybody is advised")
}

// Of those who are alike each is told what it needs itself: who is first in the line needs less.
func TestAlikeAreAdvisedEachForItself(t *testing.T) {
	s, err := story.Read(`
		policy preemption=none
		pool general cpu=2
		tenant a
		runs a/x size=2
		asks a/b size=2
		asks a/a size=2`)
	require.NoError(t, err)
	s.Advises = true
	ruling := s.Decide()
	for name, more := range map[string]string{"a": "give pool general 4 cpu more", "b": "give pool general 2 cpu more"} {
		d, _ := ruling.Find(model.AppID{Tenant: "a", Name: name})
		require.True(t, slices.ContainsFunc(d.Advice, func(a model.Advice) bool { return a.Text == more }), "%s: %v", name, d.Advice)
	}
}

// Advice that was made of other inputs is made anew, or marked as such where the effort of the pass is used up: none is told as true that
// was not looked at.
func TestAdviceOfOtherInputsIsMarked(t *testing.T) {
	w := generate.Growing(120)
	arbiter := follow.New(arbitration.Solve)
	open := func(ruling model.Ruling) bool {
		return slices.ContainsFunc(ruling.Decisions, func(d model.Decision) bool { return d.Verdict == model.VerdictWaiting && d.Advised == nil })
	}
	for pass := 0; ; pass++ {
		require.Less(t, pass, 60)
		ruling := arbiter.Decide(w.Fleet, w.Seen, w.Ledger, w.Now)
		w.Apply(ruling)
		if w.Now = w.Now.Add(time.Second); pass > 5 && !open(ruling) {
			break
		}
	}
	w.Seen.Pools = slices.Clone(w.Seen.Pools)
	for i := range w.Seen.Pools {
		w.Seen.Pools[i].Capacity.CPU++ // for which nobody asks
	}
	ruling, marked := arbiter.Decide(w.Fleet, w.Seen, w.Ledger, w.Now), 0
	for i := range ruling.Decisions {
		d := &ruling.Decisions[i]
		if d.Advised == nil || d.Advised.At.Equal(w.Now) {
			continue
		}
		marked++
		require.NotNil(t, d.Advised.Changed, "%s", d.App)
		sentence, changes := d.Advising()
		require.Contains(t, sentence, "being checked again (")
		require.Nil(t, changes)
	}
	require.NotZero(t, marked)
}

// toldEachPass makes a pass at each call and returns what an application is advised.
func toldEachPass(s *story.Story, app model.AppID) func() string {
	arbiter := follow.New(arbitration.Solve)
	return func() string {
		ruling := arbiter.Decide(s.Fleet, s.Seen, s.Ledger, s.Now)
		defer s.Apply(ruling)
		d, _ := ruling.Find(app)
		_, changes := d.Advising()
		return strings.Join(changes, "\n")
	}
}

// What a job is told to declare is told until that would end too late, and then less.
func TestAdviceAboutTimeEnds(t *testing.T) {
	s, err := story.Read(`
		policy preemption=none
		pool general cpu=8
		tenant acme guarantee=8
		tenant beta
		runs beta/train size=6 expect=100m began=10m
		asks acme/large size=8
		asks beta/slow size=1 expect=3h`)
	require.NoError(t, err)
	told := toldEachPass(s, model.AppID{Tenant: "beta", Name: "slow"})
	require.Contains(t, told(), `declare expect: "1h30m" of main`)
	require.Contains(t, told(), `declare expect: "1h30m" of main`)
	s.Now = s.Now.Add(time.Minute)
	require.Contains(t, told(), `declare expect: "1h" of main`)
}

// What passes a promised start today passes it no more when that is near, and then its advice is another.
func TestAdviceIsOldWhenAPromiseIsNear(t *testing.T) {
	s, err := story.Read(`
		policy preemption=none
		pool general cpu=8
		tenant acme guarantee=8
		tenant beta
		tenant c
		runs beta/train size=6 expect=40m began=10m
		asks acme/large size=8
		asks c/quick size=3 expect=20m`)
	require.NoError(t, err)
	told := toldEachPass(s, model.AppID{Tenant: "c", Name: "quick"})
	for range 4 {
		require.Contains(t, told(), "request 2 cpu for each replica of main instead of 3")
	}
	s.Now = s.Now.Add(11 * time.Minute)
	require.NotContains(t, told(), "request 2 cpu")
}

// What helps a job that would end before a promised start is found out for it, though it does not help one that asks for the same
// and takes longer.
func TestAdviceForOneTimeIsNotThatForAnother(t *testing.T) {
	s, err := story.Read(`
		policy preemption=none
		pool general cpu=8
		tenant acme guarantee=8
		tenant beta
		tenant c
		runs beta/train size=6 expect=40m began=10m
		asks acme/large size=8
		asks c/long size=3 expect=50m
		asks c/quick size=3 expect=20m
		asks c/quick-2 size=3 expect=25m`)
	require.NoError(t, err)
	for name, helps := range map[string]bool{"long": false, "quick": true, "quick-2": true} {
		told := toldEachPass(s, model.AppID{Tenant: "c", Name: name})
		require.Equal(t, helps, strings.Contains(told(), "request 2 cpu for each replica of main instead of 3"), name)
	}
}

// In a fleet that is too large to be arbitrated again, the advice of those who are promised a start is made once.
func TestAdviceOfThosePromisedAStartStays(t *testing.T) {
	var many strings.Builder
	for i := range 310 {
		fmt.Fprintf(&many, "asks c/w%03d size=99\n", i)
	}
	s, err := story.Read("policy preemption=none\npool general cpu=9\ntenant a\ntenant b\ntenant c\nruns b/x size=6 expect=40m began=10m\nruns b/y size=2 expect=50m began=10m\nasks a/job size=3\nasks b/job size=5\n" + many.String())
	require.NoError(t, err)
	arbiter := follow.New(arbitration.Solve)
	made := map[string]time.Time{}
	for pass := range 20 {
		ruling := arbiter.Decide(s.Fleet, s.Seen, s.Ledger, s.Now)
		for _, tenant := range []string{"a", "b"} {
			d, _ := ruling.Find(model.AppID{Tenant: tenant, Name: "job"})
			require.NotNil(t, d.Starts)
			if pass > 10 {
				require.Equal(t, made[tenant], d.Advised.At, "%+v", d.Advised)
				require.Nil(t, d.Advised.Changed)
			}
			if d.Advised != nil {
				made[tenant] = d.Advised.At
			}
		}
		s.Apply(ruling)
		s.Now = s.Now.Add(time.Second)
	}
}

// In a fleet that is too large to be arbitrated again, what becomes free in a pool makes advice new.
func TestAdviceNoticesWhatBecomesFree(t *testing.T) {
	var many strings.Builder
	for i := range 310 {
		fmt.Fprintf(&many, "asks c/w%03d size=99\n", i)
	}
	s, err := story.Read("policy preemption=none\npool general cpu=6\ntenant a\ntenant b weight=2\ntenant c\nruns b/x size=3\nruns b/y size=1\nasks a/job size=4\n" + many.String())
	require.NoError(t, err)
	arbiter := follow.New(arbitration.Solve)
	for range 20 {
		s.Apply(arbiter.Decide(s.Fleet, s.Seen, s.Ledger, s.Now))
		s.Now = s.Now.Add(time.Second)
	}
	told := func(want string) {
		ruling := arbiter.Decide(s.Fleet, s.Seen, s.Ledger, s.Now)
		d, _ := ruling.Find(model.AppID{Tenant: "a", Name: "job"})
		require.True(t, slices.ContainsFunc(d.Advice, func(a model.Advice) bool { return a.Text == want }), "%v %+v", d.Advice, d.Advised)
		s.Apply(ruling)
	}
	told("request 2 cpu for each replica of main instead of 4")
	s.Remove(model.AppID{Tenant: "b", Name: "y"})
	s.Now = s.Now.Add(time.Second)
	told("request 3 cpu for each replica of main instead of 4")
}

// Where no change of any kind could be tried, the kinds are told all the same.
func TestWhereNothingCanBeTriedAllKindsAreTold(t *testing.T) {
	s, err := story.Read(`
		pool a cpu=8
		tenant t
		asks t/job size=1 priority=1000 flavours=a:2`)
	require.NoError(t, err)
	app := *s.Fleet.Applications[0]
	app.Components = slices.Clone(app.Components)
	app.Components[0].Runtime = "process" // which no pool has
	s.Declare(app)
	s.Advises = true
	ruling := s.Decide()
	sentence, changes := ruling.Decisions[0].Advising()
	require.Nil(t, changes)
	require.Contains(t, sentence, "No single change of these kinds suffices: a smaller request, fewer replicas, ")
}

// inLargeFleet returns a story with 310 applications of tenant b that run, which are too many to arbitrate all again for a change.
func inLargeFleet(t *testing.T, before, after string) *story.Story {
	t.Helper()
	text := before + "\nruns"
	for i := range 310 {
		text += fmt.Sprintf(" b/%03d", i)
	}
	s, err := story.Read(text + " size=1\n" + after)
	require.NoError(t, err)
	s.Advises = true
	return s
}

// In a fleet that is too large to be arbitrated again, who is refused by a quota is told the least larger one that admits it, and
// nothing of it where another application would pass with it first.
func TestALargerQuotaIsToldInLargeFleets(t *testing.T) {
	s := inLargeFleet(t, "policy preemption=none\npool p cpu=400\ntenant a quota=4\ntenant b\nruns a/web size=4", "asks a/more size=2\nasks a/most size=3")
	var ruling model.Ruling
	for range 4 {
		ruling, _ = s.Round()
	}
	quota := func(name string) (text []string) {
		d, _ := ruling.Find(model.AppID{Tenant: "a", Name: name})
		require.Equal(t, model.VerdictRejected, d.Verdict)
		for _, x := range d.Advice {
			if x.Change == "quota" {
				text = append(text, x.Text)
			}
		}
		return text
	}
	require.Equal(t, []string{"raise quota.cpu of tenant a to 6"}, quota("more"))
	require.Empty(t, quota("most"))
}

// In a fleet that is too large to be arbitrated again, who waits is told how much more capacity, guarantee or quota of a pool admits it.
func TestWhatIsSharedIsToldInLargeFleets(t *testing.T) {
	s := inLargeFleet(t, "policy preemption=none\npool p cpu=400\ntenant a\ntenant b guarantee=310\ntenant c\nruns a/web size=80", "asks a/more size=12\nasks c/huge size=300")
	told := func() (text []string) {
		var ruling model.Ruling
		for range 4 {
			ruling, _ = s.Round()
		}
		d, _ := ruling.Find(model.AppID{Tenant: "a", Name: "more"})
		require.Equal(t, model.VerdictWaiting, d.Verdict)
		for _, x := range d.Advice {
			if x.By == model.ByPlatform {
				text = append(text, x.Text)
			}
		}
		return text
	}
	require.Contains(t, told(), "give pool p 2 cpu more")
	for i := range s.Fleet.Tenants {
		if tenant := &s.Fleet.Tenants[i]; tenant.Name == "a" {
			tenant.PoolQuotas = []model.PoolQuota{{Pool: "p", Limits: map[string]int64{"cpu": 85_000}}}
		}
	}
	s.Seen.Pools[0].Capacity.CPU = 410_000
	require.Contains(t, told(), "raise quota.pools.p.cpu of tenant a to 92")
}

// In such a fleet the decision of an application that arrives does not wait for advice, its own or that of others: the next pass makes it.
func TestAnArrivalWaitsForNoAdvice(t *testing.T) {
	s := inLargeFleet(t, "policy preemption=none\npool p cpu=400\ntenant a\ntenant b\nruns a/web size=80", "asks a/more size=12")
	advised := func() (names []string) {
		ruling := arbitration.Decide(s.Fleet, s.Seen, s.Ledger, s.Now)
		for i := range ruling.Decisions {
			if d := &ruling.Decisions[i]; d.Advised != nil && d.App.Tenant == "a" {
				require.Equal(t, model.VerdictWaiting, d.Verdict)
				names = append(names, d.App.Name)
			}
		}
		s.Apply(ruling)
		s.Now = s.Now.Add(time.Second)
		return names
	}
	for range 4 {
		advised()
	}
	require.Equal(t, []string{"more"}, advised())
	late := generate.App("a", "late", 150, 1, model.Resources{CPU: 20_000}, new(generate.Policy("none"))).Seal()
	s.Fleet.Applications = append(slices.Clone(s.Fleet.Applications), &late)
	require.Equal(t, []string{"more"}, advised(), "the pass in which it arrives")
	require.Equal(t, []string{"late", "more"}, advised(), "the next one")
}

// In such a fleet what runs degraded, and what of which a newer spec is refused, is told what helps too, or that no single change does.
func TestWhatRunsIsToldInLargeFleets(t *testing.T) {
	s := inLargeFleet(t, "policy preemption=none restoreHold=30s\npool p cpu=400\ntenant a\ntenant b guarantee=310\ntenant c\nruns a/web size=80", "asks a/more size=4 x=3 min=1\nasks c/huge size=300\nlater a/web size=95\n")
	var ruling model.Ruling
	for range 5 {
		ruling, _ = s.Round()
		s.Now = s.Now.Add(time.Minute)
	}
	told := func(name string) (text []string) {
		d, _ := ruling.Find(model.AppID{Tenant: "a", Name: name})
		require.Equal(t, model.VerdictGranted, d.Verdict)
		for _, x := range d.Advice {
			text = append(text, x.Text)
		}
		return text
	}
	require.Equal(t, []string{"run main with 2 replicas instead of 3", "give pool p 2 cpu more"}, told("more"))
	require.Equal(t, []string{"request 82 cpu for each replica of main instead of 95"}, told("web"))
}

// A fleet at rest gives no reason to record advice, however much time goes by, and one application more
// only for applications whose advice depends on it: those of its tenant.
func TestAdviceIsRecordedOnceForWhatItDependsOn(t *testing.T) {
	w := generate.Growing(400)
	arbiter := follow.New(arbitration.Solve)
	rewritten := func() (apps []*model.Decision) {
		ruling := arbiter.Decide(w.Fleet, w.Seen, w.Ledger, w.Now)
		for i := range ruling.Decisions {
			d := ruling.Decisions[i]
			if old, ok := w.Ledger.Decision(d.App); !ok || !old.RulesAs(&d) || !old.SameAdvice(&d) {
				apps = append(apps, &d)
			}
		}
		w.Apply(ruling)
		w.Now = w.Now.Add(time.Minute)
		return apps
	}
	for pass := 0; len(rewritten()) > 0; pass++ {
		require.Less(t, pass, 12)
	}
	for range 5 {
		w.Now = w.Now.Add(time.Hour)
		w.Fleet.Applications = slices.Clone(w.Fleet.Applications)
		require.Empty(t, rewritten())
	}
	late := generate.App(w.Fleet.Tenants[0].Name, "late", 150, 1, model.Resources{CPU: 1000}, new(generate.Policy("reclaim"))).Seal()
	w.Fleet.Applications = append(slices.Clone(w.Fleet.Applications), &late)
	all := rewritten()
	require.NotEmpty(t, all)
	for _, d := range all {
		require.Equal(t, late.ID.Tenant, d.App.Tenant, "%s: %+v", d.App, d.Advised)
	}
}

// I39. Advice that is shown in the present tense is true where nothing moves, whenever it was made, and costs
// those that are named. What moves in a pass has come true before people can follow advice. That it is the smallest
// is checked when it is made (I32).
func TestAdviceShownIsTrue(t *testing.T) { holds(t, 10, adviceShownIsTrue) }

func adviceShownIsTrue(t *rapid.T) {
	draw := rapid.SampledFrom([]func(*rapid.T) *scene{dressed, timed}).Draw(t, "draw")
	s := draw(t)
	s.limitPools()
	s.lived(t)
	arbiter := follow.New(arbitration.Solve)
	for i := range 8 {
		if i%2 == 0 {
			s.edit(s.Decide)
		}
		fleet, seen, ledger := s.inputs()
		ruling := arbiter.Decide(fleet, seen, ledger, s.Now)
		rests := arbitration.Solve(solve.Inputs{Fleet: fleet, Seen: seen, Ledger: ledger, Now: s.Now}).Still()
		for i := range ruling.Decisions {
			d := &ruling.Decisions[i]
			if !rests || d.Verdict == model.VerdictGranted || s.runs(d.App) || d.Advised == nil || d.Advised.Changed != nil {
				continue
			}
			for _, a := range d.Advice {
				s.requireTrue(t, d, a)
			}
		}
		s.Apply(ruling)
	}
}

// A change that is tried on a solved case at rest gives what deciding everything with it gives, and leaves the case as it
// was.
func TestTryingIsDeciding(t *testing.T) { holds(t, 4, tryingIsDeciding) }

func tryingIsDeciding(t *rapid.T) {
	draw := rapid.SampledFrom([]func(*rapid.T) *scene{dressed, timed}).Draw(t, "draw")
	s := draw(t)
	s.limitPools()
	s.lived(t)
	s.Now = s.Now.Add(time.Hour)
	s.Settle(6, time.Hour)
	in := solve.Inputs{Fleet: s.Fleet, Seen: s.Seen, Ledger: s.Ledger, Now: s.Now}
	c := arbitration.Solve(in)
	if !c.Still() {
		return
	}
	before := model.DigestOf(s.Decide())
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 13))
	for _, app := range c.Apps {
		if app.Granted() || app.Incumbent() || app.Wanted == nil || app.Unusable != nil {
			continue
		}
		for range 4 {
			wanted := *app.Wanted
			wanted.Components = slices.Clone(wanted.Components)
			wanted.Priority += rng.IntN(3) * rng.IntN(200)
			comp := &wanted.Components[rng.IntN(len(wanted.Components))]
			comp.Requests.CPU = comp.Requests.CPU * int64(1+rng.IntN(10)) / 10
			comp.Replicas = 1 + rng.IntN(comp.Replicas)
			got, known := c.Try(app, &wanted)
			if !known {
				continue
			}
			edited := in
			edited.Fleet.Applications = slices.Clone(in.Fleet.Applications)
			edited.Fleet.Applications[slices.IndexFunc(edited.Fleet.Applications, func(a *model.Application) bool { return a.ID == app.ID })] = &wanted
			_, want := arbitration.Solve(edited).Find(app.ID)
			if got.Granted != want.Granted() || len(got.Victims) != len(want.Victims) {
				t.Fatalf("%s: tried %+v: granted %v with %d victims; decided: granted %v with %d: %s", app.ID, wanted.Components, got.Granted, len(got.Victims), want.Granted(), len(want.Victims), want.Message)
			}
		}
	}
	for _, app := range c.Apps {
		if !app.Granted() && !app.Incumbent() && app.Wanted != nil && app.Unusable == nil {
			tryingQuotaIsDeciding(t, in, c, app)
		}
	}
	tryingInPlaceIsDeciding(t, in, c, rng)
	tryingMoreIsDeciding(t, in, c)
	if model.DigestOf(s.Decide()) != before {
		t.Fatal("trying changed the inputs")
	}
}

// tryingInPlaceIsDeciding compares all that run degraded, or of which a newer spec is refused, with other specs, as tried, with the fleet decided
// with them.
func tryingInPlaceIsDeciding(t *rapid.T, in solve.Inputs, c *solve.Case, rng *rand.Rand) {
	for at, app := range c.Apps {
		degraded := app.Granted() && app.Level > 0 && app.Refused == nil && !c.Now.Before(c.RestoredFrom(app))
		if !app.Incumbent() || app.Wanted == nil || app.Unusable != nil || !degraded && app.Refused == nil {
			continue
		}
		for range 4 {
			wanted := *app.Wanted
			wanted.Components = slices.Clone(wanted.Components)
			wanted.Priority += rng.IntN(3) * rng.IntN(200)
			if comp := &wanted.Components[rng.IntN(len(wanted.Components))]; rng.IntN(3) > 0 {
				comp.Requests.CPU = comp.Requests.CPU * int64(1+rng.IntN(10)) / 10
				comp.Replicas = 1 + rng.IntN(comp.Replicas)
			}
			got, known := solve.TryInPlace(&wanted, app, c)
			if !known {
				continue
			}
			edited := in
			edited.Fleet.Applications = slices.Clone(in.Fleet.Applications)
			edited.Fleet.Applications[slices.IndexFunc(edited.Fleet.Applications, func(a *model.Application) bool { return a.ID == app.ID })] = new(wanted.Seal())
			want := arbitration.Solve(edited).Apps[at]
			reached := want.Granted() && want.Refused == nil && (!degraded || want.Level == 0)
			if got.Granted != reached || reached && len(got.Victims) != len(want.Victims) {
				t.Fatalf("%s runs: tried %+v: %v with %d victims; decided: %v with %d: %s", app.ID, wanted.Components, got.Granted, len(got.Victims), reached, len(want.Victims), want.Message)
			}
		}
	}
}

// tryingMoreIsDeciding compares all that wait, are rejected or run degraded with more capacity, a larger guarantee or a larger quota, in all or in a pool,
// as tried, with the fleet decided with it.
func tryingMoreIsDeciding(t *rapid.T, in solve.Inputs, c *solve.Case) {
	waiting := new(solve.Waiting)
	waiting.SumUp(c)
	try := func(m solve.More, edit func(in *solve.Inputs)) {
		served := m.Try(waiting)
		edited := in
		edit(&edited)
		decided := arbitration.Solve(edited)
		for _, app := range c.Apps {
			degraded := app.Granted() && app.Level > 0 && app.Refused == nil && !c.Now.Before(c.RestoredFrom(app))
			if (app.Granted() || app.Incumbent()) && !degraded || app.Wanted == nil || app.Unusable != nil {
				continue
			}
			got, known := served.Of(app)
			if !known {
				continue
			}
			_, want := decided.Find(app.ID)
			if degraded {
				if inFull := want.Granted() && want.Level == 0; got.Granted != inFull || inFull && len(got.Victims) != len(want.Victims) {
					t.Fatalf("%s runs degraded: tried %+v: in full %v with %d victims; decided: in full %v with %d: %s", app.ID, m, got.Granted, len(got.Victims), inFull, len(want.Victims), want.Message)
				}
				continue
			}
			if got.Granted != want.Granted() || len(got.Victims) != len(want.Victims) {
				t.Fatalf("%s: tried %+v: granted %v with %d victims; decided: granted %v with %d: %s", app.ID, m, got.Granted, len(got.Victims), want.Granted(), len(want.Victims), want.Message)
			}
		}
		if again := arbitration.Solve(in); !slices.EqualFunc(again.Nodes, c.Nodes, func(x, y *solve.Node) bool {
			return x.FairShare == y.FairShare && slices.Equal(x.Floor, y.Floor) && slices.Equal(x.Used, y.Used) && slices.Equal(x.Guarantee, y.Guarantee)
		}) {
			t.Fatalf("trying %+v changed the case", m)
		}
	}
	for at := range c.Pools {
		for _, n := range []int64{1000, 4000, 16_000} {
			m := solve.More{Of: solve.Capacity, Pool: at, Amount: c.Zero()}
			m.Amount[0] = n
			try(m, func(in *solve.Inputs) {
				in.Seen.Pools = slices.Clone(in.Seen.Pools)
				for i := range in.Seen.Pools {
					if q := &in.Seen.Pools[i]; q.Name == c.Pools[at].Name {
						q.Capacity.CPU += n
					}
				}
			})
		}
	}
	for i := range in.Fleet.Tenants {
		node := c.Tenants[in.Fleet.Tenants[i].Name]
		for _, n := range []int64{1000, 5000} {
			m := solve.More{Of: solve.Guarantee, Node: node, Amount: c.Zero()}
			m.Amount[0] = n
			try(m, func(in *solve.Inputs) {
				in.Fleet.Tenants = slices.Clone(in.Fleet.Tenants)
				in.Fleet.Tenants[i].Guarantee.CPU += n
			})
		}
		if quota := in.Fleet.Tenants[i].Quota; quota != nil {
			m := solve.More{Of: solve.Quota, Node: node, Amount: c.Zero()}
			m.Amount[0] = 2000
			try(m, func(in *solve.Inputs) {
				in.Fleet.Tenants = slices.Clone(in.Fleet.Tenants)
				in.Fleet.Tenants[i].Quota = new(quota.With("cpu", quota.CPU+2000))
			})
		}
		for _, q := range in.Fleet.Tenants[i].PoolQuotas {
			m := solve.More{Of: solve.PoolQuota, Node: node, Pool: c.PoolAt[q.Pool], Amount: c.Zero()}
			m.Amount[0] = 2000
			try(m, func(in *solve.Inputs) {
				in.Fleet.Tenants = slices.Clone(in.Fleet.Tenants)
				in.Fleet.Tenants[i].PoolQuotas = []model.PoolQuota{{Pool: q.Pool, Limits: map[string]int64{"cpu": q.Limits["cpu"] + 2000}}}
			})
		}
	}
}

// tryingQuotaIsDeciding compares an application under larger quotas of its tenant, as tried, with the fleet decided with them.
func tryingQuotaIsDeciding(t *rapid.T, in solve.Inputs, c *solve.Case, app *solve.App) {
	at := slices.IndexFunc(in.Fleet.Tenants, func(x model.Tenant) bool { return x.Name == app.ID.Tenant })
	for i, key := range []string{"cpu", "memory", "applications", "workloads"} {
		by := []int64{1000, 1 << 30, 1, 1}[i]
		got, known := (solve.Raise{Node: app.Tenant, Key: key, By: by}).Try(c, app)
		if !known {
			continue
		}
		edited := in
		edited.Fleet.Tenants = slices.Clone(in.Fleet.Tenants)
		switch tenant := &edited.Fleet.Tenants[at]; {
		case key == "applications":
			tenant.MaxApplications += int(by)
		case key == "workloads":
			tenant.MaxWorkloads += int(by)
		case tenant.Quota != nil:
			tenant.Quota = new(tenant.Quota.With(key, tenant.Quota.Get(key)+by))
		}
		_, want := arbitration.Solve(edited).Find(app.ID)
		if got.Granted != want.Granted() || len(got.Victims) != len(want.Victims) {
			t.Fatalf("%s: tried %s: granted %v with %d victims; decided: granted %v with %d: %s", app.ID, key, got.Granted, len(got.Victims), want.Granted(), len(want.Victims), want.Message)
		}
	}
}

// I44. After a few passes in which nothing moves, whoever waits, is refused or runs with less than it asks for, and is not held so for
// a while, is told a change that helps it, or that no single change does of which kinds.
func TestEverybodyIsToldSomething(t *testing.T) { holds(t, 2, everybodyIsToldSomething) }

func everybodyIsToldSomething(t *rapid.T) {
	draw := rapid.SampledFrom([]func(*rapid.T) *scene{dressed, timed}).Draw(t, "draw")
	s := draw(t)
	s.limitPools()
	s.lived(t)
	s.Now = s.Now.Add(time.Hour)
	s.Settle(8, time.Hour)
	s.Advises = true
	var ruling model.Ruling
	for range 12 {
		var c world.Changes
		if ruling, c = s.Round(); !c.None() {
			return
		}
	}
	for i := range ruling.Decisions {
		d := &ruling.Decisions[i]
		lacks := d.Verdict == model.VerdictWaiting || d.Verdict == model.VerdictRejected || d.Refused != nil || d.Degraded && !s.held(d.App)
		if !lacks || s.app(d.App) == nil || d.Refused != nil && d.Refused.Reason == model.ReasonRolledBackSpec {
			continue
		}
		sentence, changes := d.Advising()
		if len(changes) == 0 && !strings.HasPrefix(sentence, "No single change of these kinds suffices: ") || strings.Contains(sentence, ": .") {
			t.Fatalf("%s (%s: %s) is told %q %v: %+v", d.App, d.Verdict, d.Message, sentence, changes, d.Advised)
		}
	}
}

// held reports whether an application that runs degraded stays so for a while.
func (s *scene) held(id model.AppID) bool {
	c := arbitration.Solve(solve.Inputs{Fleet: s.Fleet, Seen: s.Seen, Ledger: s.Ledger, Now: s.Now})
	_, app := c.Find(id)
	return !app.EvictAt.IsZero() || app.Incumbent() && s.Now.Before(c.RestoredFrom(app))
}
