package advice

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// basis digests what the advice for an application depends on, and no more, so that what others do
// elsewhere makes nobody's advice old: its tenant and what it declares, how much of what it asks for is free
// in each pool, where it may take from other tenants what these hold, and where others are served before it what they ask for.
type basis struct {
	*solve.Case
	declared map[*model.Tenant]string // as long as the case lives
	rules    string                   // of the platform
	pass
}

// pass is what was digested in one pass.
type pass struct {
	rests   bool              // nothing moves in it
	tenants map[int]string    // by node
	domains map[int]string    // by pool
	all     map[string]string // by name, of what concerns all tenants
	heads   []*solve.App      // see promised; nil: not listed yet
}

func newBasis(c *solve.Case) basis {
	p := c.Fleet.Platform
	rules := []model.Digest{model.DigestOf(p.Policy)}
	for _, b := range p.Bands {
		rules = append(rules, model.DigestOf(b))
	}
	for _, g := range p.Groups {
		g.Tenants = slices.Sorted(slices.Values(g.Tenants))
		rules = append(rules, model.DigestOf(g))
	}
	for _, r := range p.Reservations {
		rules = append(rules, model.DigestOf(r))
	}
	slices.Sort(rules) // the order of declarations means nothing
	return basis{Case: c, declared: map[*model.Tenant]string{}, rules: string(model.DigestOf(rules))}
}

// Names of what advice depends on, besides pools and the tenant.
const (
	othersHold  = "what other tenants hold"
	othersAsk   = "what other tenants ask for"
	othersStart = "when others start"
	moving      = "what moved in that pass" // advice was made before it had come true
	starting    = "when it starts"
	untilThen   = "the time" // its digest is until when advice is true
)

// sum is a digest of what was written to it.
type sum struct{ hash.Hash }

func newSum() sum { return sum{sha256.New()} }

func (s sum) number(n int64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	_, _ = s.Write(b[:])
}

// vector writes amounts by name: an arbiter that remembers may know of devices that nobody asks for any more.
func (b *basis) vector(s sum, v solve.Vector) {
	for r, n := range v {
		if n != 0 && n < solve.NoLimit {
			s.text(b.Names[r])
			s.number(n)
		}
	}
	s.number(-1)
}

func (s sum) text(text string) {
	s.number(int64(len(text)))
	_, _ = s.Write([]byte(text))
}

func (s sum) String() string { return hex.EncodeToString(s.Sum(nil)[:8]) }

// of lists what the advice for an application depends on. It is wide if others may be served before it, and timely if it is about
// when others start.
func (b *basis) of(app *solve.App, wide, timely bool) []model.Basis {
	list := []model.Basis{{Name: "tenant " + app.ID.Tenant, Digest: b.tenant(app.Tenant)}}
	asked := b.asked(app)
	for at := range b.Pools {
		if offered := b.pool(app, at, asked); offered != "" {
			list = append(list, model.Basis{Name: "pool " + b.Pools[at].Name, Digest: offered})
		}
	}
	if wide || solve.MayReach(b.Case, app) {
		list = append(list, model.Basis{Name: othersHold, Digest: b.ofAll(othersHold)})
	}
	if wide {
		list = append(list, model.Basis{Name: othersAsk, Digest: b.ofAll(othersAsk)})
	}
	switch {
	case timely:
		list = append(list, model.Basis{Name: othersStart, Digest: b.ofAll(othersStart)})
	case app.Starts != nil:
		list = append(list, model.Basis{Name: starting, Digest: b.starts(app)})
	}
	if !b.rests {
		list = append(list, model.Basis{Name: moving})
	}
	return list
}

