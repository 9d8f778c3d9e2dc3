package claim

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Settle refuses the applications that want a name which another one has, so that they stay
// as they are. Who has a name in the ledger keeps it; then come the applications that were
// declared earlier, and then their names decide. Applications that are leaving have nothing
// any more.
func (r *Register) Settle(fleet model.Fleet, ledger *model.Ledger, leaving []model.AppID) model.Fleet {
	if r.quiet.Is(ledger.Revision) {
		return fleet
	}
	s := settlement{Register: r, leaving: leaving, involved: maps.Clone(r.disputing), taken: map[name][]taker{}}
	s.meet(&fleet, ledger)
	if len(s.involved) == 0 {
		r.quiet = ledger.Revision
		return fleet
	}
	return s.settle(fleet, ledger)
}

// A settlement settles one fleet.
type settlement struct {
	*Register
	leaving  []model.AppID
	involved map[model.AppID]struct{} // the others have no rival
	taken    map[name][]taker
}

// A taker has a name.
type taker struct {
	app  model.AppID
	held bool // in the ledger
}

// meet finds who wants what the ledger gives to another application, where that is not what
// Git declares of it. Nearly always there is nothing to look at.
func (s *settlement) meet(fleet *model.Fleet, ledger *model.Ledger) {
	apps := fleet.Applications
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		for len(apps) > 0 && apps[0].ID.Compare(inst.App) < 0 {
			apps = apps[1:]
		}
		usable := len(apps) > 0 && apps[0].ID == inst.App
		if inst.Spec == nil || usable && inst.Previous == nil && inst.Spec.Release == apps[0].Release {
			continue
		}
		s.held(inst, func(n name) {
			for _, m := range s.meeting(n, s.below) {
				for _, other := range s.who(m) {
					if n.rivals(inst.App, other) {
						s.involved[inst.App], s.involved[other] = struct{}{}, struct{}{}
					}
				}
			}
		})
	}
}

// held calls yield with every name that an instance has: those of what runs and, where
// nothing runs, those that it had and that Git still declares.
func (s *settlement) held(inst *model.Instance, yield func(name)) {
	wanted := s.of(inst.App)
	runs := inst.HasObjects()
	if slices.Contains(s.leaving, inst.App) || !runs && wanted == nil {
		return
	}
	for _, spec := range inst.Specs() {
		names := s.specs[spec.Digest]
		if names == nil {
			continue // nobody has what is not known: it might be another one's
		}
		names.each(func(n name, _ string) {
			if !runs {
				if _, still := wanted.has(n); !still {
					return
				}
			}
			yield(n)
		})
	}
}

// meeting lists a name and, for a host, those that take it in and those that it takes in,
// which below returns. What an allotment gives to somebody apart from a wildcard does not
// meet it.
func (s *settlement) meeting(n name, below func(wildcard string) []name) []name {
	all := []name{n}
	if !n.divides() {
		return all
	}
	for _, w := range above(n.host)[1:] {
		if w != Every && !s.allotments.apart(n.host, w) {
			all = append(all, name{host: w})
		}
	}
	if strings.HasPrefix(n.host, "*.") {
		for _, m := range below(n.host) {
			if !s.allotments.apart(m.host, n.host) {
				all = append(all, m)
			}
		}
	}
	return all
}

// takenBelow lists the hosts that were given out and that a wildcard takes in, sorted.
func (s *settlement) takenBelow(wildcard string) (hosts []name) {
	for m := range s.taken {
		if m.divides() && m.host != wildcard && covers(wildcard, m.host) {
			hosts = append(hosts, m)
		}
	}
	slices.SortFunc(hosts, func(x, y name) int { return cmp.Compare(x.host, y.host) })
	return hosts
}

// settle gives the names out, in order, and takes the applications that come too late out
// of the fleet.
func (s *settlement) settle(fleet model.Fleet, ledger *model.Ledger) model.Fleet {
	order := map[model.AppID]time.Time{} // of those that the ledger knows
	for _, id := range slices.SortedFunc(maps.Keys(s.involved), model.AppID.Compare) {
		inst, known := ledger.Find(id)
		if !known {
			continue
		}
		if inst.Phase != model.PhaseTerminated || inst.Reason != model.ReasonRemoved && inst.Reason != model.ReasonStopped {
			order[id] = inst.Declared
		}
		s.held(inst, func(n name) { s.take(n, taker{id, true}) })
	}
	declared := map[model.AppID]*model.Application{}
	var claimants []*model.Application
	for _, a := range fleet.Applications {
		if _, involved := s.involved[a.ID]; involved && s.of(a.ID) != nil {
			claimants, declared[a.ID] = append(claimants, a), a
		}
	}
	slices.SortStableFunc(claimants, func(a, b *model.Application) int {
		x, first := order[a.ID]
		y, second := order[b.ID]
		if first != second {
			return map[bool]int{true: -1, false: 1}[first]
		}
		return x.Compare(y)
	})
	refused := map[model.AppID]model.Problem{}
	for _, a := range claimants {
		if p := s.against(a, declared); p != nil {
			refused[a.ID] = *p
			continue
		}
		s.of(a.ID).each(func(n name, _ string) { s.take(n, taker{app: a.ID}) })
	}
	return without(fleet, refused)
}

func (s *settlement) take(n name, t taker) {
	if !slices.ContainsFunc(s.taken[n], func(have taker) bool { return have.app == t.app }) {
		s.taken[n] = append(s.taken[n], t)
	}
}

// against returns why an application comes too late, nil if it does not. What it has in the
// ledger it keeps.
func (s *settlement) against(a *model.Application, declared map[model.AppID]*model.Application) (late *model.Problem) {
	s.of(a.ID).each(func(n name, component string) {
		if late != nil || slices.Contains(s.taken[n], taker{a.ID, true}) {
			return
		}
		for _, m := range s.meeting(n, s.takenBelow) {
			for _, t := range s.taken[m] {
				if n.rivals(a.ID, t.app) && late == nil {
					late = s.tooLate(a, component, n, m, t, declared[t.app])
				}
			}
		}
	})
	return late
}

// without moves applications to the unusable ones.
func without(fleet model.Fleet, refused map[model.AppID]model.Problem) model.Fleet {
	if len(refused) == 0 {
		return fleet
	}
	fleet.Unusable, fleet.Problems = slices.Clip(fleet.Unusable), slices.Clip(fleet.Problems)
	usable := make([]*model.Application, 0, len(fleet.Applications))
	for _, a := range fleet.Applications {
		p, late := refused[a.ID]
		if !late {
			usable = append(usable, a)
			continue
		}
		fleet.Unusable = append(fleet.Unusable, model.Unusable{App: a.ID, Code: p.Code, Message: p.Line()})
		fleet.Problems = append(fleet.Problems, p)
	}
	fleet.Applications = usable
	slices.SortFunc(fleet.Unusable, func(x, y model.Unusable) int { return x.App.Compare(y.App) })
	return fleet
}
