package arbitration_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/world"
	"github.com/d-aros/d-aros/test/tier"
)

// Advice against exhaustion: in fleets that are small enough to try every amount of every kind of change, all that is told
// helps, none of it does with one unit less, and those that are named give way. Of a hundred at least 99 are the smallest of all
// amounts that help, and nothing helps of a kind of which nothing is told; the rest is printed.
func TestAdviceAgainstExhaustion(t *testing.T) {
	counts := map[string]*exhausted{}
	for seed := range tier.Count(15, 60, 600) {
		s := tiny(rand.New(rand.NewPCG(uint64(seed), 44)))
		ruling := s.Decide()
		for i := range ruling.Decisions {
			s.exhaust(t, &ruling.Decisions[i], fmt.Sprintf("seed %d", seed), counts)
		}
	}
	total := &exhausted{}
	for _, kind := range []string{"request", "replicas", "minReplicas", "pool", "flavour", "budget", "time", "priority", "quota", "pool quota", "guarantee", "capacity"} {
		n := counts[kind]
		if n == nil {
			require.False(t, tier.Soak(), "nothing of kind %s was told", kind)
			continue
		}
		t.Logf("%-12s told %6d  smallest %6d  missed %4d", kind, n.told, n.smallest, n.missed)
		total.told, total.smallest, total.missed = total.told+n.told, total.smallest+n.smallest, total.missed+n.missed
	}
	t.Logf("%-12s told %6d  smallest %6d  missed %4d", "all", total.told, total.smallest, total.missed)
	require.GreaterOrEqual(t, total.smallest*100, (total.told+total.missed)*99, "of a hundred at least 99 are the smallest")
}

// exhausted counts what was told of a kind, how much of it was the smallest of all, and for how many applications nothing was told
// though something helps.
type exhausted struct{ told, smallest, missed int }

// everyOf are all amounts of one change in words, the smallest first.
type everyOf struct {
	kind string
	any  bool // the order means nothing
	all  []string
}

// exhaust tries every change for an application that lacks something.
func (s *scene) exhaust(t *testing.T, d *model.Decision, seed string, counts map[string]*exhausted) {
	list, made := arbitration.Advice(s.Fleet, s.Seen, s.Ledger, s.Now, d.App)
	if made == nil {
		return
	}
	of := func(kind string) *exhausted {
		if counts[kind] == nil {
			counts[kind] = &exhausted{}
		}
		return counts[kind]
	}
	told := map[string]bool{}
	for _, a := range list {
		kind := a.Change
		if strings.Contains(a.Text, "quota.pools.") {
			kind = "pool quota"
		}
		told[kind] = true
		of(kind).told++
		helps, moved := s.helps(t, d, a.Text, -1)
		require.True(t, helps, "%s: %s is %s (%s) and told to %s", seed, d.App, d.Verdict, d.Message, a.Text)
		var named []model.AppID
		for _, v := range a.Victims {
			named = append(named, v.App)
		}
		require.Equal(t, named, moved, "%s: %s is told to %s", seed, d.App, a.Text)
		for part := range strings.Count(a.Text, " and ") + 1 {
			helps, _ := s.helps(t, d, a.Text, part)
			require.False(t, helps, "%s: %s is told to %s, of which one unit less is enough", seed, d.App, a.Text)
		}
	}
	missed := map[string]string{}
	for _, amounts := range s.everyAmount(d.App) {
		first := slices.IndexFunc(amounts.all, func(text string) bool {
			helps, _ := s.helps(t, d, text, -1)
			return helps
		})
		at := -1
		for _, a := range list {
			if n := slices.Index(amounts.all, a.Text); n >= 0 {
				at = n
			}
		}
		switch {
		case at >= 0 && (at == first || amounts.any):
			of(amounts.kind).smallest++
		case at >= 0:
			t.Logf("%s: %s is told to %s, and %s is enough", seed, d.App, amounts.all[at], amounts.all[first])
		case first >= 0 && !told[amounts.kind]:
			missed[amounts.kind] = amounts.all[first]
		}
	}
	for kind, text := range missed {
		t.Logf("%s: %s (%s: %s) is not told to %s", seed, d.App, d.Verdict, d.Message, text)
		of(kind).missed++
	}
	for _, a := range list { // of several amounts, and of when it starts, one unit less is all that is tried
		if strings.Contains(a.Text, " and ") || strings.HasPrefix(a.Text, "wait: ") {
			of(a.Change).smallest++
		}
	}
}

