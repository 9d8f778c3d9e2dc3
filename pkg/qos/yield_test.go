package qos

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// yielding is a plan with a database and batch workloads that leave disks to it.
func yielding(db Workload, batch ...string) Plan {
	db.Name, db.Cgroup = "db", "db"
	plan := Plan{Workloads: []Workload{db}}
	for _, name := range batch {
		plan.Workloads = append(plan.Workloads, Workload{Name: name, Cgroup: name, Profile: model.QoSProfile{Name: "batch", IO: model.QoSIO{Yield: true}}})
	}
	return plan
}

func hostWithDisk(v Version) Host {
	host := hostOf(v)
	host.Controllers["io"], host.Disks = v, []string{"254:0"}
	return host
}

func target(ms int64) Workload {
	return Workload{Profile: model.QoSProfile{IO: model.QoSIO{Latency: ms}}}
}

// Each second: how long the database waited for an access in milliseconds, what the batch wants in MiB, and what it may do
// after that in MiB. It falls to half of what it did, two seconds apart, and rises by a quarter, five seconds after the
// last change; between 15 and 20 ms nothing changes. When it may do twice what it did before, there is no bound.
func TestYieldingByLatency(t *testing.T) {
	const mib = 1 << 20
	plan, host := yielding(target(20), "batch"), hostWithDisk(V2)
	var r Reaction
	at := int64(0)
	var seen []float64
	look := func(ms int64, wants float64) {
		at += second
		did := int64(wants * mib)
		if most := r.Ceilings["batch"].Disk.Most; most > 0 {
			did = min(did, most)
		}
		// A hundred accesses, each of which waited so long.
		r = r.Next(plan, host, Load{At: at, Free: 32 * gib, Disks: map[string]DiskUse{"db": {Accesses: 100, Waited: ms * 1000}, "batch": {Bytes: did}}})
		seen = append(seen, float64(r.Ceilings["batch"].Disk.Most)/mib)
	}
	for _, ms := range []int64{10, 30, 30, 30, 30, 17, 17, 17, 17, 17, 17} {
		look(ms, 80)
	}
	require.Equal(t, []float64{0, 40, 40, 20, 20, 20, 20, 20, 20, 20, 20}, seen)
	seen = nil
	for range 6 {
		look(5, 80)
	}
	require.Equal(t, []float64{25, 25, 25, 25, 25, 31.25}, seen)
	seen = nil
	look(40, 80)
	require.Equal(t, []float64{15.625}, seen, "who waits is served at once")
	for range 60 {
		look(5, 80)
	}
	require.Zero(t, r.Ceilings["batch"], "nobody waits: no bound")
	seen = nil
	for range 40 {
		look(90, 80)
	}
	require.EqualValues(t, 0.25, seen[39], "somebody always has something")
	require.Equal(t, "db waits 90ms for an access, and 20 ms are wanted, and 1 workloads that yield may read and write 256Ki in a second",
		settingOf(ResolveUnder(r.Ceilings, plan, host), "batch", "io.max").Follows)
}

// Who has a reservation and no target waits too long from a fifth of the time on; who has neither does not count, nor
// does somebody who is not measured. While those that yield hardly do anything, they are not the cause.
func TestWhoIsYieldedTo(t *testing.T) {
	host := hostWithDisk(V2)
	for _, c := range []struct {
		name  string
		db    Workload
		use   map[string]DiskUse
		bound int64
	}{
		{"reservation", Workload{Reserved: model.Resources{CPU: 100}}, map[string]DiskUse{"db": {Waited: 2100}, "batch": {Bytes: 8 << 20}}, 4 << 20},
		{"reservation, little", Workload{Reserved: model.Resources{CPU: 100}}, map[string]DiskUse{"db": {Waited: 2000}, "batch": {Bytes: 8 << 20}}, 0},
		{"neither", Workload{}, map[string]DiskUse{"db": {Waited: 9900}, "batch": {Bytes: 8 << 20}}, 0},
		{"not measured", target(1), map[string]DiskUse{"batch": {Bytes: 8 << 20}}, 0},
		{"no accesses", target(1), map[string]DiskUse{"db": {}, "batch": {Bytes: 8 << 20}}, 0},
		{"one access that never ends", target(1), map[string]DiskUse{"db": {Waited: 10_000}, "batch": {Bytes: 8 << 20}}, 4 << 20},
		{"not the cause", target(1), map[string]DiskUse{"db": {Waited: 10_000, Accesses: 1}, "batch": {Bytes: leastDisk}}, 0},
	} {
		r := Reaction{}.Next(yielding(c.db, "batch"), host, Load{At: second, Free: 32 * gib, Disks: c.use})
		require.Equal(t, c.bound, r.Ceilings["batch"].Disk.Most, c.name)
	}
	r := Reaction{}.Next(yielding(target(1), "batch"), hostOf(V2), Load{At: second, Free: 32 * gib, Disks: map[string]DiskUse{"db": {Waited: 10_000}, "batch": {Bytes: 8 << 20}}})
	require.Empty(t, r.Ceilings, "a host without a disk of its own")
}

