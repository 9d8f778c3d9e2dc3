package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/follow"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// repeats is how often a measurement is made; the median counts.
const repeats = 3

// spread are the processor times of several runs, the least first.
type spread []time.Duration

func (s spread) median() time.Duration { return s[len(s)/2] }

// of writes the median, and the least and the most of more runs than one, each divided by the number of what was done.
func (s spread) of(n int) string {
	if len(s) == 1 {
		return ms(s[0] / time.Duration(n))
	}
	return fmt.Sprintf("%s (%s to %s)", ms(s.median()/time.Duration(n)), ms(s[0]/time.Duration(n)), ms(s[len(s)-1]/time.Duration(n)))
}

// several decides on the same world several times, with advice, and returns what that took, and what it allocated.
func several(w *world.World, n int) (spread, uint64) {
	var times spread
	var before, after runtime.MemStats
	w.Advises = true
	runtime.ReadMemStats(&before)
	for range n {
		times = append(times, took(func() { w.Decide() }))
	}
	runtime.ReadMemStats(&after)
	slices.Sort(times)
	return times, (after.TotalAlloc - before.TotalAlloc) / uint64(n)
}

// queues decides on everything that waits at once, in the shapes of Kueue's tests.
func queues(s size) (rows []row) {
	shapes := []struct {
		name  string
		queue generate.Queues
	}{{"baseline", generate.Baseline}, {"large-scale", generate.LargeScale}}
	for _, shape := range shapes {
		q := shape.queue
		q.Groups = s.of(q.Groups, q.Groups/5)
		w := q.World()
		n := q.Applications()
		times, bytes := several(w, s.of(repeats, 1))
		admitted := 0
		for _, decision := range w.Decide().Decisions {
			if decision.Verdict == model.VerdictGranted {
				admitted++
			}
		}
		rate := float64(n) / times.median().Seconds()
		want := 0.0
		if shape.name == "large-scale" {
			want = 25_000
		}
		rows = append(rows, row{
			what:   fmt.Sprintf("%s: %d tenants, %d wait, %d admitted: decisions per CPU-second", shape.name, q.Groups*q.Tenants, n, admitted),
			figure: fmt.Sprintf("%.0f; %s in all, %.1f KiB each", rate, times.of(1), float64(bytes)/float64(n)/1024),
			want:   map[bool]string{true: "≥ 25,000"}[want > 0], judged: want > 0, met: rate >= want,
		})
	}
	return rows
}

// preemption lets a hundred applications in that can only get in by preemption: decided from scratch, and by the
// arbiter that knows the full pool.
func preemption(s size) (rows []row) {
	for _, reclaim := range []bool{false, true} {
		kind, wanted := "inside tenants", 600*time.Microsecond
		if reclaim {
			kind, wanted = "between tenants", 3*time.Millisecond
		}
		var before float64
		for _, running := range []int{1000, 3000, s.of(10_000, 5000)} {
			c := generate.Crowded{Tenants: 100, Running: running, Reclaim: reclaim}
			idle, _ := several(c.World(false), s.of(repeats, 1))
			w := c.World(true)
			times, _ := several(w, s.of(repeats, 1))
			_, changes := w.Round()
			admitted := max(1, len(changes.Admitted))
			each := times.median() / time.Duration(admitted)
			r := row{
				what: fmt.Sprintf("preemption %s, %d running: CPU per preempting decision", kind, running),
				figure: fmt.Sprintf("%s; %d in, %d out; %s in all, %s without them", times.of(admitted), len(changes.Admitted), len(changes.Evicted),
					ms(times.median()), ms(idle.median())),
				want: "≤ " + ms(wanted), judged: true, met: each <= wanted && len(changes.Admitted) > 0,
			}
			before = r.grow(times.median(), running, before)
			rows = append(rows, r)
		}
		c := generate.Crowded{Tenants: 100, Running: s.of(10_000, 5000), Reclaim: reclaim}
		times := remembered(c, s.of(repeats, 1))
		if !reclaim {
			wanted = 300 * time.Microsecond
		}
		rows = append(rows, row{
			what: fmt.Sprintf("preemption %s, %d running, by an arbiter that remembers the last pass", kind, c.Running), figure: times.of(c.Tenants),
			want: "≤ " + ms(wanted), judged: true, met: times.median()/time.Duration(c.Tenants) <= wanted,
		})
	}
	return rows
}

// remembered is what the pass costs in which all ask, of an arbiter that knows who runs.
func remembered(c generate.Crowded, n int) (times spread) {
	for range n {
		w, arbiter := c.World(false), follow.New(arbitration.Solve)
		for range 2 {
			arbiter.Decide(w.Fleet, w.Seen, w.Ledger, w.Now)
		}
		w.Fleet.Applications, w.Ledger.Instances = slices.Clone(w.Fleet.Applications), slices.Clone(w.Ledger.Instances)
		w.Declare(c.Asking()...)
		runtime.GC()
		times = append(times, took(func() { arbiter.Decide(w.Fleet, w.Seen, w.Ledger, w.Now) }))
	}
	slices.Sort(times)
	return times
}

// growth decides on fleets of growing size and compares each with the size before,
// in units of n log n: the effort that verifies what would admit is bounded and
// weighs most in small fleets, so that a comparison with the first hides growth.
func growth(s size) (rows []row) {
	var before float64
	for _, n := range []int{1000, 3000, 10_000, 30_000, 100_000} {
		if n > s.of(100_000, 10_000) {
			break
		}
		times, _ := several(generate.Growing(n), s.of(repeats, 1))
		d := times.median()
		r := row{
			what:   fmt.Sprintf("growth: %d applications, none of which runs yet", n),
			figure: fmt.Sprintf("%s, %.1f µs each", times.of(1), float64(d.Microseconds())/float64(n)),
			judged: before > 0, met: true,
		}
		before = r.grow(d, n, before)
		rows = append(rows, r)
	}
	return rows
}

// grow adds how a time for n compares with n log n and the size before, in units of which that took so many; 0: there is none before. It
// returns how many this one took.
func (r *row) grow(d time.Duration, n int, before float64) float64 {
	unit := d.Seconds() / (float64(n) * math.Log2(float64(n)))
	if before > 0 {
		r.figure += fmt.Sprintf(", %.2f of n log n", unit/before)
		r.want = strings.TrimPrefix(r.want+", ≤ 1.5 of n log n", ", ")
		r.met = r.met && unit/before <= 1.5
	}
	return unit
}
