package reconcile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// Slice is how long a pass of a reconciler acts before it looks at the world again.
const Slice = 2 * time.Second

// Newcomers is how many applications get their first record in a pass of a reconciler.
const Newcomers = 500

// Garbage is how much garbage a reconciler gathers before it collects it, in percent of what is live. A pass makes a new
// ledger beside the old one, so with the usual 100 a large fleet would take a third more memory, and a few percent less CPU.
const Garbage = 40

// atOnce is how many sets the runtime gets at a time. A slice ends between these.
const atOnce = 16

// task is a set that has to be carried out: the objects of an instance, none of an orphan
// or, where both are nil, those of a tenant that its applications share.
type task struct {
	runtime.Assignment // without what all assignments of a ledger have, and what follows from its instance
	rank
	turn int // how many applications of its tenant go before it, among those of its rank
}

// rank is what goes before what, whosever it is.
type rank struct {
	urgent bool // it ends, or runs with less than it was granted
	band   int  // of its priority, 0 is the highest
	begins bool // this process has never carried it out
}

func (r rank) compare(o rank) int {
	return cmp.Or(compareBools(o.urgent, r.urgent), cmp.Compare(r.band, o.band), compareBools(r.begins, o.begins))
}

// compareBools puts what is not so first.
func compareBools(a, b bool) int {
	return strings.Compare(strconv.FormatBool(a), strconv.FormatBool(b))
}

// rankOf returns the rank of an instance.
func rankOf(inst *model.Instance, platform *model.Platform, begins bool) rank {
	if !inst.Phase.Active() {
		return rank{urgent: true}
	}
	r := rank{urgent: inst.Phase == model.PhaseDegraded, band: len(platform.Bands), begins: begins}
	if inst.Spec != nil {
		r.band = platform.BandOf(inst.Spec.Priority)
	}
	return r
}

// inOrder sorts tasks as they are to be carried out: what ends or is degraded, then
// higher bands, in a band what was carried out before, and then the tenants in turn,
// beginning after the tenant that had the last turn. The objects that a tenant's
// applications share go with the first of those that are active.
func inOrder(tasks []task, last string) {
	lead := map[string]rank{} // of each tenant, the rank of what goes first
	for i := range tasks {
		t := &tasks[i]
		if first, known := lead[t.App.Tenant]; t.Instance != nil && t.Instance.Phase.Active() && (!known || t.rank.compare(first) < 0) {
			lead[t.App.Tenant] = t.rank
		}
	}
	for i := range tasks {
		if first, known := lead[tasks[i].App.Tenant]; known && tasks[i].IsShared() {
			tasks[i].rank = first
		}
	}
	slices.SortFunc(tasks, func(x, y task) int { return cmp.Or(x.rank.compare(y.rank), x.App.Compare(y.App)) })
	for i := range tasks {
		if i > 0 && tasks[i].rank == tasks[i-1].rank && tasks[i].App.Tenant == tasks[i-1].App.Tenant {
			tasks[i].turn = tasks[i-1].turn
			if !tasks[i-1].IsShared() {
				tasks[i].turn++
			}
		}
	}
	slices.SortFunc(tasks, func(x, y task) int {
		return cmp.Or(x.rank.compare(y.rank), cmp.Compare(x.turn, y.turn),
			compareBools(x.App.Tenant <= last, y.App.Tenant <= last), x.App.Compare(y.App))
	})
}
