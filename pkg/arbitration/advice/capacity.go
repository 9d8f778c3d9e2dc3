package advice

import (
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// larger lists the changes that give a pool more.
type larger struct{ *search }

// lack is what a pool has too little of.
type lack struct {
	resource int
	amount   int64
}

// changes adds to a pool that the application could run in what it lacks there: of one resource, and where several are short
// and none alone is enough, of all of them. Pools that it does not prefer come after that, where nothing was enough.
func (s larger) changes(p *points) (list []change) {
	seen := map[lack]bool{}
	for n, place := range p.lacks {
		for at := range s.Pools {
			var lacks []lack
			for _, short := range place {
				if short.Pool == at && !short.Quota && short.Resource >= 0 {
					lacks = append(lacks, lack{short.Resource, short.Asked - max(0, short.Free)})
				}
			}
			for _, l := range lacks {
				if key := (lack{at*len(s.Names) + l.resource, l.amount}); !seen[key] {
					seen[key] = true
					ch := s.enlargeOne(at, l)
					ch.only = n > 0
					list = append(list, ch)
				}
			}
			if len(lacks) > 1 {
				list = append(list, s.enlargeAll(at, lacks))
			}
		}
	}
	return list
}

// enlargeOne gives a pool more of one thing that it lacks.
func (s larger) enlargeOne(pool int, l lack) change {
	u := unit(l.resource)
	short := ceil(l.amount, u)
	units := []int64{short, 2 * short, 4 * short} // some of it may go to those that run degraded
	for _, ahead := range s.ahead() {
		units = append(units, ceil(l.amount+ahead[l.resource], u))
	}
	return s.enlarge(pool, smallest(units, 1<<50), true, func(n int64) []lack { return []lack{{l.resource, n * u}} })
}

// enlargeAll gives a pool more of all that it lacks: as little of the first as is enough with what there is of the others,
// then as little of the second, and so on.
func (s larger) enlargeAll(pool int, lacks []lack) change {
	ahead := append([]solve.Vector{s.Zero()}, s.ahead()...)
	all := func(n int64) []lack {
		more := slices.Clone(lacks)
		for i, l := range lacks {
			u := unit(l.resource)
			more[i].amount = ceil(l.amount+ahead[n-1][l.resource], u) * u
		}
		return more
	}
	var list []int64
	for i := range ahead {
		list = append(list, int64(i)+1)
	}
	ch := s.enlarge(pool, list, false, all)
	ch.only = true
	ch.next = func(n int64) *change { return s.enlargeLess(pool, all(n), 0, all(n)) }
	return ch
}

// enlargeLess gives a pool less of the thing in one place of a list, if it needs no more, then of the next, and begins anew as long as
// there is less than when it began: 1 stands for nothing.
func (s larger) enlargeLess(pool int, lacks []lack, at int, began []lack) *change {
	u := unit(lacks[at].resource)
	less := func(n int64) []lack {
		more := slices.Clone(lacks)
		more[at].amount = (n - 1) * u
		return more
	}
	ch := s.enlarge(pool, []int64{1, 1 + lacks[at].amount/u}, true, less)
	ch.next = func(n int64) *change {
		switch now := less(n); {
		case at+1 < len(lacks):
			return s.enlargeLess(pool, now, at+1, began)
		case !slices.Equal(now, began):
			return s.enlargeLess(pool, now, 0, now)
		}
		return nil
	}
	return &ch
}

// enlarge gives a pool more: how much of what follows from a number.
func (s larger) enlarge(pool int, list []int64, between bool, more func(n int64) []lack) change {
	name := s.Pools[pool].Name
	return change{
		kind: "capacity", by: model.ByPlatform, list: list, between: between,
		beyond: beyond{inputs: func(in *solve.Inputs, n int64) {
			in.Seen.Pools = slices.Clone(in.Seen.Pools)
			for i := range in.Seen.Pools {
				if q := &in.Seen.Pools[i]; q.Name == name {
					for _, l := range more(n) {
						r := s.Names[l.resource]
						q.Capacity = q.Capacity.With(r, q.Capacity.Get(r)+l.amount)
					}
				}
			}
		}, more: func(n int64) solve.More {
			m := solve.More{Of: solve.Capacity, Pool: pool, Amount: s.Zero()}
			for _, l := range more(n) {
				m.Amount[l.resource] += l.amount
			}
			return m
		}},
		tell: func(n int64) model.Advice {
			var parts []string
			var settings []model.Setting
			for _, l := range more(n) {
				if l.amount == 0 {
					continue
				}
				more, resource := s.Amount(l.resource, l.amount), s.Names[l.resource]
				parts = append(parts, more+" "+resource)
				settings = append(settings, model.Setting{Kind: "capacity", Path: name + "." + resource, Value: "+" + more})
			}
			more := strings.Join(parts, " and ")
			return model.Advice{Amount: more, Settings: settings, Text: "give pool " + name + " " + more + " more"}
		},
	}
}

// These bound what is added up of what others ask for.
const (
	mostAhead    = 16 // of those that wait
	mostRejected = 8
)

// ahead is what those ask for at the least that wait too, added up in the order of their tenants and lines, and then what those ask for
// that are rejected: what becomes free may go to them first.
func (s larger) ahead() (sums []solve.Vector) {
	sum := s.Zero()
	add := func(amount solve.Vector) {
		sum.Add(amount)
		sums = append(sums, slices.Clone(sum))
	}
	for i := 0; i < len(s.Pending) && len(sums) < mostAhead; i++ {
		for _, app := range s.Pending[i] {
			if app != s.app && !app.Granted() && len(sums) < mostAhead {
				add(app.Levels[len(app.Levels)-1].Total)
			}
		}
	}
	for _, app := range s.refused() {
		if app != s.app && len(sums) < mostAhead+mostRejected {
			add(s.AsksFor(app, app.Wanted))
		}
	}
	return sums
}

// refused lists the first of those that are rejected.
func (a *Advisor) refused() []*solve.App {
	if a.rejected == nil {
		a.rejected = []*solve.App{}
		for _, app := range a.Apps {
			if app.Wanted != nil && app.Verdict == model.VerdictRejected && len(a.rejected) <= mostAhead+mostRejected {
				a.rejected = append(a.rejected, app)
			}
		}
	}
	return a.rejected
}