// Each case: what each disk can do, what is reserved of it for the database and for another one of a lower rank, what the
// database does while it waits all the time, in MiB, and what the batch may do after that.
func TestDiskReservations(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		rate, db, other, does int64
		yields                bool
		reasons               []string
		bound                 int64
	}{
		{200, 50, 100, 40, true, nil, 4},
		{200, 50, 100, 50, true, nil, 0},
		{200, 100, 100, 40, true, []string{"other: ReservationReduced: asks for 100Mi disk, each disk has 60Mi left to promise"}, 4},
		{0, 50, 0, 40, true, []string{"db: the agent was not told what each disk can do (--disk-rate)"}, 4},
		{200, 50, 0, 40, false, []string{"db: nobody here leaves disks to others: give a profile io.yield"}, 0},
	} {
		reserve := func(n int64) model.Resources {
			if n == 0 {
				return model.Resources{}
			}
			return model.Resources{}.With(model.DiskResource, n*mib)
		}
		plan, host := yielding(Workload{Reserved: reserve(c.db), Priority: 2}, "batch"), hostWithDisk(V2)
		plan.Workloads[1].Profile.IO.Yield = c.yields
		plan.Workloads = append(plan.Workloads, Workload{Name: "other", Cgroup: "other", Reserved: reserve(c.other), Priority: 1})
		host.DiskRate = c.rate * mib
		r := Reaction{}.Next(plan, host, Load{At: second, Free: 32 * gib, Disks: map[string]DiskUse{"db": {Bytes: c.does * mib, Waited: 10_000}, "batch": {Bytes: 8 * mib}}})
		require.Equal(t, c.bound*mib, r.Ceilings["batch"].Disk.Most, c)
		e := ResolveUnder(r.Ceilings, plan, host)
		var reasons []string
		for _, d := range e.Degradations {
			require.Equal(t, "disk.reserved", d.Promise)
			reasons = append(reasons, d.Workload+": "+d.Reason)
		}
		require.Equal(t, c.reasons, reasons)
		all := Standings(plan, e, func(string, string) bool { return false })
		require.Equal(t, c.db*mib, all[0].Promised.Disk)
		kept := c.db * mib
		if len(reasons) > 0 && reasons[0][:2] == "db" {
			kept = 0
			require.Equal(t, Shortfall{Workload: "db", Resource: "disk", Promised: c.db * mib, Reason: e.Degradations[0].Reason}, e.Degradations[0].ReducedBy()[0])
			_, err := ParseReport(NewReport(e.Degradations[0].ReducedBy()).Encode())
			require.NoError(t, err)
		}
		require.Equal(t, kept, all[0].Effective.Disk)
	}
}

// Ceilings of the plan hold beside, and are what the value goes back to. On v1 each direction has a file of its own.
func TestYieldingIsWritten(t *testing.T) {
	plan := yielding(target(20), "batch")
	plan.Workloads[1].Profile.IO.Read = 1 << 20
	ceilings := map[string]Ceiling{"batch": {Disk: Bound{Most: 4 << 20, Why: "db waits"}}}
	e := ResolveUnder(ceilings, plan, hostWithDisk(V2))
	require.Equal(t, Setting{Cgroup: "batch", File: "io.max", Value: "254:0 rbps=1048576 wbps=4194304 riops=max wiops=max", Workload: "batch",
		Follows: "db waits", Rest: "254:0 rbps=1048576 wbps=max riops=max wiops=max"}, settingOf(e, "batch", "io.max"))
	host := hostWithDisk(V1)
	e = ResolveUnder(ceilings, plan, host)
	require.Equal(t, Setting{Cgroup: "batch", File: "blkio.throttle.write_bps_device", Value: "254:0 4194304", Workload: "batch", Follows: "db waits"},
		settingOf(e, "batch", "blkio.throttle.write_bps_device"))
	require.Empty(t, settingOf(e, "batch", "blkio.throttle.read_bps_device").Follows, "the plan's is smaller")
	require.NotContains(t, e.Degradations, "io.yield")
	host.Lacks = []string{"io.pressure"}
	require.Contains(t, ResolveUnder(nil, plan, host).Degradations, Degradation{Workload: "batch", Promise: "io.yield", Instead: "none",
		Reason: "the kernel does not tell who waits for disks: it needs pressure files (psi=1) and cgroup v2"})
}

// Whatever the load does: a bound changes no sooner than two seconds after a fall, it is never below what is left to each,
// what all may do adds up, and each has a reason.
func TestYieldingHasMinimumTimes(t *testing.T) {
	plan, host := yielding(target(20), "a", "b"), hostWithDisk(V2)
	rapid.Check(t, func(t *rapid.T) {
		var r Reaction
		at, fell := int64(0), int64(-10*second)
		for range rapid.IntRange(1, 60).Draw(t, "turns") {
			at += rapid.Int64Range(second/5, 2*second).Draw(t, "passed")
			uses := map[string]DiskUse{"db": {Accesses: rapid.Int64Range(0, 1000).Draw(t, "accesses"), Waited: rapid.Int64Range(0, 10_000).Draw(t, "waited")}}
			for _, name := range []string{"a", "b"} {
				uses[name] = DiskUse{Bytes: rapid.Int64Range(0, 1<<32).Draw(t, "bytes")}
			}
			next := r.Next(plan, host, Load{At: at, Free: 32 * gib, Disks: uses})
			if next.disks.most > 0 && (r.disks.most == 0 || next.disks.most < r.disks.most) {
				require.GreaterOrEqual(t, at-fell, int64(pressDisks))
				fell = at
			}
			for _, name := range []string{"a", "b"} {
				d := next.Ceilings[name].Disk
				require.Equal(t, d.Most == 0, d.Why == "")
				require.True(t, d.Most == 0 || d.Most >= leastDisk)
				require.Equal(t, next.disks.most == 0, d.Most == 0)
			}
			require.Empty(t, next.Ceilings["db"])
			r = next
		}
	})
}
