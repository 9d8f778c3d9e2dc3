package solve

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Books count what is granted of every pool, and to every tenant and group.
type Books struct {
	Dimensions
	PoolSet
	Tree
}

// Shortage is what a pool, or the limits of a tenant or group, lack for an
// application.
type Shortage struct {
	Pool     int // -1: a limit of the node
	Node     int
	Resource int // -1: domains with room
	Asked    int64
	Free     int64
	Quota    bool // the limit is the quota of the node, with a pool that in this pool; else what it may borrow

	Gang *GangShort // it lacks room in one domain, nil: it does not stand together
}

// take books loads for an application.
func (b *Books) take(app *App, loads []Load) {
	app.Taken = loads
	b.move(app, loads, 1)
}

// Release removes from the books what an application takes, and returns it.
func (b *Books) Release(app *App) []Load {
	loads := app.Taken
	b.move(app, loads, -1)
	app.Taken = nil
	return loads
}

func (b *Books) move(app *App, loads []Load, sign int) {
	for _, l := range loads {
		q := b.Pools[l.Pool]
		q.Used.move(l.Amount, sign)
		if l.In != "" {
			q.domain(l.In).taken.move(l.Inside, sign)
		}
		for i := range q.Reservations {
			if v := &q.Reservations[i]; v.covers(app) {
				v.used.move(l.Amount, sign)
			}
		}
		for i := range q.promises {
			if p := &q.promises[i]; !p.outlives(app) {
				p.ends.move(l.Amount, sign)
				if l.In != "" && l.In == p.in {
					p.insideEnds.move(l.Inside, sign)
				}
			}
		}
		b.book(app.Tenant, l.Amount, sign)
		b.bookInPool(app.Tenant, &l, sign)
	}
}

// fit reports whether a level fits in free capacity with its loose components in
// the given pool: it returns what the level would take, or what is short. What the
// application held before (kept) it may always keep.
func (b *Books) fit(app *App, r *Level, at int, kept []Load) (loads []Load, short []Shortage) {
	loads = r.loads(at)
	for _, l := range loads {
		q := b.Pools[l.Pool]
		for i, asked := range l.Amount {
			if asked == 0 {
				continue
			}
			if free := q.Free(app, i); asked > free && asked > HeldOf(kept, l.Pool, i) {
				short = append(short, Shortage{Pool: l.Pool, Resource: i, Asked: asked, Free: free})
			}
		}
	}
	for _, s := range r.spreads {
		pool := s.pool
		if pool < 0 {
			pool = at
		}
		if n := len(b.Pools[pool].roomy(s.one, true)); n < s.min && HeldOf(kept, pool, 0) == 0 {
			short = append(short, Shortage{Pool: pool, Resource: -1, Asked: int64(s.min), Free: int64(n)})
		}
	}
	if r.gang != nil && (short == nil || app.inside != "") { // else what the pool lacks says it
		var lacks []Shortage
		loads, lacks = r.gang.place(b.Pools, app, at, loads, kept)
		short = append(short, lacks...)
	}
	short = append(short, b.beyondPoolQuota(app.Tenant, loads, kept)...)
	if len(short) == 0 && b.limited {
		short = b.limits(app.Tenant, r.Total, b.sum(kept))
	}
	if len(short) == 0 {
		short = b.beyondQuota(app.Tenant, r.Total, kept)
	}
	if len(short) > 0 {
		return nil, short
	}
	return loads, nil
}

// limits checks what the tree allows for amount more in a tenant: no node uses
// more than its guarantee and what it may borrow, and all together leave free what
// is guaranteed and not lent. It returns what is short. Kept is what the
// application holds anyway.
func (b *Books) limits(tenant int, amount, kept Vector) (short []Shortage) {
	for i := tenant; i > 0; i = b.Nodes[i].Parent {
		n := b.Nodes[i]
		if n.borrow == nil {
			continue
		}
		for r, asked := range amount {
			if free := n.Guarantee[r] + n.borrow[r] - n.Used[r]; asked > max(free, kept[r]) {
				short = append(short, Shortage{Pool: -1, Node: i, Resource: r, Asked: asked, Free: free})
			}
		}
	}
	if !b.lending {
		return short
	}
	b.book(tenant, amount, 1)
	root := b.Nodes[0]
	for r, asked := range amount {
		free := b.Total[r] - root.Used[r] - root.withheld[r] + asked
		if asked > kept[r] && asked > free {
			short = append(short, Shortage{Pool: -1, Node: 0, Resource: r, Asked: asked, Free: free})
		}
	}
	b.book(tenant, amount, -1)
	return short
}

// HeldOf is how much loads take of a resource of a pool.
func HeldOf(loads []Load, pool, r int) int64 {
	for i := range loads {
		if loads[i].Pool == pool {
			return loads[i].Amount[r]
		}
	}
	return 0
}

func (b *Books) sum(loads []Load) Vector {
	v := b.Zero()
	for _, l := range loads {
		v.Add(l.Amount)
	}
	return v
}

// hint counts what a grant takes of the topology domains that it names.
func (b *Books) hint(app *App, g *model.Grant) {
	comp, ok := app.Spec.Component(g.Component)
	if ok && comp.Gathers() && len(g.Domains) == 1 {
		return // it is booked with what the application takes
	}
	if pool, known := b.PoolAt[g.Pool]; ok && known && comp.Runs() && !app.done(app.Spec, comp) {
		b.Pools[pool].occupy(g.Domains, b.Of(g.Requests), g.Replicas+g.Surge)
	}
}

// ClearReserved forgets what was reserved for applications that wait.
func (b *Books) ClearReserved() {
	for i := range b.Pools {
		b.Pools[i].reserved, b.Pools[i].promises = b.Zero(), nil
	}
}

// AnyReserved reports whether something is reserved for them.
func (b *Books) AnyReserved() bool {
	return slices.ContainsFunc(b.Pools, func(q *Pool) bool { return !q.reserved.isNothing() || q.promises != nil })
}

// HoldsOf reports whether loads take something of a pool.
func HoldsOf(loads []Load, pool int) bool {
	return slices.ContainsFunc(loads, func(l Load) bool { return l.Pool == pool && !l.Amount.isNothing() })
}