// helps reports whether a change gives an application what it lacks, and who gives way; of the part that is not negative a unit less
// is taken.
func (s *scene) helps(t *testing.T, d *model.Decision, text string, part int) (helps bool, moved []model.AppID) {
	o, less := s.clone(), int64(0)
	if o.part = part; part >= 0 {
		less = 1
	}
	o.follow(t, d.App, text, less)
	_, again := arbitration.Solve(solve.Inputs{Fleet: o.Fleet, Seen: o.Seen, Ledger: o.Ledger, Now: o.Now}).Find(d.App)
	for _, v := range again.Victims {
		moved = append(moved, v.App.ID)
	}
	slices.SortFunc(moved, model.AppID.Compare)
	switch {
	case !again.Granted():
		return false, nil
	case d.Verdict == model.VerdictGranted && d.Refused == nil:
		return again.Level == 0 && again.Refused == nil, moved
	}
	return again.Refused == nil, moved
}

// tiny draws a small world with amounts of a few units each, and lets it live.
func tiny(rng *rand.Rand) *scene {
	n := func(from, to int) int64 { return int64(from + rng.IntN(to-from+1)) }
	one := func(in int) bool { return rng.IntN(in) == 0 }
	policy := generate.Policy([]model.Preemption{"none", "within-tenant", "reclaim", "any"}[rng.IntN(4)])
	policy.PriorityCeiling = 9
	w := world.New(model.Platform{Name: "tiny", Policy: policy, Bands: []model.Band{{Name: "high", Min: 6}, {Name: "low", Min: 0}}})
	s := &scene{World: w, rng: rng}
	for i := range 1 + rng.IntN(2) {
		w.AddPool(model.Pool{Name: fmt.Sprint("pool-", i), Nodes: 1, Capacity: model.Resources{CPU: n(5, 14), Memory: n(5, 14) << 20}})
		w.Fleet.Platform.Pools[i].Price = model.Price{CPU: int64(1+i) * 100_000}
	}
	quota := func() *model.Resources { return &model.Resources{CPU: n(2, 10), Memory: n(4, 14) << 20} }
	inPool := func() []model.PoolQuota {
		return []model.PoolQuota{{Pool: "pool-0", Limits: map[string]int64{"cpu": n(2, 8)}}}
	}
	for i := range 2 + rng.IntN(2) {
		tn := model.Tenant{Name: fmt.Sprint("tenant-", i), Weight: 1 + rng.IntN(3), PriorityCeiling: 9, Policy: policy}
		if one(3) {
			tn.Guarantee.CPU = n(1, 2)
		}
		if one(4) {
			tn.Quota = quota()
		}
		if one(5) {
			tn.PoolQuotas = inPool()
		}
		if one(5) {
			tn.MaxApplications = 1 + rng.IntN(3)
		}
		if one(5) {
			tn.MaxWorkloads = 1 + rng.IntN(5)
		}
		if one(6) {
			tn.PriorityCeiling = 5
		}
		w.Fleet.Tenants = append(w.Fleet.Tenants, tn)
	}
	if one(3) {
		g := model.Group{Name: "group", Weight: 1 + rng.IntN(2), Tenants: []string{"tenant-0", "tenant-1"}}
		g.Guarantee = w.Fleet.Tenants[0].Guarantee.Add(w.Fleet.Tenants[1].Guarantee)
		if one(2) {
			g.Quota = quota()
		} else {
			g.PoolQuotas = inPool()
		}
		w.Fleet.Platform.Groups = []model.Group{g}
	}
	for i := range 4 + rng.IntN(4) {
		app := generate.App(fmt.Sprint("tenant-", rng.IntN(len(w.Fleet.Tenants))), fmt.Sprint("app-", i), rng.IntN(9), 1+rng.IntN(3),
			model.Resources{CPU: n(1, 5), Memory: n(0, 4) << 20}, new(policy))
		main := &app.Components[0]
		if app.Policy.Degradation = one(2); one(2) {
			main.Degrade = &model.Degrade{MinReplicas: 1 + rng.IntN(main.Replicas)}
		}
		switch rng.IntN(4) {
		case 0:
			main.Placement.Pool = w.Fleet.Platform.Pools[rng.IntN(len(w.Fleet.Platform.Pools))].Name
		case 1:
			for _, at := range rng.Perm(len(w.Fleet.Platform.Pools))[:1+rng.IntN(len(w.Fleet.Platform.Pools))] {
				main.Placement.Flavours = append(main.Placement.Flavours, model.Flavour{Pool: w.Fleet.Platform.Pools[at].Name})
			}
		}
		if one(4) {
			app.Budget = n(1, 15) * 100
		}
		if one(3) {
			main.Type, main.Expect = "job", time.Duration(rng.IntN(4))*25*time.Minute
		}
		if w.Declare(app); one(2) {
			w.Now = w.Now.Add(time.Second)
		}
		if one(3) {
			w.Round()
		}
	}
	step := time.Duration(rng.IntN(2)) * 10 * time.Minute
	s.Settle(6, step)
	if tn := &w.Fleet.Tenants[0]; one(4) { // a quota below what runs
		tn.Quota = quota()
		s.Settle(2, step)
	}
	return s
}

