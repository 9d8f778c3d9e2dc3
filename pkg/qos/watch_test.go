package qos

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

func TestStarved(t *testing.T) {
	const second = 1_000_000
	for _, c := range []struct {
		name             string
		used, waited     int64
		passed, reserved int64
		got              int64
		starved          bool
	}{
		{"all of it", second, second, second, 1000, 1000, false},
		{"a twentieth less", 950_000, second, second, 1000, 950, false},
		{"a quarter of it", 250_000, second, second, 1000, 250, true},
		{"it does not want more", 250_000, 50_000, second, 1000, 250, false},
		{"two cores", 900_000, second, second, 2000, 900, true},
		{"no time has passed", 0, 0, 0, 1000, 0, false},
		{"threads have ended", 100_000, -10, second, 1000, 0, false},
		{"the group is another", -1, second, second, 1000, 0, false},
	} {
		before := Usage{CPU: 1000, Waited: 1000}
		got, starved := Starved(before, Usage{before.CPU + c.used, before.Waited + c.waited}, c.passed, c.reserved)
		require.Equal(t, c.starved, starved, c.name)
		require.Equal(t, c.got, got, c.name)
	}
}

// The reservation is 75 MiB below a group of 50, as in the table of effective protection of a kernel test.
func TestStarvedOfMemory(t *testing.T) {
	const mib = 1 << 20
	see := func(reserved, got, cpu, waits int64) Standing {
		return Standing{Workload: "db", Effective: Amounts{Memory: reserved}, Used: &Used{CPU: cpu, Memory: got}, Pressure: &Pressure{Memory: waits}}
	}
	batch := func(reserved, got int64) Standing {
		return Standing{Workload: "batch", Effective: Amounts{Memory: reserved}, Used: &Used{CPU: 1000, Memory: got}}
	}
	untold := see(75*mib, 29*mib, 100, 0)
	untold.Pressure = nil
	for _, c := range []struct {
		name   string
		db     Standing
		others []Standing
		rest   int64
		want   []Took
	}{
		{"an ancestor of 50 protects 75 and 25 to 29 and 21", see(75*mib, 29*mib, 100, 4000), []Standing{batch(0, 50*mib)}, 0, []Took{{"batch", 50 * mib}}},
		{"who has what is theirs took nothing", see(75*mib, 29*mib, 100, 4000), []Standing{batch(25*mib, 21*mib)}, 0, nil},
		{"the host itself took it", see(75*mib, 29*mib, 100, 4000), []Standing{batch(25*mib, 21*mib)}, 100 * mib, []Took{{"rest", 100 * mib}}},
		{"a twentieth less", see(75*mib, 72*mib, 100, 4000), []Standing{batch(0, 500*mib)}, 0, nil},
		{"it wants no more", see(75*mib, 29*mib, 100, 999), []Standing{batch(0, 500*mib)}, 0, nil},
		{"it does not run", see(75*mib, 29*mib, 0, 4000), []Standing{batch(0, 500*mib)}, 0, nil},
		{"nothing is reserved, or in force", see(0, 29*mib, 100, 4000), []Standing{batch(0, 500*mib)}, 0, nil},
		{"the kernel does not tell", untold, []Standing{batch(0, 500*mib)}, 0, nil},
	} {
		var w Watch
		var broken []Broken
		for turn := 1; turn <= 4; turn++ {
			seen := []Holding{c.db.HoldingOfMemory()}
			for _, o := range c.others {
				seen = append(seen, o.HoldingOfMemory())
			}
			w, broken = w.Next(ReservedMemory, seen, func() []Took { return []Took{{"rest", c.rest}} })
			if turn < 3 {
				require.Empty(t, broken, c.name)
			}
		}
		if c.want == nil {
			require.Empty(t, broken, c.name)
			continue
		}
		require.Equal(t, []Broken{{"db", ReservedMemory, 75 * mib, 29 * mib, c.want}}, broken, c.name)
		w, broken = w.Next(ReservedMemory, []Holding{{"db", 75 * mib, 75 * mib, true, false}}, nil)
		require.Empty(t, broken, "it recovers at once")
		require.Empty(t, w)
	}
}

// However a node does: who has its reservation or does not want more is never said to starve, nobody is before the
// third turn in a row, and then until it ends; who took something has more than what is reserved.
func TestWatchProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c"}
		run := map[string]int{}
		told := map[string]bool{}
		var w Watch
		for range rapid.IntRange(1, 12).Draw(t, "turns") {
			var seen []Holding
			for _, name := range names {
				seen = append(seen, Holding{name, rapid.Int64Range(0, 100).Draw(t, "reserved"), rapid.Int64Range(0, 200).Draw(t, "got"), rapid.Bool().Draw(t, "hungry"), false})
			}
			var broken []Broken
			w, broken = w.Next(ReservedDisk, seen, func() []Took { return nil })
			now := map[string]bool{}
			for _, b := range broken {
				now[b.Workload] = true
				require.Less(t, b.Got, b.Reserved)
				require.NotEmpty(t, b.By)
				for _, by := range b.By {
					require.Positive(t, by.Amount)
					require.NotEqual(t, b.Workload, by.Who)
				}
			}
			for _, h := range seen {
				if run[h.Workload]++; !h.Hungry || h.Got >= h.Reserved {
					run[h.Workload] = 0
				}
				if now[h.Workload] {
					require.GreaterOrEqual(t, run[h.Workload], 3)
				}
				if told[h.Workload] && h.Hungry && below(h.Got, h.Reserved) {
					require.True(t, now[h.Workload], "it stays until it ends")
				}
			}
			told = now
		}
	})
}

