package outbound

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// How many requests are on their way at a time.
const (
	maxRequests       = 8
	maxTenantRequests = 4
)

// Task is something to be asked or told because of a workflow.
type Task struct {
	App    model.AppID
	Egress []string // hosts that it may go to, as policy names them
	Intent workflow.Intent
}

// Options are what a dispatcher may and needs.
type Options struct {
	// Keys is a directory with the keys that sign messages, each in a file
	// <tenant>/<secret>. "": there are none.
	Keys string
	// Private lets names resolve to addresses inside: of this machine, of private
	// networks, of a cloud's metadata. An address that policy allows as such is
	// allowed without it.
	Private bool
	Now     func() time.Time // nil: time.Now
}

// A Dispatcher carries out the probes and notices of workflows, each in its own
// time. It is safe for concurrent use.
type Dispatcher struct {
	client  *http.Client
	keys    string
	now     func() time.Time
	pause   func(n int) time.Duration // before attempt n+1 to deliver
	changed chan struct{}
	all     chan struct{} // a place for each request

	ctx  context.Context
	stop context.CancelFunc
	busy sync.WaitGroup

	mu      sync.Mutex
	errands map[string]*errand       // by the key of the intent
	tenants map[string]chan struct{} // places of each tenant
}

// An errand is a task on its way, or done.
type errand struct {
	Task
	cancel context.CancelFunc
	result *workflow.Result // nil while it is on its way
}

// NewDispatcher returns a dispatcher that does nothing yet.
func NewDispatcher(o Options) *Dispatcher {
	d := &Dispatcher{
		client: newClient(o.Private), keys: o.Keys, now: o.Now, pause: pause,
		changed: make(chan struct{}, 1), all: make(chan struct{}, maxRequests),
		errands: map[string]*errand{}, tenants: map[string]chan struct{}{},
	}
	if d.now == nil {
		d.now = time.Now
	}
	d.ctx, d.stop = context.WithCancel(context.Background())
	return d
}

// Close ends everything and returns when nothing is on its way any more.
func (d *Dispatcher) Close() {
	d.stop()
	d.busy.Wait()
}

// Do is given everything that is due now: what is new begins, what was due before
// and is not among the tasks ends, and its result is forgotten. It never blocks.
// Intents that are neither probe nor notice are for others.
func (d *Dispatcher) Do(tasks []Task) {
	d.mu.Lock()
	defer d.mu.Unlock()
	due := make(map[string]bool, len(tasks))
	for _, t := range tasks {
		if t.Intent.Probe == nil && t.Intent.Notice == nil {
			continue
		}
		due[t.Intent.Key] = true
		if d.errands[t.Intent.Key] == nil && d.ctx.Err() == nil {
			d.begin(t)
		}
	}
	for key, e := range d.errands {
		if !due[key] {
			e.cancel()
			delete(d.errands, key)
		}
	}
}

// begin sets out on an errand.
func (d *Dispatcher) begin(t Task) {
	ctx, cancel := context.WithDeadline(d.ctx, d.deadline(t.Intent.Deadline))
	e := &errand{Task: t, cancel: cancel}
	d.errands[t.Intent.Key] = e
	places := d.tenants[t.App.Tenant]
	if places == nil {
		places = make(chan struct{}, maxTenantRequests)
		d.tenants[t.App.Tenant] = places
	}
	d.busy.Go(func() {
		defer cancel()
		var r workflow.Result
		if t.Intent.Probe != nil {
			r = d.probe(ctx, t, places)
		} else {
			r = d.notice(ctx, t, places)
		}
		r.Key = t.Intent.Key
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.errands[r.Key] != e {
			return // nobody waits for it any more
		}
		e.result = &r
		select {
		case d.changed <- struct{}{}:
		default:
		}
	})
}

// deadline is a point of the clock that is given, on the clock that contexts use.
func (d *Dispatcher) deadline(at time.Time) time.Time {
	return time.Now().Add(at.Sub(d.now()))
}

// Results returns the results of what is due, by key.
func (d *Dispatcher) Results() []workflow.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	var results []workflow.Result
	for _, e := range d.errands {
		if e.result != nil {
			results = append(results, *e.result)
		}
	}
	slices.SortFunc(results, func(a, b workflow.Result) int { return strings.Compare(a.Key, b.Key) })
	return results
}

// Changed has a value when there are new results.
func (d *Dispatcher) Changed() <-chan struct{} { return d.changed }

// place waits for a place among the requests of the tenant, and of all. It returns
// how to give it back, or false when the time is over.
func (d *Dispatcher) place(ctx context.Context, tenant chan struct{}) (leave func(), ok bool) {
	for i, places := range []chan struct{}{tenant, d.all} {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			if i > 0 {
				<-tenant
			}
			return nil, false
		}
	}
	return func() { <-d.all; <-tenant }, true
}
