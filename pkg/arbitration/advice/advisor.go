package advice

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// Limits of the work, in applications that are decided. What a try on the solved case looks at counts much less: see try.
const (
	overhead    = 20
	effort      = 6_000  // in a pass: it begins with no other application after that
	large       = 10_000 // in a pass of a large fleet, in which nothing is arbitrated again
	medium      = 18_000 // the same of a fleet in which a pass has little else to do
	each        = 4_000  // for one kind of change of one application
	mediumFleet = 20_000 // applications at the most of a fleet in which a pass has little else to do
	whole       = 300    // applications that are arbitrated again as a whole to try one change
)

// What is known of a change for those who are alike, where no amount of it helped the first of them.
const (
	none    = 0
	unknown = -1 // not all amounts could be tried
)

// Advisor finds advice for the applications of one case.
type Advisor struct {
	*solve.Case
	again func(solve.Inputs) *solve.Case // the whole arbitration
	whole int                            // of how many applications
	each  int
	rests bool // nothing moves, so changes can be tried on the case
	spent int
	alike map[string]map[string]int64 // by likeness, then by kind: the amount that helped, none or unknown
	once
	basis basis
	quiet quiet
}

// once is what is found out once in a pass.
type once struct {
	held     map[holdersOf][]*solve.App
	served   map[string]solve.Served // by what there is more of
	waiting  *solve.Waiting
	rejected []*solve.App // the first of them by name
}

// New returns an advisor for a solved case. Again must be the function that solved it.
func New(c *solve.Case, again func(solve.Inputs) *solve.Case) *Advisor {
	a := &Advisor{Case: c, again: again, whole: whole, each: each, basis: newBasis(c)}
	a.quiet = quiet{settled: map[int]settled{}, kept: map[int]bool{}, wide: map[string]state{}}
	a.begin()
	return a
}

// begin forgets what was found out about the case as it was.
func (a *Advisor) begin() {
	a.rests, a.spent = a.Still(), 0
	a.alike = map[string]map[string]int64{}
	a.once = once{held: map[holdersOf][]*solve.App{}, served: map[string]solve.Served{}}
	a.basis.pass = pass{rests: a.rests, tenants: map[int]string{}, domains: map[int]string{}, all: map[string]string{}}
}

// All returns advice for one application, whatever the effort.
func (a *Advisor) All(app *solve.App) ([]model.Advice, *model.Advised) {
	a.whole, a.each = 1<<30, 5_000_000
	if aimOf(a.Case, app) == nothing {
		return nil, nil
	}
	return a.advise(app)
}

// Advise gives the decisions of a pass the advice that the ledger has for them, and makes advice for applications that have none, or
// whose advice was made of other inputs, as far as the effort of the pass goes. Where it ends, advice of other inputs is
// marked as such. It reports whether it came to the end.
//
// It begins with a tenant that the time of the pass selects, so that none is always the last, and looks at no tenant that needs no look.
func (a *Advisor) Advise(decisions []model.Decision) (finished bool) {
	a.begin()
	a.compare()
	a.release()
	spans := a.spans()
	for _, s := range spans {
		a.keepAll(s, decisions)
	}
	limit := a.effort()
	if limit == 0 {
		return true // the arbiter decides again after a pass in which something moves or an application arrives
	}
	a.note()
	first := 0
	if len(spans) > 0 {
		first = int(uint64(a.Now.Unix()) * 0x9e3779b97f4a7c15 >> 32 % uint64(len(spans)))
	}
	marks := limit
	finished = true
	for i := range spans {
		if s := spans[(first+i)%len(spans)]; !a.quietly(s.tenant) {
			finished = a.look(s, decisions, limit, &marks) && finished
		}
		if marks == 0 {
			return false
		}
	}
	return finished
}