// changed names what is otherwise than in the list, nil: nothing is.
func (b *basis) changed(app *solve.App, on []model.Basis) (names []string) {
	part := func(name string) bool {
		return slices.ContainsFunc(on, func(part model.Basis) bool { return part.Name == name })
	}
	if b.rests && part(moving) {
		return []string{moving}
	}
	now := b.of(app, part(othersAsk), part(othersStart))
	for _, is := range now {
		if is.Name != moving && !slices.Contains(on, is) {
			names = append(names, is.Name)
		}
	}
	for _, was := range on {
		switch {
		case was.Name == untilThen:
			if b.Now.After(until(on)) {
				names = append(names, untilThen)
			}
		case !slices.ContainsFunc(now, func(is model.Basis) bool { return is.Name == was.Name }):
			names = append(names, was.Name)
		}
	}
	return names
}

// until is until when advice is true that depends on the list, if nothing else changes; the zero time: for ever.
func until(on []model.Basis) (at time.Time) {
	for _, part := range on {
		if part.Name == untilThen {
			at, _ = time.Parse(time.RFC3339Nano, part.Digest)
		}
	}
	return at
}

// starts digests when applications start that are promised it.
func (b *basis) starts(list ...*solve.App) string {
	s := newSum()
	for _, app := range list {
		s.text(app.ID.String())
		s.number(app.Starts.At.UnixNano())
		for _, v := range app.Starts.If {
			s.text(v.ID.String())
		}
	}
	return s.String()
}

// promised are those that are promised a start, the first to start first.
func (b *basis) promised() []*solve.App {
	if b.heads == nil {
		b.heads = []*solve.App{}
		for _, app := range b.Promised {
			if _, now := b.Find(app.ID); now == app && app.Starts != nil {
				b.heads = append(b.heads, app)
			}
		}
		slices.SortFunc(b.heads, func(x, y *solve.App) int { return cmp.Or(x.Starts.At.Compare(y.Starts.At), x.ID.Compare(y.ID)) })
	}
	return b.heads
}

// startBefore is how many of these start before a time.
func (b *basis) startBefore(end time.Time) int {
	n, _ := slices.BinarySearchFunc(b.promised(), end, func(app *solve.App, end time.Time) int { return app.Starts.At.Compare(end) })
	return n
}

// next is the first of those other than an application that are promised a start after what takes so long would have ended, nil: none is.
func (b *basis) next(other *solve.App, takes time.Duration) *solve.App {
	for _, app := range b.promised() {
		if app != other && !b.Now.Add(takes).After(app.Starts.At) {
			return app
		}
	}
	return nil
}

// asked is what the application asks for in full.
func (b *basis) asked(app *solve.App) solve.Vector {
	if app.Refused != nil || app.Levels == nil {
		return b.AsksFor(app, app.Wanted)
	}
	return app.Variants.Most(app.Levels)
}

// pool digests how much of what the application asks for a pool offers, "": it has nothing of it.
func (b *basis) pool(app *solve.App, at int, asked solve.Vector) string {
	q, s, some := b.Pools[at], newSum(), false
	for r, n := range asked {
		if n == 0 {
			continue
		}
		some = some || q.Offered[r] > 0
		s.number(min(n, q.Free(app, r)+solve.HeldOf(app.Taken, at, r)))
		s.number(q.Offered[r])
	}
	if !some {
		return ""
	}
	for i := range app.Wanted.Components {
		if p := &app.Wanted.Components[i].Placement; p.Spread != nil || p.Together != nil {
			s.text(b.inDomains(at))
			break
		}
	}
	s.text(q.Largest.String())
	return s.String()
}

// inDomains digests what is taken of the topology domains of a pool.
func (b *basis) inDomains(at int) string {
	if digest, ok := b.domains[at]; ok {
		return digest
	}
	q, s := b.Pools[at], newSum()
	q.InDomains(func(name string, taken solve.Vector) {
		s.text(name)
		b.vector(s, taken)
	})
	b.domains[at] = s.String()
	return b.domains[at]
}

