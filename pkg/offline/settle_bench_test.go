package offline

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/test/arbitration/generate"
)

// BenchmarkSettle prints the processor time of what --settle adds to one side of a plan of 10,000 applications: to one at rest, and to one
// in which a hundred come for each of which five others give way, at once or after their minRuntime. Those began in 99 waves, so that
// there are as many times at which something may happen next.
func BenchmarkSettle(b *testing.B) {
	const apart, minRuntime = 100 * time.Second, 3 * time.Hour
	crowd := generate.Crowded{Tenants: 100, Running: 9900}
	w := crowd.World(false)
	for i, app := range slices.Clone(w.Fleet.Applications) {
		changed := *app
		changed.Policy = new(*app.Policy)
		changed.Policy.MinRuntime = minRuntime
		w.Declare(changed)
		in, _ := w.Ledger.Find(app.ID)
		in.Spec = w.Fleet.Applications[i]
		began := in.Since.Add(time.Duration(i/crowd.Tenants) * apart)
		in.History = []model.Transition{{At: began, Instance: 1, From: model.PhaseAdmitted, To: model.PhaseScheduled}}
	}
	rest := turn.Case{Fleet: w.Fleet, Seen: w.Seen, Ledger: w.Ledger, Now: w.Now.Add(2 * time.Hour)} // the last wave has begun
	rest.Ledger = settle(rest, turn.Take(rest), nil, &notes{}).Ledger
	more := rest
	w.Fleet.Applications = slices.Clone(w.Fleet.Applications)
	w.Declare(crowd.Asking()...)
	more.Fleet = w.Fleet
	for _, side := range []struct {
		name  string
		c     turn.Case
		after time.Duration
	}{{"rest", rest, 0}, {"now", more, 2 * minRuntime}, {"later", more, 0}} {
		b.Run(side.name, func(b *testing.B) {
			c := side.c
			c.Now = c.Now.Add(side.after)
			c.Seen.Workloads = turn.AsRecorded(&c.Ledger)
			first := turn.Take(c)
			var rounds []plan.Round
			before := cpuTime(b)
			for b.Loop() {
				n := notes{}
				rounds = nil
				settle(c, first, &rounds, &n)
				require.Len(b, n, 1, "it comes to rest: %v", n)
			}
			b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(float64(1+len(rounds)), "rounds")
		})
	}
}

func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
