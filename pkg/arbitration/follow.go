package arbitration

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// follow decides once more after edits, and brings what was decided about the same
// problem up to date. Cases that were edited or moved are made anew, then what
// follows from them: quotas of their tenants and groups, entitlements, the
// standings of tenants of which these moved, and in the end who gets what. All
// else stands as it was; of those that waited only those are tried that have
// hopes.
//
// What is told of a decision that is news has to be what is so now, or nobody could
// make it again from what is recorded. Whose case was not made anew, and who is
// decided otherwise all the same, is therefore looked at once more.
func (p *problem) follow(e *edits) model.Ruling {
	ruling, changed, late := p.followOnce(e, nil)
	if len(late) > 0 {
		retold := map[model.AppID]bool{}
		for _, id := range changed {
			retold[id] = true
		}
		again := &edits{fleet: e.fleet, seen: e.seen, ledger: e.ledger, now: e.now, apps: late}
		var more []model.AppID
		ruling, more, _ = p.followOnce(again, retold)
		changed = append(changed, more...)
	}
	slices.SortFunc(changed, model.AppID.Compare)
	var news []*claim
	for _, id := range slices.Compact(changed) {
		_, c := p.find(id)
		news = append(news, c)
	}
	p.explain(&ruling, news)
	return ruling
}

// followOnce follows edits, and writes anew what is decided otherwise and what is to
// be retold.
func (p *problem) followOnce(e *edits, retold map[model.AppID]bool) (ruling model.Ruling, changed, late []model.AppID) {
	f := &following{problem: p, edits: e, dirty: map[int]bool{}, retold: retold}
	f.takeOver()
	f.grow()
	f.retell()
	f.gates()
	f.stand()
	p.allot()
	return f.write()
}

// following is one pass of follow.
type following struct {
	*problem
	edits  *edits
	fresh  []*claim             // made anew
	dirty  map[int]bool         // tenants whose members or what these ask for are others
	retold map[model.AppID]bool // to be written anew whatever is decided
}

// takeOver makes cases anew: of what was edited, what the last ruling moved, as
// the ledger may say that it was not so, and what is new with every pass.
func (f *following) takeOver() {
	p, e := f.problem, f.edits
	for _, c := range p.touched {
		e.apps = append(e.apps, c.app)
	}
	if p.weak != nil && p.weak.guarded {
		p.weak = nil // time may end their protection
	}
	if !e.now.Equal(p.now) {
		for _, c := range p.newcomers {
			e.apps = append(e.apps, c.app)
		}
	}
	p.fleet, p.ledger, p.seen, p.now = e.fleet, e.ledger, e.seen.Pools, e.now
	p.again, p.held, p.touched, p.stale = true, nil, nil, nil
	slices.SortFunc(e.apps, model.AppID.Compare)
	for _, id := range slices.Compact(e.apps) {
		f.remake(id)
	}
	p.newcomers = slices.DeleteFunc(p.newcomers, func(c *claim) bool {
		_, now := p.find(c.app)
		return now != c
	})
}

// remake makes the case of one application anew. It keeps a copy of the instance,
// so that one application does not keep the ledger of a pass.
func (f *following) remake(id model.AppID) {
	p := f.problem
	at, old := p.find(id)
	wanted, edited := f.edits.wanted[id]
	switch {
	case edited:
	case old != nil:
		wanted = old.wanted
	default:
		wanted = p.idle[id]
	}
	unusable, edited := f.edits.unusable[id]
	if !edited && old != nil {
		unusable = old.unusable
	}
	var inst *model.Instance
	if i, ok := p.ledger.Find(id); ok {
		held := *i
		inst = &held
	}
	if old != nil {
		f.dirty[old.tenant] = true
		if old.taken != nil {
			p.release(old)
		}
		p.delist(old)
	}
	delete(p.idle, id)
	c := &claim{}
	filed := (wanted != nil || unusable != nil) && p.file(c, id, wanted, unusable, inst)
	switch {
	case !filed && old != nil:
		p.claims = slices.Delete(p.claims, at, at+1)
		p.shelf.remove(at)
	case filed && old == nil:
		p.claims = slices.Insert(p.claims, at, c)
		p.shelf.insert(at)
	case filed:
		p.claims[at] = c
	}
	if !filed {
		if wanted != nil {
			p.idle[id] = wanted
		}
		return
	}
	p.enlist(c)
	p.outdate(c)
	f.dirty[c.tenant] = true
	f.fresh = append(f.fresh, c)
}

// grow takes over capacity that has grown, and edits of tenants.
func (f *following) grow() {
	p := f.problem
	if f.edits.capacity != "" {
		old := p.pools
		p.pools = nil
		p.buildPools(f.edits.seen)
		p.reserve()
		for i := range p.pools {
			p.pools[i].used = old[i].used
			for j := range p.pools[i].promises {
				p.pools[i].promises[j].used = old[i].promises[j].used
			}
		}
	}
	if len(f.edits.tenants) > 0 {
		p.policies = map[policyKey]model.Digest{}
	}
	for i := range f.edits.fleet.Tenants {
		t := &f.edits.fleet.Tenants[i]
		if !f.edits.tenants[t.Name] {
			continue
		}
		n := &p.nodes[p.tenants[t.Name]]
		edited := *t
		n.tenant, n.quota = &edited, p.limit(t.Quota)
		n.weight = min(max(int64(t.Weight), 0), heaviest)
		f.dirty[p.tenants[t.Name]] = true
	}
	for i := range p.pools {
		p.pools[i].kept = p.zero()
	}
}

// retell books what the cases made anew hold, and where.
func (f *following) retell() {
	for i := range f.pools {
		for j := range f.pools[i].domains {
			clear(f.pools[i].domains[j].used)
		}
		if len(f.pools[i].domains) == 0 {
			continue
		}
		for _, c := range f.running {
			for k := range c.grants {
				if g := &c.grants[k]; g.Pool == f.pools[i].Name && len(g.Domains) > 0 {
					f.hint(c, g)
				}
			}
		}
	}
	for _, c := range f.fresh {
		f.keep(c)
	}
}
