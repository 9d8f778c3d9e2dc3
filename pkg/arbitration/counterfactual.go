package arbitration

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// effort bounds how many claims one ruling weighs again to verify what would
// admit those that are left out. What an application would be admitted by is
// computed when it begins to wait or is rejected, in the order of names, as long
// as the effort lasts; Counterfactuals computes it for any one at any time.
const effort = 20_000

// Counterfactuals lists changes, each sufficient alone, that would have admitted
// an application that waits or is rejected, those that its owner can make first.
// Each was verified by arbitrating the changed inputs, and one unit less of it
// does not suffice. It is empty for an application that is granted a place, and
// where no single change of these kinds suffices.
func Counterfactuals(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time, app model.AppID) []string {
	if fleet.Platform == nil {
		return nil
	}
	p := newProblem(&fleet, &seen, &ledger, now)
	p.solve()
	for _, c := range p.claims {
		if c.app == app {
			left := 1 << 30
			return p.wouldAdmit(c, &left)
		}
	}
	return nil
}

// explain finds out what would admit those that are left out, where the ledger
// does not say it already.
func (p *problem) explain(r *model.Ruling, claims []*claim) {
	left := effort
	for i, c := range claims {
		if c.wanted == nil || c.granted() || c.incumbent() {
			continue
		}
		if len(claims) < len(p.claims) {
			i, _ = p.find(c.app)
		}
		d := &r.Decisions[i]
		if old := p.recorded(c.app); old != nil && old.Verdict == d.Verdict && old.Reason == d.Reason && old.Spec == d.Spec {
			d.WouldAdmit = old.WouldAdmit
			continue
		}
		if left > 0 {
			d.WouldAdmit = p.wouldAdmit(c, &left)
		}
	}
}

// inputs are what a ruling depends on, to be changed.
type inputs struct {
	fleet  model.Fleet
	seen   model.Observation
	ledger model.Ledger
	now    time.Time
}

// change is a kind of change with an amount, in units of step.
type change struct {
	make func(in *inputs, n int64) // n units more, or less
	tell func(n int64) string
	try  int64 // the amount to begin with
	most int64 // beyond which it makes no sense

	without *change // the same without the first of several things, nil: it is one
}

func (p *problem) wouldAdmit(c *claim, left *int) []string {
	if c.granted() || c.wanted == nil {
		return nil
	}
	var out []string
	for _, ch := range p.changes(c) {
		n, ok := p.least(c, ch, left)
		for ok && n == 1 && ch.without != nil && p.admits(c, ch, 0, left) {
			ch = *ch.without
			n, ok = p.least(c, ch, left)
		}
		if ok {
			out = append(out, ch.tell(n))
		}
	}
	return out
}

// admits arbitrates changed inputs and says whether the application gets a place.
func (p *problem) admits(c *claim, ch change, n int64, left *int) bool {
	*left -= len(p.claims)
	if *left < 0 {
		return false
	}
	in := inputs{fleet: *p.fleet, seen: model.Observation{Pools: p.seen}, ledger: *p.ledger, now: p.now}
	ch.make(&in, n)
	again := newProblem(&in.fleet, &in.seen, &in.ledger, in.now)
	again.solve()
	i, _ := slices.BinarySearchFunc(again.claims, c.app, func(x *claim, app model.AppID) int { return x.app.Compare(app) })
	return again.claims[i].granted()
}

// least finds the smallest amount of a change that admits the application.
func (p *problem) least(c *claim, ch change, left *int) (int64, bool) {
	hi := max(ch.try, 1)
	for !p.admits(c, ch, min(hi, ch.most), left) {
		if hi >= ch.most || *left < 0 {
			return 0, false
		}
		hi *= 2
	}
	hi = min(hi, ch.most)
	lo := int64(0) // does not admit
	if hi > 1 && !p.admits(c, ch, hi-1, left) {
		lo = hi - 1
	}
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; p.admits(c, ch, mid, left) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, *left >= 0
}
