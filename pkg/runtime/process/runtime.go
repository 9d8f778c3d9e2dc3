package process

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// Stale is how old the last sign of life of a host may be. Agents give one every 5 seconds.
const Stale = 20 * time.Second

// Options of a Runtime.
type Options struct {
	Dir   string        // shared with the hosts
	Fleet string        // whose plans these are
	Look  time.Duration // between two looks at the directory, default 250 ms
	Stale time.Duration // default Stale
}

// Runtime is the plain hosts of a fleet. Close ends its looks at the directory. What runs keeps running.
type Runtime struct {
	runtime.Base
	o Options

	mu    sync.Mutex
	wrote map[string]hostplan.Plan // by pool: what this process wrote last
	told  map[model.AppID]string   // the state of affairs in which an application was named as drifted
}

// New returns the runtime of the hosts that share a directory.
func New(o Options) *Runtime {
	o.Look, o.Stale = cmp.Or(o.Look, 250*time.Millisecond), cmp.Or(o.Stale, Stale)
	r := &Runtime{Base: runtime.NewBase(carrier.Process), o: o, wrote: map[string]hostplan.Plan{}, told: map[model.AppID]string{}}
	r.Busy.Go(r.watch)
	return r
}

// watch looks for changes of the directory, because file systems of networks tell of none.
func (r *Runtime) watch() {
	tick := time.NewTicker(r.o.Look)
	defer tick.Stop()
	files, changed := map[string]seen{}, false
	for {
		select {
		case <-r.Ctx.Done():
			return
		case now := <-tick.C:
			if files, changed = r.look(files, now); changed {
				r.Tell()
			}
		}
	}
}

// Act gives the hosts the plans that hold what the assignments say. Other applications keep
// their part of the plans.
func (r *Runtime) Act(ctx context.Context, list []runtime.Assignment) (report runtime.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	report = runtime.NewReport(list)
	pools, err := r.read()
	if err != nil {
		report.Err = err
		return report
	}
	for i := range list {
		if report.Err = ctx.Err(); report.Err != nil {
			return report
		}
		if !list[i].IsShared() {
			report.Outcomes[i] = r.hold(pools, &list[i])
		}
	}
	for _, p := range pools {
		if report.Err = errors.Join(report.Err, ctx.Err()); report.Err != nil || !p.dirty {
			continue
		}
		if report.Err = r.write(p); report.Err == nil {
			report.Requests.Apply++
		}
	}
	return report
}