// tenant digests what is declared of a tenant, its share, and how its applications stand.
func (b *basis) tenant(node int) string {
	if digest, ok := b.tenants[node]; ok {
		return digest
	}
	n, s := b.Nodes[node], newSum()
	if _, ok := b.declared[n.Tenant]; !ok {
		b.declared[n.Tenant] = string(model.DigestOf(n.Tenant))
	}
	s.text(b.declared[n.Tenant])
	s.text(b.rules)
	b.vector(s, n.Floor)
	s.number(int64(n.FairShare))
	b.limits(node, s)
	b.members(node, s)
	b.tenants[node] = s.String()
	return b.tenants[node]
}

// members writes how the applications of a tenant stand, in the order in which they are served among equals.
func (b *basis) members(node int, s sum) {
	apps := slices.Clone(b.Members[node])
	slices.SortFunc(apps, solve.FirstCome)
	for _, app := range apps {
		b.app(app, s)
		for _, at := range app.Standing {
			s.number(int64(at.Class)<<32 | int64(at.Band))
		}
	}
}

// app writes what an application asks for and has.
func (b *basis) app(app *solve.App, s sum) {
	s.text(app.ID.Name)
	if app.Wanted != nil {
		s.text(string(app.Wanted.Digest))
	}
	s.number(int64(app.Priority))
	s.number(int64(app.Level))
	s.text(string(app.Verdict))
	for _, n := range app.Variants.Numbers() {
		s.number(int64(n))
	}
	for _, l := range app.Taken {
		s.number(int64(l.Pool))
		b.vector(s, l.Amount)
	}
	if app.Granted() && app.Incumbent() && b.Now.Before(b.ProtectedUntil(app)) {
		s.number(1)
	}
}

// ofAll digests a part of the inputs that concerns all tenants.
func (b *basis) ofAll(name string) string {
	if digest, ok := b.all[name]; ok {
		return digest
	}
	s := newSum()
	switch name {
	case othersHold:
		b.held(s)
	case othersAsk:
		b.asking(s)
	case othersStart:
		s.text(b.starts(b.promised()...))
	}
	b.all[name] = s.String()
	return b.all[name]
}

// held writes what may be taken from other tenants: who has something that is not guaranteed, and where that is anybody, what
// all tenants and groups have and are entitled to.
func (b *basis) held(s sum) {
	have := append(slices.Clone(b.Running), b.Changed...)
	have = slices.DeleteFunc(have, func(app *solve.App) bool {
		return !app.Granted() || app.Standing == nil || app.Worst(app.Level).Class == solve.WithinGuarantee
	})
	if len(have) == 0 {
		return
	}
	for _, n := range b.Nodes {
		b.vector(s, n.Used)
		b.vector(s, n.Floor)
		s.number(int64(n.FairShare))
	}
	slices.SortFunc(have, func(x, y *solve.App) int { return x.ID.Compare(y.ID) })
	for _, app := range slices.Compact(have) {
		s.text(app.ID.Tenant)
		b.app(app, s)
		s.number(int64(app.Worst(app.Level).Class))
	}
}

// asking writes what decides who is served first, and what with: what everybody asks for and has, how it stands, and what counts
// against its limits.
func (b *basis) asking(s sum) {
	for i, n := range b.Nodes {
		s.text(n.Name)
		b.vector(s, n.Used)
		b.vector(s, n.Floor)
		s.number(int64(n.FairShare))
		if n.Weight != n.Declared { // whoever has less per weight is served first
			s.number(n.Weight)
		}
		if n.Tenant != nil {
			s.text(b.tenant(i))
		}
	}
	for _, app := range b.Apps { // of when these end follows what is promised
		if e := &app.Ending; e.Lasts > 0 || !e.At.IsZero() {
			s.text(app.ID.String())
			s.number(int64(e.Lasts))
			s.number(e.At.Unix())
		}
	}
}

// limits writes what counts against the limits of a tenant and of the groups above it.
func (b *basis) limits(tenant int, s sum) {
	for i := tenant; i >= 0; i = b.Nodes[i].Parent {
		for _, v := range b.CountedOf(i) {
			b.vector(s, v)
		}
	}
}