// look advises the applications of a tenant that need it, and marks the advice of others once the limit is reached. It reports whether
// none is left that needs advice.
func (a *Advisor) look(s span, decisions []model.Decision, limit int, marks *int) (finished bool) {
	settled, finished := true, true
	for i := s.from; i < s.to && *marks > 0; i++ {
		app, d := a.Apps[i], &decisions[i]
		if aimOf(a.Case, app) == nothing {
			continue
		}
		var changed []string
		if d.Advised != nil {
			if changed = a.basis.changed(app, d.Advised.On); changed == nil && d.Advised.Changed == nil {
				continue
			}
		}
		settled = false
		switch {
		case changed == nil && d.Advised != nil: // what it depends on is again as it was
			a.mark(s, d, nil)
		case a.spent < limit:
			d.Advice, d.Advised = a.advise(app)
			a.quiet.kept[s.tenant] = false
		default:
			finished = false
			if *marks--; changed != nil && !slices.Equal(changed, d.Advised.Changed) {
				a.mark(s, d, changed)
			}
		}
	}
	if settled {
		a.settle(s, decisions)
	}
	return finished
}

// mark notes what has changed since the advice of a decision was made.
func (a *Advisor) mark(s span, d *model.Decision, changed []string) {
	a.quiet.kept[s.tenant] = false
	d.Advised = new(*d.Advised)
	d.Advised.Changed, d.Advised.Checked = changed, a.moment()
}

// spans lists where the applications of each tenant stand.
func (a *Advisor) spans() (list []span) {
	for from := 0; from < len(a.Apps); {
		tenant := a.Apps[from].Tenant
		to := min(from+max(1, len(a.Members[tenant])), len(a.Apps))
		list = append(list, span{tenant, from, to})
		from = to
	}
	return list
}

// keepAll gives the decisions of a tenant the advice that the ledger has, unless they are known to have it.
func (a *Advisor) keepAll(s span, decisions []model.Decision) {
	if a.quiet.kept[s.tenant] {
		return
	}
	for i := s.from; i < s.to; i++ {
		d := &decisions[i]
		d.Advice, d.Advised, d.WouldAdmit = nil, nil, nil
		if old, ok := a.Ledger.Decision(d.App); ok && old.Advised != nil && sameLack(old, d) && aimOf(a.Case, a.Apps[i]) != nothing {
			d.Advice, d.Advised = old.Advice, old.Advised
		}
	}
	a.quiet.kept[s.tenant] = true
}

// sameLack reports whether two decisions lack the same, so that the advice for one may be kept for the other.
func sameLack(x, y *model.Decision) bool {
	return x.Verdict == y.Verdict && x.Reason == y.Reason && x.Spec == y.Spec && x.Degraded == y.Degraded
}

// moment is the time of the pass, as it is recorded.
func (a *Advisor) moment() time.Time { return a.Now.UTC().Round(0) }

// effort is how much of a pass may go into advice. In a fleet that is too large to be arbitrated again that is nothing while
// something moves, as changes cannot be tried then, and nothing when an application arrives: its decision does not wait for the advice
// of others. All this follows from the inputs, so the effort does.
func (a *Advisor) effort() int {
	switch {
	case len(a.Apps) <= a.whole:
		return effort
	case !a.rests || slices.ContainsFunc(a.Newcomers, func(app *solve.App) bool { return app.Wanted != nil }):
		return 0
	case len(a.Apps) <= mediumFleet:
		return medium
	}
	return large
}

// advise finds every kind of change that alone helps, those first that cost others least.
func (a *Advisor) advise(app *solve.App) (list []model.Advice, made *model.Advised) {
	s := &search{Advisor: a, app: app, aim: aimOf(a.Case, app)}
	made = &model.Advised{At: a.moment(), Checked: a.moment()}
	like := a.likeness(app)
	hints, known := a.alike[like]
	found, spent := map[string]int64{}, 0
	var end time.Time
	told, open := map[string]bool{}, map[string]bool{} // kinds of which one helps, and of which one could not be tried
	for i, ch := range s.changes() {
		if ch.only && (told[ch.kind] || open[ch.kind]) {
			continue
		}
		if !slices.Contains(made.Kinds, ch.kind) {
			made.Kinds = append(made.Kinds, ch.kind)
		}
		key := ch.kind + string(rune('a'+i))
		hint, tried := hints[key]
		if known && tried && !ch.own && hint <= 0 { // it helps nobody who is alike
			open[ch.kind] = open[ch.kind] || hint == unknown
			continue
		}
		s.cut, s.left = false, min(a.each, 3*a.each-spent)
		before := s.left
		last, first, h, ok := s.all(&ch, hint)
		spent += before - s.left
		switch {
		case s.cut:
			found[key], open[ch.kind] = unknown, true
		case ok:
			found[key], told[ch.kind] = first, true
			list = append(list, a.tell(last, h))
			if last.until != nil {
				end = last.until(h.amount)
			}
		default:
			found[key] = none
		}
	}
	if !known {
		a.alike[like] = found
	}
	made.Kinds = slices.DeleteFunc(made.Kinds, func(kind string) bool { return open[kind] && !told[kind] })
	if len(made.Kinds) == 0 && len(open) == 0 {
		made.Kinds = names(s.kinds())
	}
	made.On = a.basis.of(app, slices.ContainsFunc(list, func(x model.Advice) bool { return x.By == model.ByPlatform }),
		slices.ContainsFunc(list, func(x model.Advice) bool { return x.Change == "time" }))
	if !end.IsZero() {
		made.On = append(made.On, model.Basis{Name: untilThen, Digest: end.UTC().Format(time.RFC3339Nano)})
	}
	slices.SortStableFunc(list, compare)
	a.spent += 1 + spent + len(a.Members[app.Tenant])/glance
	return list, made
}

