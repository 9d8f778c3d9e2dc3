package apply

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	paceTenants = 16 // of whose answers a pace is made
	paceFew     = 4  // tenants, of which fewer tell nothing
	paceFactor  = 8  // a request is late after so many times what answers take
	paceMost    = 10 // times the usual patience
)

// pace tells how long to wait for an answer of an API server that is slow for everybody: on a busy machine, or where requests
// about a kind take the longer the more objects of it there are. For each kind it goes by the tenants that had the last answers, one answer of
// each, and by the quicker ones of these, so a few tenants whose webhooks are slow do not make others wait. Its methods are for concurrent use.
type pace struct {
	usual time.Duration

	mu   sync.Mutex
	last map[schema.GroupKind][]answered // the newest is last
}

// answered is how long a tenant's last answer took.
type answered struct {
	tenant string
	took   time.Duration
}

func newPace(usual time.Duration) pace {
	return pace{usual: usual, last: map[schema.GroupKind][]answered{}}
}

// note takes in that a tenant had an answer.
func (p *pace) note(of schema.GroupKind, tenant string, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := slices.DeleteFunc(p.last[of], func(a answered) bool { return a.tenant == tenant })
	if len(last) == paceTenants {
		last = slices.Delete(last, 0, 1)
	}
	p.last[of] = append(last, answered{tenant, took})
}

// patience is how long to wait for an answer.
func (p *pace) patience(of schema.GroupKind) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.last[of]
	if len(last) < paceFew {
		return p.usual
	}
	took := make([]time.Duration, len(last))
	for i, a := range last {
		took[i] = a.took
	}
	slices.Sort(took)
	return min(max(p.usual, paceFactor*took[(len(took)-1)/4]), paceMost*p.usual)
}