// Of a disk of which 50 MiB in a second are reserved: who waits for it, and who only has little to do.
func TestHungryForDisks(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name   string
		bytes  int64
		waited int64
		hungry bool
	}{
		{"it waits all the time", 10 * mib, 10_000, true},
		{"clocks differ a little", 10 * mib, 10_020, true},
		{"half of the time for 30", 30 * mib, 5000, true},
		{"half of the time for 20: without waiting it would do 40", 20 * mib, 5000, false},
		{"hardly ever", 45 * mib, 1900, false},
		{"never", 0, 0, false},
	} {
		s := Standing{Workload: "db", Effective: Amounts{Disk: 50 * mib}}
		require.Equal(t, Holding{"db", 50 * mib, c.bytes, c.hungry, false}, s.HoldingOfDisks(DiskUse{Bytes: c.bytes, Waited: c.waited}), c.name)
	}
}

// Who asks for less than its reservation, and waits for each access as long as a slow disk wants, is never hungry.
func TestWhoAsksForLittleIsNotHungry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reserved := rapid.Int64Range(2, 1<<40).Draw(t, "reserved")
		asks := rapid.Int64Range(0, reserved-1).Draw(t, "asks")
		waited := rapid.Int64Range(0, 9_999).Draw(t, "waited")
		s := Standing{Effective: Amounts{Disk: reserved}}
		require.False(t, s.HoldingOfDisks(DiskUse{Bytes: wide(asks, 10_000-waited).floor(10_000), Waited: waited}).Hungry)
	})
}

// An uplink of 95 Mbit/s of which 57 are reserved, in seconds.
func TestStarvedOfNetwork(t *testing.T) {
	const mbit, second = 1_000_000, 1_000_000
	db := Workload{Name: "db", Cgroup: "db", Reserved: model.Resources{}.With(model.NetworkResource, 57*mbit)}
	plan := Plan{Workloads: []Workload{db, {Name: "batch", Cgroup: "batch"}}}
	u := &Uplink{Rate: 95 * mbit, Classes: []Class{
		{Name: "system", Minor: 2, Rate: 5 * mbit}, {Name: "batch", Minor: 17, Rate: 20 * mbit, Cgroups: []string{"batch"}}, {Name: "db", Minor: 18, Rate: 57 * mbit, Cgroups: []string{"db"}},
	}}
	for _, c := range []struct {
		name                   string
		sent, batch            int64 // of db and of batch, bits in a second
		waiting, dropped, look int64 // of db: packets, those in each second, microseconds between looks
		want                   []Took
	}{
		{"others borrow what it waits for", 20 * mbit, 70 * mbit, 5, 0, second, []Took{{"batch", 50 * mbit}}},
		{"its packets are dropped", 20 * mbit, 70 * mbit, 0, 3, second, []Took{{"batch", 50 * mbit}}},
		{"looks are half a second apart", 20 * mbit, 70 * mbit, 5, 0, second / 2, []Took{{"batch", 50 * mbit}}},
		{"it has what is reserved", 57 * mbit, 38 * mbit, 5, 0, second, nil},
		{"it sends no more", 20 * mbit, 70 * mbit, 0, 0, second, nil},
		{"the others have what is theirs", 20 * mbit, 20 * mbit, 5, 0, second, nil},
		{"no time passes", 20 * mbit, 70 * mbit, 5, 0, 0, nil},
	} {
		var w Watch
		var broken []Broken
		before := map[uint16]Sent{}
		for turn := int64(0); turn <= 3; turn++ {
			bytes := func(rate int64) int64 { return rate / 8 * c.look / second * turn }
			after := map[uint16]Sent{2: {}, 17: {Bytes: bytes(c.batch), Waiting: 100}, 18: {bytes(c.sent), turn * c.dropped, c.waiting}}
			w, broken = w.Next(ReservedNetwork, u.Holdings(plan, before, after, c.look), func() []Took { return nil })
			before = after
			require.True(t, turn == 3 || len(broken) == 0, c.name)
		}
		if c.want == nil {
			require.Empty(t, broken, c.name)
			continue
		}
		require.Equal(t, []Broken{{"db", ReservedNetwork, 57 * mbit, 20 * mbit, c.want}}, broken, c.name)
	}
	require.Empty(t, u.Holdings(plan, map[uint16]Sent{18: {Bytes: 5}}, map[uint16]Sent{18: {Bytes: 4}}, second), "a class that was made again")
}

// Each broken promise is a shortfall of its resource, which reconcilers have always read.
func TestBrokenPromisesOfAllResourcesAreReported(t *testing.T) {
	var all []Shortfall
	for _, promise := range []string{ReservedCPU, ReservedMemory, ReservedDisk, ReservedNetwork} {
		b := Broken{"acme/shop/db@db-0", promise, 1 << 30, 1<<20 + 1, []Took{{"acme/shop/batch@batch-0", 1 << 29}}}
		all = append(all, b.Shortfall())
	}
	r, err := ParseReport(NewReport(all).Encode())
	require.NoError(t, err)
	reasons := map[string]string{}
	var kept []int64 // no finer than it is measured
	for _, s := range r.Shortfalls {
		require.Equal(t, "acme/shop/db", s.Workload)
		reasons[s.Resource] = s.Reason
		kept = append(kept, s.Kept)
	}
	require.Equal(t, map[string]string{
		"cpu":     "it waits for processors and does not get them; acme/shop/batch@batch-0 took 536870912m",
		"memory":  "it waits for memory and does not get it; acme/shop/batch holds more than its own by 512Mi",
		"disk":    "it waits for disks and does not get them; acme/shop/batch took 512Mi/s",
		"network": "its packets wait and are not sent; acme/shop/batch took 536870k",
	}, reasons)
	require.Equal(t, []int64{1<<20 + 1, 1 << 20, 1 << 20, 1_048_000}, kept) // cpu, disk, memory, network
}
