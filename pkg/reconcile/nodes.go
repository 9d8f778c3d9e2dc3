package reconcile

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Nodes brings plans to the agents on the nodes. *kubernetes.Runtime does.
type Nodes interface {
	// Plans returns what the agents of each pool are to keep for a saved ledger, by pool.
	Plans(ledger *model.Ledger) map[string][]byte
	// Plan has the agents of each of the pools keep its plan, and those of other pools nothing. It
	// changes only what differs.
	Plan(ctx context.Context, pools []model.PoolSpec, plans map[string][]byte) error
}

// plansAgain is after how long plans that did not change are compared again: somebody may
// have changed them, or deployed agents.
const plansAgain = 5 * time.Minute

// plansWithin is how long a pass waits for plans to be brought: what runs on the nodes goes on
// without them, and applications do not.
const plansWithin = 5 * time.Second

// planned is what is known of the plans of nodes. Like carriedOut it is a cache.
type planned struct {
	of    model.Revision // of the ledger that they follow from
	plans map[string][]byte
	pools []model.PoolSpec
	next  time.Time // when they are compared again, or tried after an error
	said  string    // the last error
}

// sameCluster reports whether two pools are one, in one cluster.
func sameCluster(x, y model.PoolSpec) bool { return x.Name == y.Name && x.Cluster == y.Cluster }

// bring brings plans that follow from a saved ledger to the nodes. An error stops nothing
// else: the agents keep what they have.
func (p *planned) bring(ctx context.Context, o *Options, ledger *model.Ledger) {
	now := o.Now()
	if o.Nodes == nil || p.of.Is(ledger.Revision) && now.Before(p.next) {
		return
	}
	before := p.plans
	if p.of, p.plans = ledger.Revision, ledger.Plans; p.plans == nil {
		p.plans = o.Nodes.Plans(ledger)
	}
	pools := ledger.Platform.Pools
	if maps.EqualFunc(before, p.plans, bytes.Equal) && slices.EqualFunc(p.pools, pools, sameCluster) && now.Before(p.next) {
		return
	}
	p.pools = pools
	within, cancel := context.WithTimeout(ctx, plansWithin)
	defer cancel()
	err := o.Nodes.Plan(within, pools, p.plans)
	p.next = now.Add(plansAgain)
	if err == nil {
		p.said = ""
		return
	}
	p.next, p.plans = now.Add(plansAgain/10), nil
	if ctx.Err() == nil && err.Error() != p.said {
		p.said = err.Error()
		o.Log.Warn("the plans of nodes are not up to date; agents keep what they have", "error", err)
	}
}
