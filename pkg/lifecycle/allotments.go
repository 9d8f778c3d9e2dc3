package lifecycle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// A raise is a guarantee or a reservation that is larger than in the ledger.
type raise struct {
	path string // below the platform
	note string
	at   string
	take func(f *model.Fleet) // puts the new amount in place of the old one
}

// KeepAllotments refuses the guarantees and reservations that raise what is promised above
// all pools together: the old ones hold, and the fleet has a problem for each. Pools count
// as declared, else as seen, else as the ledger has them. What was promised before
// capacity fell is refused to nobody.
func KeepAllotments(fleet model.Fleet, ledger *model.Ledger, seen []model.Pool) model.Fleet {
	have, pools, known := capacity(fleet.Platform, seen, ledger.Pools)
	if !known {
		return fleet
	}
	limit := have.Max(model.Promised(ledger.Platform, ledger.Tenants))
	if model.Promised(fleet.Platform, fleet.Tenants).Fits(limit) {
		return fleet
	}
	kept, raises := withoutRaises(fleet, ledger)
	var problems []model.Problem
	for _, r := range raises {
		tried := copied(kept)
		r.take(&tried)
		promised := model.Promised(tried.Platform, tried.Tenants)
		if promised.Fits(limit) {
			kept = tried
			continue
		}
		problems = append(problems, model.Problem{
			Code: catalogue.Guarantees, Path: "platform." + r.path,
			Message: fmt.Sprintf("raises what is promised to %v, and all pools together have %v; what was promised before holds", promised, have),
			Places:  append([]model.Place{{At: r.at, Note: r.note}}, pools...),
		})
	}
	if len(problems) == 0 {
		return fleet // only what is there of the platform is above its pools
	}
	kept.Problems = slices.DeleteFunc(slices.Clone(fleet.Problems), func(p model.Problem) bool { return p.Code == catalogue.Guarantees })
	kept.Problems = append(kept.Problems, problems...)
	return kept
}

// capacity returns the sum of the pools, with a place for each. It is not known while a
// pool was never seen.
func capacity(platform *model.Platform, seen, before []model.Pool) (sum model.Resources, places []model.Place, known bool) {
	if platform == nil || len(platform.Pools) == 0 {
		return sum, nil, false
	}
	for _, spec := range platform.Pools {
		amount, at := spec.Capacity, platform.At["pools."+spec.Name+".capacity"]
		if amount == nil {
			pool, ok := model.Find(seen, spec.Name)
			if !ok {
				pool, ok = model.Find(before, spec.Name)
			}
			if !ok {
				return sum, nil, false
			}
			amount, at = &pool.Capacity, platform.At["pools."+spec.Name]
		}
		sum = sum.Add(*amount)
		places = append(places, model.Place{At: at, Note: "pool " + spec.Name + ": " + amount.String()})
	}
	return sum, places, true
}

// copied returns a fleet whose promises can be changed.
func copied(f model.Fleet) model.Fleet {
	platform := *f.Platform
	platform.Groups, platform.Reservations = slices.Clone(platform.Groups), slices.Clone(platform.Reservations)
	f.Platform, f.Tenants = &platform, slices.Clone(f.Tenants)
	return f
}

// withoutRaises returns a fleet with the smaller promises of the ledger, and the raises
// that were taken out of it.
func withoutRaises(fleet model.Fleet, ledger *model.Ledger) (_ model.Fleet, raises []raise) {
	kept := copied(fleet)
	old := cmp.Or(ledger.Platform, &model.Platform{})
	for i, r := range kept.Platform.Reservations {
		was := model.Get(old.Reservations, r.Name).Amount
		if r.System == "" && !r.Amount.Fits(was) {
			kept.Platform.Reservations[i].Amount = was
			raises = append(raises, raise{"reservations." + r.Name, "reservation " + r.Name + ": " + r.Amount.String(), fleet.Platform.At["reservations."+r.Name],
				func(f *model.Fleet) { f.Platform.Reservations[i].Amount = r.Amount }})
		}
	}
	for i, g := range kept.Platform.Groups {
		was := model.Get(old.Groups, g.Name).Guarantee
		if !g.Guarantee.Fits(was) {
			kept.Platform.Groups[i].Guarantee = was
			raises = append(raises, raise{"groups." + g.Name + ".guarantee", "group " + g.Name + ": " + g.Guarantee.String(), fleet.Platform.At["groups."+g.Name+".guarantee"],
				func(f *model.Fleet) { f.Platform.Groups[i].Guarantee = g.Guarantee }})
		}
	}
	for i, t := range kept.Tenants {
		was := model.Get(ledger.Tenants, t.Name)
		if !t.Guarantee.Fits(was.Guarantee) {
			kept.Tenants[i] = allottedAs(t, was)
			raises = append(raises, raise{"allotments." + t.Name + ".guarantee", "tenant " + t.Name + ": " + t.Guarantee.String(), t.At["guarantee"],
				func(f *model.Fleet) { f.Tenants[i] = t }})
		}
	}
	return kept, raises
}

// allottedAs returns a tenant with the allotment that it had before, and with no guarantee
// if it had none.
func allottedAs(t, was model.Tenant) model.Tenant {
	t.Guarantee, t.Reservations = was.Guarantee, was.Reservations
	if was.Name != "" {
		t.Weight, t.Borrow, t.Lend = was.Weight, was.Borrow, was.Lend
		t.Quota, t.MaxApplications, t.MaxWorkloads = was.Quota, was.MaxApplications, was.MaxWorkloads
	}
	return t
}