// everyAmount lists all changes of all kinds for an application of a tiny world.
func (s *scene) everyAmount(id model.AppID) (list []everyOf) {
	add := func(kind string, any bool, all []string) { list = append(list, everyOf{kind, any, all}) }
	span := func(from, to int64, text func(n int64) string) (all []string) {
		for n := from; n <= to; n++ {
			all = append(all, text(n))
		}
		return all
	}
	app := s.app(id)
	main := &app.Components[0]
	for _, r := range []string{"cpu", "memory"} {
		u := unitOf(r)
		has := main.Requests.Get(r)
		add("request", false, span(1, has*9/10/u, func(n int64) string {
			a := model.FormatAmounts(r, has-n*u, has)
			return fmt.Sprintf("request %s %s for each replica of main instead of %s", a[0], r, a[1])
		}))
		for _, q := range s.Seen.Pools {
			add("capacity", false, span(1, 16, func(n int64) string {
				return fmt.Sprintf("give pool %s %s %s more", q.Name, model.FormatAmount(r, n*u), r)
			}))
		}
	}
	add("replicas", false, span(1, int64(main.Replicas)-1, func(n int64) string {
		return fmt.Sprintf("run main with %d replicas instead of %d", int64(main.Replicas)-n, main.Replicas)
	}))
	if least := main.MinReplicas(); app.Policy.Degradation {
		add("minReplicas", false, span(1, int64(least)-1, func(n int64) string {
			return fmt.Sprintf("let main run with %d replicas while capacity is short (degrade.minReplicas), it needs %d now", int64(least)-n, least)
		}))
	}
	add("priority", false, span(int64(app.Priority)+1, 9, func(n int64) string { return fmt.Sprintf("set priority to %d", n) }))
	add("priority", false, span(0, int64(app.Priority)-1, func(n int64) string { return fmt.Sprintf("set priority to %d", int64(app.Priority)-1-n) }))
	var pools, flavours []string
	for _, q := range s.Seen.Pools {
		if from := main.Placement.Pool; from != "" && from != q.Name {
			pools = append(pools, fmt.Sprintf("run it in pool %s instead of %s", q.Name, from))
		}
		has := slices.ContainsFunc(main.Placement.Flavours, func(f model.Flavour) bool { return f.Pool == q.Name })
		if len(main.Placement.Flavours) > 0 && !has && !s.runs(id) {
			flavours = append(flavours, fmt.Sprintf("add a flavour in pool %s, after its others", q.Name))
		}
	}
	add("pool", true, pools)
	add("flavour", true, flavours)
	if app.Budget > 0 {
		add("budget", false, span(app.Budget/100+1, app.Budget/100+30, func(n int64) string { return "raise budget.costPerHour to " + solve.Money(n*100) }))
	}
	list = append(list, s.everyTime(id)...)
	for i := range s.Fleet.Tenants {
		if tn := &s.Fleet.Tenants[i]; tn.Name == id.Tenant {
			list = append(list, s.everyLimit("tenant "+tn.Name, tn.Quota, tn.PoolQuotas)...)
			for what, n := range map[string]int{"applications": tn.MaxApplications, "workloads": tn.MaxWorkloads} {
				if n > 0 {
					add("quota", false, span(int64(n)+1, int64(n)+20, func(n int64) string { return fmt.Sprintf("raise quota.%s of tenant %s to %d", what, tn.Name, n) }))
				}
			}
			for _, r := range []string{"cpu", "memory"} {
				var left int64
				for _, q := range s.Seen.Pools {
					left += q.Capacity.Get(r)
				}
				for _, o := range s.Fleet.Tenants {
					left -= o.Guarantee.Get(r)
				}
				add("guarantee", false, span(1, left/unitOf(r), func(n int64) string {
					return fmt.Sprintf("raise guarantee.%s of tenant %s to %s", r, tn.Name, model.FormatAmount(r, tn.Guarantee.Get(r)+n*unitOf(r)))
				}))
			}
		}
	}
	for _, g := range s.Fleet.Platform.Groups {
		if slices.Contains(g.Tenants, id.Tenant) {
			list = append(list, s.everyLimit("group "+g.Name, g.Quota, g.PoolQuotas)...)
		}
	}
	return list
}

