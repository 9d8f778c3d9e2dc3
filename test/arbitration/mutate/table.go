package main

// mutation is a bug: a text of a file, which is there once, and what stands there instead.
type mutation struct{ file, what, old, new string }

// mutations are all bugs, by stage.
var mutations = []mutation{
	// Standing.
	{"solve/stand.go", "lower bands stand better", `cmp.Compare(s.Band, o.Band),`, `cmp.Compare(o.Band, s.Band),`},
	{"solve/stand.go", "lower priorities stand better", `cmp.Compare(o.Priority, s.Priority),`, `cmp.Compare(s.Priority, o.Priority),`},
	{"solve/stand.go", "what is guaranteed stands by its band", `cmp.Compare(min(s.Class, WithinFairShare), min(o.Class, WithinFairShare)), // guaranteed or not`, `0,`},
	{"solve/stand.go", "what is borrowed stands as what is within a fair share", `cmp.Compare(s.Class, o.Class),`, `0,`},
	{"solve/stand.go", "a lower priority stands better than a higher one that fits in the fair share only", `case best == WithinGuarantee && sumFits(`, `case sumFits(`},
	{"solve/stand.go", "the guarantee is never used up", `		r.inGuarantee.Add(r.item)
`, ``},
	{"solve/stand.go", "slack is a tenth of all capacity", `case share <= r.fairShare+Slack:`, `case share <= r.fairShare+Whole/10:`},
	{"solve/stand.go", "what is borrowed uses up the fair share", `		r.inFairShare.sub(r.item)
`, ``},
	{"solve/stand.go", "a step stands as the whole level", `	if l+1 < len(app.Levels) {
		r.item.sub(`, `	if false {
		r.item.sub(`},
	{"solve/app.go", "who came last stands first", `cmp.Or(cmp.Compare(y.Priority, x.Priority), x.declared.Compare(y.declared)`, `cmp.Or(cmp.Compare(y.Priority, x.Priority), y.declared.Compare(x.declared)`},

	// Guarantees and fair shares.
	{"solve/fairshare.go", "weights do not count", `bits.Mul64(f.rate[i], uint64(f.Nodes[c].Weight)<<32)`, `bits.Mul64(f.rate[i], 1<<32)`},
	{"solve/fairshare.go", "a group takes as if its members had no weights", `sum[r] += uint64(f.Nodes[c].Weight) * uint64(s)`, `sum[r] += uint64(s)`},
	{"solve/fairshare.go", "the first band asks for nothing", `above := 0; above <= b; above++`, `above := 1; above <= b; above++`},
	{"solve/fairshare.go", "the dominant share is that of the last resource", `fair[i] = max(fair[i], s)`, `fair[i] = s`},
	{"solve/guarantee.go", "a guarantee is as large as the demand", `amount := min(d, n.Guarantee[r]-held[i][r])`, `amount := d`},
	{"solve/guarantee.go", "guarantees are not scaled when capacity falls short of them", `want = mulDiv(want, f.left[r], sum[r])`, `_ = mulDiv(want, f.left[r], sum[r])`},
	{"solve/guarantee.go", "what members are guaranteed counts twice for their group", `			beyond.sub(f.guaranteedBelow(i))
`, ``},
	{"solve/guarantee.go", "what a group owns beyond its members protects nobody", `floors[i][r] += f.amount(more, r)`, `_ = f.amount(more, r)`},
	{"solve/demand.go", "an update asks for no more than what runs", `return now.atLeast(n.levels[0].lasts)`, `return now`},
	{"solve/demand.go", "a tenant asks for more than it may borrow", `*d = max(0, min(*d, n.Guarantee[r]+n.borrow[r]-sum[r]))`, `*d = max(0, *d)`},
	{"solve/flavour.go", "what runs in another flavour asks for less", `levels[l].lasts = first[l].lasts`, `_ = first[l].lasts`},
	{"solve/flavour.go", "quotas change what an application stands by", `	if !app.Incumbent() {
		g.standBy(app, spec, levels)
	}
`, ``},

	// Past use.
	{"solve/history.go", "who had much counts more", `halved(Share(model.MostStep-n.Step), stepsOfTwo)`, `halved(Share(n.Step-model.LeastStep), stepsOfTwo)`},
	{"solve/history.go", "a step is left at once", `if off := at - was*fine; -fine < off && off < fine {`, `if off := at - was*fine; off == 0 {`},
	{"solve/history.go", "past use never halves", `mulDiv(Share(n.used), kept, one)`, `Share(n.used)`},
	{"solve/history.go", "a record that was changed by hand counts", ` || !past.Intact() {`, ` {`},
	{"solve/demand.go", "what is fair follows past use", `c.Nodes[i].Weight = c.Nodes[i].Declared`, `_ = i`},
	{"follow/stand.go", "an arbiter that remembers does not see past use", `recompute = recompute || f.Reweigh()`, `f.Reweigh()`},

	// What a priority claims.
	{"solve/stand.go", "a step of a minimum stands by its priority", `app.Standing[l].Priority = 0`, `app.Standing[l].Priority = app.Priority`},
	{"solve/stand.go", "a step of a minimum comes before lower minimums", `slices.DeleteFunc(slices.Clone(apps), func(app *App) bool { return app.Policy().ClaimsMinimum() })`, `slices.Clone(apps)`},
	{"solve/room.go", "a lower priority takes the steps of a higher one", `app.Priority > v.Priority &&`, ``},
	{"solve/room.go", "steps take by the priority of the minimum", `least = min(least, s.Priority)`, `_ = min(least, s.Priority)`},

	// Making room.
	{"solve/room.go", "a priority takes what stands better in its tenant", `return s.Compare(z) < 0 && d.priority > z.Priority &&`, `return d.priority > z.Priority &&`},
	{"solve/room.go", "equal priorities take from each other", `d.priority > z.Priority && app.Priority > v.Priority &&`, ``},
	{"solve/room.go", "who allows no preemption is preempted in its tenant", `Preemption(app.Policy()) >= WithinTenant && Preemption(v.Policy()) >= WithinTenant`, `Preemption(app.Policy()) >= WithinTenant`},
	{"solve/room.go", "what is guaranteed is taken", `if z.Class == WithinGuarantee || d.allowed < Reclaim`, `if d.allowed < Reclaim`},
	{"solve/room.go", "the pool with most evictions is taken", `pl.evictions() < best.evictions()`, `pl.evictions() > best.evictions()`},
	{"solve/attempts.go", "a refused plan spares one only", `	for _, m := range moves {
		for _, o := range m.less() {`, `	for _, m := range moves[:1] {
		for _, o := range m.less()[:1] {`},
	{"solve/attempts.go", "what several together leave unlent is not asked for", `+ s.Asked - s.Free
	}
	return more`, `+ 0*s.Free
	}
	return more`},
	{"solve/room.go", "nothing alike gives way", `		d.deep = true
`, `		return nil
`},
	{"solve/choose.go", "eviction comes before degradation", `	for _, o := range options {
		missing.sub(o.degraded())
	}
`, ``},
	{"solve/choose.go", "who gave up too much keeps nothing", `	fillBackLevels(moves, rest)
`, ``},
	{"solve/choose.go", "the best standing gives way first", `return p.least.Compare(o.least)`, `return o.least.Compare(p.least)`},
	{"solve/fewest.go", "one is never enough", `for size := 1; size <= len(tier); size++`, `for size := min(2, len(tier)); size <= len(tier); size++`},

	// Times.
	{"solve/promise.go", "nothing is kept for who was promised a time", `kept = max(kept, needed-ends[r])`, `_ = needed - ends[r]`},
	{"solve/promise.go", "whoever passes is given twice the time", `return app.Ending.Lasts > p.left`, `return app.Ending.Lasts > 2*p.left`},
	{"solve/together.go", "a gang is promised room in its pool only", `d.free(r) - q.promised(d.name, app, r)`, `d.free(r)`},
	{"solve/promise.go", "of a rack nothing ends that a gang is promised", `p.insideEnds[r] += insideOf(v.Taken, load.Pool, p.in, r)`, `_ = insideOf`},
	{"solve/books.go", "who passes takes from what ends", `				p.ends.move(l.Amount, sign)
`, `				_ = p
`},
	{"solve/times.go", "who is late is late for ever", `		takes *= 2
`, `		takes += forever
`},

	// Fairness of the outcome.
	{"solve/fairness.go", "who loses is not weighed", `	for _, m := range moves {
		note(m.option.app.Tenant)
	}
`, ``},
	{"solve/fairness.go", "any smaller shortfall counts, and any larger one", `return is[k].short+Slack <= was[k].short`, `return true`},
	{"solve/fairness.go", "a plan that mends nothing mends a guarantee", `case guarantees < 0:`, `case guarantees <= 0:`},
	{"solve/fairness.go", "a band may break guarantees", `case guarantees == 0 && s.fromLowerBands():`, `case s.fromLowerBands():`},
	{"solve/fairness.go", "a fair share may break guarantees", `case guarantees == 0 && s.fairer(after):`, `case s.fairer(after):`},
	{"solve/fairness.go", "bands take whatever policy says", `return s.search.allowed == AnyBand`, `return true`},
	{"solve/fairness.go", "a band takes from itself", `v.Band <= s.search.standing.Band`, `v.Band < s.search.standing.Band`},
	{"solve/fairness.go", "a guarantee is broken by what is not asked for", `least[r] = max(0, min(sum[r], lack[r]))`, `least[r] = max(0, lack[r])`},
	{"solve/fairness.go", "the smallest shortfall counts first", `cmp.Compare(y.short, x.short)`, `cmp.Compare(x.short, y.short)`},
	{"solve/fairness.go", "groups count as tenants do", `cmp.Compare(x.depth, y.depth), `, ``},

	// Larger than a fair share.
	{"solve/stand.go", "the last that exceeds the fair share takes", `		if r.exceeds.app == nil {`, `		if true {`},
	{"solve/rank.go", "what exceeds a fair share ranks as what is borrowed", `cmp.Compare(o.lacks, r.lacks),`, `0,`},
	{"solve/exceed.go", "nobody waits before it takes", `	if patient(l.of.now, app) {`, `	if true {`},
	{"solve/exceed.go", "what ends by itself is taken", ` || l.startsByItself(app) {`, ` {`},
	{"solve/exceed.go", "who is late is waited for", `return f != nil && !f.late()`, `return f != nil`},
	{"solve/exceed.go", "the platform switches nothing off", `	if platform.ReserveAfter <= 0 {`, `	if false {`},
	{"solve/exceed.go", "who is told of those that may give way later is told of those that may now", `	then.now = at
`, ``},
	{"solve/exceed.go", "what moves later in a ruling does not count", `	if len(l.of.Changed) > 0 {`, `	if false {`},
	{"solve/turns.go", "who was told nothing has no turn before others", `cmp.Compare(a.turnOf(x), a.turnOf(y))`, `cmp.Compare(x.slot, y.slot)`},
	{"solve/turns.go", "whose time has come has no turn before others", `	case told.From != nil && patient(a.now, app):
		return toTake
`, ``},
	{"solve/turns.go", "whose turn it is not is told what does not make room", `t.From != nil && !t.suffices(&l.of.room, app)`, `false`},
	{"solve/turns.go", "whose turn it is not is told nothing", `	app.Takes = t
`, ``},
	{"follow/arbiter.go", "an arbiter that remembers rests before all had their turn", ` || solve.TurnsRemain(t.Case)`, ``},
	{"follow/retryable.go", "of those that are alike the one that takes longest answers for all", `least.Ending.Lasts < app.Ending.Lasts`, `least.Ending.Lasts > app.Ending.Lasts`},
	{"solve/fairness.go", "what exceeds a fair share takes nothing alike", `		d.counts.Class = WithinFairShare
`, ``},
	{"explain/taking.go", "who takes later is told what its tenant may have", `named), n.Name, percent(t.Share))`, `named), n.Name, percent(n.FairShare))`},

	// Restore and shortage.
	{"solve/restore.go", "nothing holds a restore", `return !a.now.Before(a.RestoredFrom(app)) && app`, `return app`},
	{"solve/shortage.go", "who is told that it loses its place follows from what it runs", `return FirstCome(y.app, x.app)`, `return 0`},

	// Filling.
	{"solve/allot.go", "who is refused an update holds nothing", `model.VerdictGranted, nil, app.Update
	a.take(app, held)`, `model.VerdictGranted, nil, app.Update
	app.Taken = held`},
	{"solve/queue.go", "standing does not order tenants", `		xs.Compare(ys),
`, ``},
	{"solve/queue.go", "weights do not order tenants", `comparePerWeight(x.after, l.queue.Nodes[x.node].Weight, y.after, l.queue.Nodes[y.node].Weight)`, `comparePerWeight(x.after, 1, y.after, 1)`},

	// The gate.
	{"solve/gate.go", "one priority above the ceiling passes", `OK: spec.Priority <= limit,`, `OK: spec.Priority <= limit+1,`},
	{"solve/gate.go", "one application too many passes", `OK: used+asked <= limit || asked <= held,`, `OK: used <= limit || asked <= held,`},
	{"solve/gate.go", "quota ignores what others declare", `OK: n.declared[r]+asked <= limit ||`, `OK: asked <= limit ||`},
	{"solve/gate.go", "what runs over quota may grow", `held != nil && asked <= held.Total[r] && full.lasts[r] <= held.lasts[r]`, `held != nil`},
	{"solve/gate_pools.go", "the price does not count", `OK: cost <= spec.Budget,`, `OK: true,`},
	{"solve/gate_pools.go", "what no pool can hold waits", `OK: n <= q.Offered[r],`, `OK: true,`},
	{"solve/gate_pools.go", "the share of a pool does not count", `OK: n <= limit,`, `OK: true,`},

	// Advice.
	{"advice/search.go", "the first amount that helps is taken for the smallest", `	for next > lo {
		h, admits`, `	for false {
		h, admits`},
	{"advice/search.go", "what helped one who is alike is not tried again", `if _, less := s.try(ch, ch.before(hint)); !less {`, `if true {`},
	{"advice/aim.go", "whatever is granted is all of it", `return app.Level == 0 && app.Refused == nil`, `return app.Refused == nil`},
	{"advice/aim.go", "a refused newer spec is as good as one that runs", `return app.Refused == nil
	}`, `return true
	}`},
	{"advice/advisor.go", "advice that costs others comes first", `cmp.Compare(price(x.Victims), price(y.Victims))`, `cmp.Compare(price(y.Victims), price(x.Victims))`},
	{"advice/advisor.go", "who gives way is not named", `advice.Victims = append(advice.Victims, v)`, `_ = v`},
	{"advice/advisor.go", "advice that has changed is told as true", `a.mark(s, d, changed)`, `_ = changed`},
	{"advice/advisor.go", "several things are told where one is enough", `if ch.only && (told[ch.kind] || open[ch.kind]) {`, `if false {`},
	{"advice/advisor.go", "nobody is told which kinds do not suffice", `made.Kinds = names(s.kinds())`, `_ = names`},
	{"advice/advisor.go", "what does not help one who takes longer helps nobody", `	s.number(int64(a.basis.startBefore(a.Now.Add(app.Ending.Lasts))))
`, ``},
	{"advice/basis.go", "what others ask for is not noticed", `		b.asking(s)
`, ``},
	{"advice/basis.go", "what is free is not noticed", `s.number(min(n, q.Free(app, r)+solve.HeldOf(app.Taken, at, r)))`, `s.number(n)`},
	{"advice/basis.go", "advice about time never ends", `if b.Now.After(until(on)) {`, `if false {`},
	{"advice/quiet.go", "a tenant that was changed is not looked at", `	delete(a.quiet.settled, tenant)
`, ``},
	{"advice/quiet.go", "who waits behind a promise is looked at once", `takes > 0 && a.basis.startBefore(`, `takes < 0 && a.basis.startBefore(`},
	{"advice/capacity.go", "of several things all are told that are short", `ch.next = func(n int64) *change { return s.enlargeLess(pool, all(n), 0, all(n)) }`, `ch.next = nil`},
	{"advice/limits.go", "a quota is raised without those that are refused before", `units = append(units, ceil(sum, u))`, `_ = sum`},
	{"advice/changes.go", "only the cheapest place is paid for", `has > 0 && cost > has {`, `has > 0 && cost > has && budgets == nil {`},
	{"advice/time.go", "a start is not tried at its time", `			in.Now = f.At
`, ``},
	{"advice/points.go", "only what is short is made smaller", `	p.asks = slices.Clone(p.resources)
	for r := range s.Names {`, `	p.asks = slices.Clone(p.resources)
	for r := range s.Names[:0] {`},
	{"solve/trial.go", "what is promised to others is free for who tries", `	j.closeReserved(app)
`, ``},
	{"solve/trial.go", "a change may let others through the gate", `; ok != (o.Levels != nil) {`, `; false {`},
	{"solve/trial.go", "a change may alter what others stand", `if j.others() || j.own(app, edited) || j.exceedsInstead(edited) {`, `if j.own(app, edited) || j.exceedsInstead(edited) {`},

	// What decisions say.
	{"explain/sentences.go", "the other priority is higher", `is higher than %d", app.Priority, v.Priority)`, `is higher than %d", v.Priority, app.Priority)`},
	{"explain/constraint.go", "short is what is asked", `k.Short = model.FormatAmount(f.Resource, over)`, `k.Short = model.FormatAmount(f.Resource, f.Asked)`},
	{"explain/competitors.go", "others hold what is short", `solve.HeldOf(other.Taken, pool, resource)) + " "`, `app.Short[0].Asked) + " "`},
}
