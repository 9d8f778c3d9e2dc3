package apply

import (
	"slices"
	"sync"
	"time"
)

const (
	paceTenants = 16 // of whose answers a pace is made
	paceFactor  = 8  // a request is late after so many times what answers take
	paceMost    = 10 // times the usual patience
)

// pace tells how long to wait for an answer of an API server that is slow for everybody: on a busy machine, or where a
// request takes the longer the more objects there are. It goes by the tenants that had the last answers, one answer of each, and
// by the quicker ones of these, so a few tenants whose webhooks are slow do not make others wait. Its methods are for concurrent use.
type pace struct {
	usual time.Duration

	mu   sync.Mutex
	last []answered // the newest is last
}

// answered is how long a tenant's last answer took.
type answered struct {
	tenant string
	took   time.Duration
}

// note takes in that a tenant had an answer.
func (p *pace) note(tenant string, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = slices.DeleteFunc(p.last, func(a answered) bool { return a.tenant == tenant })
	if len(p.last) == paceTenants {
		p.last = slices.Delete(p.last, 0, 1)
	}
	p.last = append(p.last, answered{tenant, took})
}

// patience is how long to wait for an answer.
func (p *pace) patience() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.last) == 0 {
		return p.usual
	}
	took := make([]time.Duration, len(p.last))
	for i, a := range p.last {
		took[i] = a.took
	}
	slices.Sort(took)
	return min(max(p.usual, paceFactor*took[(len(took)-1)/4]), paceMost*p.usual)
}