// everyLimit lists all amounts of the quotas of a tenant or a group.
func (s *scene) everyLimit(whose string, quota *model.Resources, inPools []model.PoolQuota) (list []everyOf) {
	for _, r := range []string{"cpu", "memory"} {
		var all []string
		for n := int64(1); n <= 12 && quota != nil; n++ {
			all = append(all, fmt.Sprintf("raise quota.%s of %s to %s", r, whose, model.FormatAmount(r, quota.Get(r)+n*unitOf(r))))
		}
		list = append(list, everyOf{"quota", false, all})
	}
	for _, q := range inPools {
		var all []string
		for n := int64(1); n <= 12; n++ {
			all = append(all, fmt.Sprintf("raise quota.pools.%s.cpu of %s to %s", q.Pool, whose, model.FormatAmount("cpu", q.Limits["cpu"]+n)))
		}
		list = append(list, everyOf{"pool quota", false, all})
	}
	return list
}

// everyTime lists all times that a job may be declared to take, in the words that name who is passed.
func (s *scene) everyTime(id model.AppID) []everyOf {
	main := &s.app(id).Components[0]
	if !main.Finite() {
		return nil
	}
	var starts []model.Decision
	ruling := s.Decide()
	for _, d := range ruling.Decisions {
		if d.Starts != nil && d.App != id {
			starts = append(starts, d)
		}
	}
	slices.SortStableFunc(starts, func(x, y model.Decision) int { return x.Starts.At.Compare(y.Starts.At) })
	var all []string
	for _, step := range timeSteps {
		takes, _ := time.ParseDuration(step)
		for _, d := range starts {
			if (main.Expect == 0 || takes < main.Expect) && !s.Now.Add(takes).After(d.Starts.At) {
				all = append(all, fmt.Sprintf("declare expect: %q of main, if it takes no longer: it then ends before %s starts, which room is kept for", step, d.App))
				break
			}
		}
	}
	return []everyOf{{"time", false, all}}
}

// timeSteps are the times that advice knows, the longest first.
var timeSteps = []string{"24h", "16h", "12h", "8h", "6h", "4h", "3h", "2h", "1h30m", "1h", "50m", "40m", "30m", "20m", "15m", "10m", "5m", "1m"}
