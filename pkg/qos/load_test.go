package qos

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

const gib = int64(1) << 30

// giving is a plan with a service, and batch workloads that give way to it.
func giving(batch ...string) Plan {
	profile := model.QoSProfile{Name: "batch", CPU: model.QoSCPU{Weight: 1, Suppress: 65}, Memory: model.QoSMemory{Reclaim: true}}
	plan := Plan{System: model.Resources{CPU: 1000}, Workloads: []Workload{{Name: "web", Cgroup: "web"}}}
	for _, name := range batch {
		plan.Workloads = append(plan.Workloads, Workload{Name: name, Cgroup: name, Profile: profile})
	}
	return plan
}

func hostOf(v Version) Host {
	return Host{CPU: 8000, Memory: 64 * gib, Page: 4096, Controllers: map[string]Version{"cpu": v, "memory": v}}
}

func settingOf(e Enforcement, cgroup, file string) Setting {
	for _, s := range e.Settings {
		if s.Cgroup == cgroup && s.File == file {
			return s
		}
	}
	return Setting{}
}

// Of 8 cores 65 % may be in use: 5.2, less 2 that others use and 1 that is kept for the host.
func TestSuppression(t *testing.T) {
	plan, host := giving("batch"), hostOf(V1)
	plan.Workloads[1].Profile.Memory.Reclaim = false
	load := Load{At: second, CPU: 3400, Free: 32 * gib, Used: map[string]Used{"web": {CPU: 2000}, "batch": {CPU: 1000}}}
	r := Reaction{}.Next(plan, host, load)
	e := ResolveUnder(r.Ceilings, plan, host)
	require.Equal(t, Setting{
		Cgroup: "batch", File: "cpu.cfs_quota_us", Value: "220000", Workload: "batch",
		Follows: "others use 2 of 8 cores, the host 1, and 65 % may be in use",
	}, settingOf(e, "batch", "cpu.cfs_quota_us"))
	require.Equal(t, "220000 100000", settingOf(ResolveUnder(r.Ceilings, plan, hostOf(V2)), "batch", "cpu.max").Value)
	require.Empty(t, settingOf(e, "web", "cpu.cfs_quota_us"), "who does not give way is not bounded")
	require.Empty(t, settingOf(Resolve(plan, host), "batch", "cpu.cfs_quota_us"))

	// A limit of the plan is what the value goes back to, and is never exceeded.
	plan.Workloads[1].Profile.CPU.Quota, plan.Workloads[1].Limit.CPU = 100, 4000
	require.Equal(t, "400000", settingOf(ResolveUnder(r.Ceilings, plan, host), "batch", "cpu.cfs_quota_us").Rest)
	plan.Workloads[1].Limit.CPU = 1000
	require.Equal(t, Resolve(plan, host).Settings[0], ResolveUnder(r.Ceilings, plan, host).Settings[0])
}

// What others take is taken at once, and given back after a while and in steps. Little
// changes change nothing, and somebody always has something.
func TestSuppressionIsFastAndReleaseSlow(t *testing.T) {
	plan, host := giving("batch"), hostOf(V2)
	plan.Workloads[1].Profile.Memory.Reclaim = false
	var r Reaction
	at, seen := int64(0), []int64{}
	look := func(web int64) {
		at += second
		r = r.Next(plan, host, Load{At: at, Free: 32 * gib, CPU: web, Used: map[string]Used{"web": {CPU: web}}})
		seen = append(seen, r.Ceilings["batch"].CPU.Most)
	}
	for _, web := range []int64{1000, 1040, 4000, 8000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000} {
		look(web)
	}
	require.Equal(t, []int64{3200, 3200, 200, leastCPU, leastCPU, leastCPU, leastCPU, leastCPU, 800, 1600, 2400, 3200, 3200}, seen)
}

// Start at four fifths of the memory; a tenth less while less than a twentieth is free, a
// hundredth more while more than three twentieths are; each five seconds.
func TestReclaim(t *testing.T) {
	plan, host := giving("batch"), hostOf(V2)
	host.Memory = 100 * gib
	var r Reaction
	at := int64(0)
	look := func(free, full int64) int64 {
		at += second
		r = r.Next(plan, host, Load{At: at, Free: free * gib, Stalled: full, Used: map[string]Used{"batch": {Memory: 70 * gib}}})
		return r.Ceilings["batch"].Memory.Most / gib
	}
	require.EqualValues(t, 80, look(10, 0))
	require.EqualValues(t, 80, look(4, 0), "between two steps lie five seconds")
	for range 3 {
		look(4, 0)
	}
	require.EqualValues(t, 70, look(4, 0))
	for range 4 {
		require.EqualValues(t, 70, look(20, 0))
	}
	require.EqualValues(t, 71, look(20, 0))
	for range 5 {
		look(10, 0)
	}
	require.EqualValues(t, 71, look(10, 0), "neither short nor free: it stays")
	for range 5 {
		look(10, 600)
	}
	require.EqualValues(t, 61, r.Ceilings["batch"].Memory.Most/gib, "all wait for memory")
	high := settingOf(ResolveUnder(r.Ceilings, plan, host), "batch", "memory.high")
	require.Equal(t, "10Gi of 100Gi memory are free, and 1 workloads that give way may have 61Gi", high.Follows)
}

