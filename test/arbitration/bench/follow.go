package main

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/arbitration/follow"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// crowd is a world in which many wait and an arbiter that knows it.
type crowd struct {
	*world.World
	arbiter *follow.Arbiter
	waiting int
	saved   uint64 // revisions
}

func newCrowd(s size) *crowd {
	q := generate.LargeScale
	q.Groups = s.of(q.Groups, 1)
	w := q.World()
	w.Advises = true
	c := &crowd{World: w, arbiter: follow.New(arbitration.Solve), waiting: q.Applications()}
	c.Settle(3, time.Minute)
	c.save()
	ruling, _ := c.decide()
	for lacking(ruling) > 0 {
		c.apply(ruling)
		ruling, _ = c.decide()
	}
	c.apply(ruling)
	c.decide()
	return c
}

// decide is one pass of the arbiter.
func (c *crowd) decide() (model.Ruling, time.Duration) {
	var ruling model.Ruling
	d := took(func() { ruling = c.arbiter.Decide(c.Fleet, c.Seen, c.Ledger, c.Now) })
	return ruling, d
}

// ownLists makes lists that the arbiter does not hold, to be changed.
func (c *crowd) ownLists() {
	c.Fleet.Applications = slices.Grow(slices.Clone(c.Fleet.Applications), 1)
	c.Ledger.Instances = slices.Grow(slices.Clone(c.Ledger.Instances), 1)
}

// apply does what was ruled and saves it.
func (c *crowd) apply(r model.Ruling) {
	c.ownLists()
	before := c.Ledger
	c.Apply(r)
	for i := range c.Ledger.Decisions {
		d := &c.Ledger.Decisions[i]
		if old, ok := before.Decision(d.App); ok && old.RulesAs(d) && old.SameAdvice(d) {
			d.Revision = old.Revision
		}
	}
	c.save()
}

// save gives the ledger, and the records in it that changed, a revision, as reading and
// writing them does.
func (c *crowd) save() {
	revise := func(r *model.Revision) {
		c.saved++
		binary.BigEndian.PutUint64(r[:], c.saved)
	}
	revise(&c.Ledger.Revision)
	for i := range c.Ledger.Instances {
		if inst := &c.Ledger.Instances[i]; inst.Revision == (model.Revision{}) {
			revise(&inst.Revision)
		}
	}
	for i := range c.Ledger.Decisions {
		if d := &c.Ledger.Decisions[i]; d.Revision == (model.Revision{}) {
			revise(&d.Revision)
		}
	}
}

// running finds an application that runs, another one for each n.
func (c *crowd) running(n int) model.AppID {
	for i := range c.Ledger.Instances {
		if inst := &c.Ledger.Instances[(i+n*7919)%len(c.Ledger.Instances)]; inst.Phase.Active() {
			return inst.App
		}
	}
	panic("nothing runs")
}

// arrival lets one application more ask where many wait: by an arbiter that
// remembers, and decided from scratch.
func arrival(s size) []row {
	c := newCrowd(s)
	policy := generate.Policy("reclaim")
	var remembered, scratch []time.Duration
	runtime.GC()
	for i := range s.of(100, 20) {
		tenant := c.Fleet.Tenants[i*7919%len(c.Fleet.Tenants)].Name
		late := generate.App(tenant, fmt.Sprintf("late-%03d", i), 150, 1, model.Resources{CPU: 1000}, &policy).Seal()
		c.Fleet.Applications = append(c.Fleet.Applications, &late)
		ruling, d := c.decide()
		remembered = append(remembered, d)
		c.apply(ruling)
		c.decide()
		runtime.GC()
	}
	for range s.of(5, 2) { // afterwards: its garbage is not that of an arrival
		scratch = append(scratch, took(func() { c.Decide() }))
	}
	return []row{
		c.line("one arrival, by an arbiter that remembers the last pass", remembered, 10*time.Millisecond),
		c.line("one arrival, decided from scratch", scratch, 0),
	}
}

// departure lets one application go that ran where many wait: the pass that gives
// its place to others, the one in which the ledger says so, and one in which
// nothing happened.
func departure(s size) []row {
	c := newCrowd(s)
	var gone, told, quiet []time.Duration
	for i := range s.of(100, 20) {
		c.ownLists()
		c.Remove(c.running(i))
		c.save()
		runtime.GC()
		ruling, d := c.decide()
		gone = append(gone, d)

		c.apply(ruling)
		runtime.GC()
		ruling, d = c.decide()
		told = append(told, d)

		c.apply(ruling)
		c.decide()
		c.ownLists()
		runtime.GC()
		_, d = c.decide()
		quiet = append(quiet, d)
	}
	return []row{
		c.line("one departure, by an arbiter that remembers the last pass", gone, 0),
		c.line("the pass after it, when the ledger says what was ruled and advice is made", told, 500*time.Millisecond),
		c.line("a pass in which nothing happened", quiet, 0),
	}
}

// line is a row about passes, of which 99 in a hundred must not take longer than most, 0: nothing is wanted of them.
func (c *crowd) line(what string, times []time.Duration, most time.Duration) row {
	slices.Sort(times)
	at := func(p int) time.Duration { return times[(len(times)-1)*p/100] }
	r := row{
		what:   fmt.Sprintf("%s, where %d wait, %d times: p50 / p99 / max", what, c.waiting, len(times)),
		figure: fmt.Sprintf("%s / %s / %s", ms(at(50)), ms(at(99)), ms(at(100))),
	}
	if most > 0 {
		r.want, r.judged, r.met = fmt.Sprintf("p99 ≤ %d ms", most.Milliseconds()), true, at(99) <= most
	}
	return r
}