// compare orders advice: without victims, then with degradations, then with evictions; of these a priority last; then the
// owner's before the tenant's and the platform's.
func compare(x, y model.Advice) int {
	last := func(a model.Advice) int {
		if a.Change == "priority" {
			return 1
		}
		return 0
	}
	by := []string{model.ByOwner, model.ByTenant, model.ByPlatform}
	return cmp.Or(cmp.Compare(price(x.Victims), price(y.Victims)), cmp.Compare(last(x), last(y)),
		cmp.Compare(slices.Index(by, x.By), slices.Index(by, y.By)))
}

// price is 0 where nobody gives way, 1 where somebody is degraded, and 2 where somebody is evicted.
func price(victims []model.Victim) int {
	switch {
	case len(victims) == 0:
		return 0
	case slices.ContainsFunc(victims, func(v model.Victim) bool { return v.Evicted }):
		return 2
	}
	return 1
}

// tell records a change and its price.
func (a *Advisor) tell(ch *change, h hit) model.Advice {
	advice := ch.tell(h.amount)
	advice.Change, advice.By = ch.kind, ch.by
	for _, d := range h.victims {
		v, lost := model.Victim{App: d.App.ID, Evicted: d.Evicted}, model.Resources{}
		for _, comp := range d.Spec.Components {
			n, _ := solve.ReplicasAt(&comp, d.From)
			if !d.Evicted {
				left, _ := solve.ReplicasAt(&comp, d.To)
				n -= left
			}
			if comp.Runs() {
				v.Replicas += n
				lost = lost.Add(d.App.Asks(d.Spec, &comp).Times(n))
			}
		}
		for _, name := range lost.Names() {
			if n := lost.Get(name); n > 0 && (v.Amount == "" || name != "memory") {
				v.Amount = model.FormatAmount(name, n) + " " + name
			}
		}
		advice.Victims = append(advice.Victims, v)
	}
	slices.SortFunc(advice.Victims, func(x, y model.Victim) int { return x.App.Compare(y.App) })
	return advice
}

// likeness is the same for applications that ask for the same, stand alike, are refused for the same, and end too late to pass
// the same of those that are promised a start.
func (a *Advisor) likeness(app *solve.App) string {
	s, asked := newSum(), slices.Clone(app.Wanted.Components)
	for i := range asked {
		s.number(min(1, int64(asked[i].Expect)))
		asked[i].Expect = 0
	}
	s.number(min(1, int64(app.Ending.Lasts)))
	s.number(int64(a.basis.startBefore(a.Now.Add(app.Ending.Lasts))))
	s.number(int64(app.Tenant))
	s.number(int64(app.Priority))
	s.number(int64(aimOf(a.Case, app)))
	s.text(string(model.DigestOf([]any{asked, app.Wanted.Policy, app.Wanted.Budget})))
	for _, at := range app.Standing {
		s.number(int64(at.Class)<<32 | int64(at.Band))
	}
	for _, f := range app.Findings {
		s.text(f.Name)
		s.number(f.Used)
		s.number(f.Limit)
	}
	if app.Incumbent() { // what it holds matters
		s.text(app.ID.Name)
	}
	return s.String()
}
