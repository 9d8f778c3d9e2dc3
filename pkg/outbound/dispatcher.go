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

// The most requests at a time.
const (
	maxRequests       = 8
	maxTenantRequests = 4
)

// Task is a probe or a message that a step of a workflow wants.
type Task struct {
	App    model.AppID
	Egress []string // hosts that it may go to, as policy names them
	Intent workflow.Intent
}

// Options configure a dispatcher.
type Options struct {
	// Keys is a directory with the keys that sign messages, each in a file
	// <tenant>/<secret>. "": there are none.
	Keys  string
	Reach Reach
	Now   func() time.Time // nil: time.Now
}

// A Dispatcher carries out the probes and notices of workflows concurrently. It is
// safe for concurrent use.
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

	mu       sync.Mutex
	requests map[string]*request      // by the key of the intent
	tenants  map[string]chan struct{} // places of each tenant
}

// A request is a task that was started.
type request struct {
	cancel context.CancelFunc
	result *workflow.Result // nil while it is under way
}

// NewDispatcher returns a dispatcher that does nothing yet.
func NewDispatcher(o Options) *Dispatcher {
	d := &Dispatcher{
		client: newClient(o.Reach), keys: o.Keys, now: o.Now, pause: pause,
		changed: make(chan struct{}, 1), all: make(chan struct{}, maxRequests),
		requests: map[string]*request{}, tenants: map[string]chan struct{}{},
	}
	if d.now == nil {
		d.now = time.Now
	}
	d.ctx, d.stop = context.WithCancel(context.Background())
	return d
}

// Close cancels all requests and returns when they have ended.
func (d *Dispatcher) Close() {
	d.stop()
	d.busy.Wait()
}

// Do takes all tasks that are due now. It starts the requests of new tasks, and
// cancels and forgets the requests of tasks that are no longer due. It never blocks.
// It ignores intents that are neither probe nor notice.
func (d *Dispatcher) Do(tasks []Task) {
	d.mu.Lock()
	defer d.mu.Unlock()
	due := make(map[string]bool, len(tasks))
	for _, t := range tasks {
		if t.Intent.Probe == nil && t.Intent.Notice == nil {
			continue
		}
		due[t.Intent.Key] = true
		if d.requests[t.Intent.Key] == nil && d.ctx.Err() == nil {
			d.begin(t)
		}
	}
	for key, r := range d.requests {
		if !due[key] {
			r.cancel()
			delete(d.requests, key)
		}
	}
}

// begin starts a request.
func (d *Dispatcher) begin(t Task) {
	ctx, cancel := context.WithTimeout(d.ctx, t.Intent.Deadline.Sub(d.now())) // by our clock, which contexts do not have
	began := &request{cancel: cancel}
	d.requests[t.Intent.Key] = began
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
		if d.requests[r.Key] != began {
			return // it was cancelled
		}
		began.result = &r
		select {
		case d.changed <- struct{}{}:
		default:
		}
	})
}

// Results returns the results of the tasks that are due, by key.
func (d *Dispatcher) Results() []workflow.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	var results []workflow.Result
	for _, r := range d.requests {
		if r.result != nil {
			results = append(results, *r.result)
		}
	}
	slices.SortFunc(results, func(a, b workflow.Result) int { return strings.Compare(a.Key, b.Key) })
	return results
}

// Changed has a value when there are new results.
func (d *Dispatcher) Changed() <-chan struct{} { return d.changed }

// place waits for a place among the requests of the tenant, and of all tenants. It
// returns a function that gives the place back, or false when ctx ended.
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