// Nothing protects a reservation on v1, so those that give way never have what is reserved,
// and go down in steps that a kernel can reclaim.
func TestReclaimOnV1CapsTheOthers(t *testing.T) {
	plan, host := giving("batch"), hostOf(V1)
	plan.System.Memory, plan.Workloads[0].Reserved.Memory = gib, 40*gib
	used := func(n int64) map[string]Used { return map[string]Used{"batch": {Memory: n}} }
	r := Reaction{}.Next(plan, host, Load{At: second, Free: 32 * gib, Used: used(gib)})
	require.Equal(t, 64*gib-64*gib/20-gib-40*gib, r.Ceilings["batch"].Memory.Most)
	require.Equal(t, "memory.limit_in_bytes", settingOf(ResolveUnder(r.Ceilings, plan, host), "batch", "memory.limit_in_bytes").File)
	r = Reaction{}.Next(plan, host, Load{At: second, Free: 32 * gib, Used: used(40 * gib)})
	require.Equal(t, 38*gib, r.Ceilings["batch"].Memory.Most)
}

// A workload that gives way keeps what is reserved for it.
func TestWhoGivesWayKeepsItsReservation(t *testing.T) {
	plan, host := giving("batch"), hostOf(V2)
	plan.Workloads[1].Reserved = model.Resources{CPU: 1500, Memory: 60 * gib}
	var r Reaction
	for at := int64(1); at < 60; at++ {
		r = r.Next(plan, host, Load{At: at * second, CPU: 8000, Used: map[string]Used{"web": {CPU: 8000}}})
	}
	require.EqualValues(t, 1500, r.Ceilings["batch"].CPU.Most)
	require.Equal(t, 60*gib, r.Ceilings["batch"].Memory.Most)
}

// A workload never gets two new bounds in one turn.
func TestOneBoundAtATime(t *testing.T) {
	plan, host := giving("a", "b"), hostOf(V2)
	rapid.Check(t, func(t *rapid.T) {
		var r Reaction
		at := int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "turns") {
			at += rapid.Int64Range(second/10, 3*second).Draw(t, "passed")
			load := Load{At: at, Free: rapid.Int64Range(0, host.Memory).Draw(t, "free"), CPU: rapid.Int64Range(0, host.CPU).Draw(t, "cpu"), Used: map[string]Used{}}
			for _, name := range []string{"web", "a", "b"} {
				load.Used[name] = Used{rapid.Int64Range(0, host.CPU).Draw(t, "used"), rapid.Int64Range(0, host.Memory).Draw(t, "memory")}
			}
			next := r.Next(plan, host, load)
			for _, name := range []string{"a", "b"} {
				was, is := r.Ceilings[name], next.Ceilings[name]
				require.False(t, was.CPU != is.CPU && was.Memory != is.Memory)
				require.True(t, is.CPU.Most == 0 || is.CPU.Most >= leastCPU)
				require.True(t, is.Memory.Most == 0 || is.Memory.Most >= leastMemory)
			}
			require.Empty(t, next.Ceilings["web"])
			r = next
		}
		r = r.Next(Plan{}, host, Load{At: at + second})
		require.Empty(t, r.Ceilings, "who left the plan has no ceiling")
	})
}

func TestDivide(t *testing.T) {
	for _, c := range []struct {
		total int64
		asked []int64
		want  string
	}{
		{900, []int64{maxCPU}, "[900]"},
		{900, []int64{100, maxCPU, maxCPU}, "[100 400 400]"},
		{900, []int64{100, 200}, "[400 500]"},
		{60, []int64{100, 100}, "[50 50]"},
		{0, []int64{100}, "[50]"},
	} {
		require.Equal(t, c.want, fmt.Sprint(divide(c.total, leastCPU, c.asked)))
	}
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(0, 1<<40).Draw(t, "total")
		asked := rapid.SliceOfN(rapid.Int64Range(0, 1<<40), 1, 20).Draw(t, "asked")
		var sum int64
		for _, n := range divide(total, 0, asked) {
			sum += n
		}
		require.LessOrEqual(t, sum, total)
		require.Greater(t, sum, total-int64(len(asked)), "nothing is lost but fractions")
	})
}
