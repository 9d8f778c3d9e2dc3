package lifecycle

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos"
)

// promised is a reservation in a pool, and where the fleet has it.
type promised struct {
	model.Reservation
	tenant int // in the fleet, -1 for one of the platform
	pool   *model.Pool
	claim  qos.Claim
	path   string
	at     string
}

// KeepReservations refuses the reservations that their pool cannot hold, by the rules that a
// node has for its own: those of the system come first, then higher priorities, then names,
// and each that fits is kept whole. If all were kept above the capacity, each would withhold
// it from the others, and nobody would have what he was promised. The fleet has a problem for
// each that is refused, until there is room.
func KeepReservations(fleet model.Fleet, seen []model.Pool) model.Fleet {
	var refused []promised
	var reasons []string
	all := promisedBy(&fleet, seen)
	for len(all) > 0 {
		pool, n := all[0].pool, 1
		for n < len(all) && all[n].pool == pool {
			n++
		}
		claims := make([]qos.Claim, n)
		for j := range claims {
			claims[j] = all[j].claim
		}
		for j, reason := range qos.Admit(claims, pool.Capacity, "pool "+pool.Name) {
			if reason != "" {
				refused, reasons = append(refused, all[j]), append(reasons, reason)
			}
		}
		all = all[n:]
	}
	if len(refused) == 0 {
		return fleet
	}
	kept := copied(fleet)
	kept.Problems = slices.Clone(fleet.Problems)
	for i, r := range refused {
		named := func(o model.Reservation) bool { return o.Name == r.Name }
		problem := model.Problem{Code: catalogue.PoolReserved, Path: r.path, Message: reasons[i],
			Places: []model.Place{{At: r.at, Note: "reservation " + r.Name + ": " + r.Amount.String()}}}
		if r.tenant < 0 {
			kept.Platform.Reservations = slices.DeleteFunc(kept.Platform.Reservations, named)
		} else {
			t := &kept.Tenants[r.tenant]
			t.Reservations = slices.DeleteFunc(slices.Clone(t.Reservations), named)
			problem.Tenant = t.Name
		}
		kept.Problems = append(kept.Problems, problem)
	}
	return kept
}

// promisedBy lists the reservations of a fleet in the pools that are seen, by pool, and in a
// pool by name.
func promisedBy(fleet *model.Fleet, seen []model.Pool) (all []promised) {
	add := func(r model.Reservation, tenant int, path, at string) {
		pool, ok := model.Find(seen, r.Pool)
		if _, declared := model.Find(fleet.Platform.Pools, r.Pool); !ok || !declared {
			return
		}
		claim := qos.Claim{Amount: r.Amount, Priority: model.Get(fleet.Tenants, r.Tenant).PriorityCeiling}
		switch {
		case r.System != "": // of each node
			claim.Rank, claim.Amount = 1, r.Amount.Times(max(1, pool.Nodes))
		case r.App != model.AppID{}:
			claim.Priority = 0
			if i, ok := slices.BinarySearchFunc(fleet.Applications, r.App, func(a *model.Application, id model.AppID) int { return a.ID.Compare(id) }); ok {
				claim.Priority = fleet.Applications[i].Priority
			}
		}
		all = append(all, promised{r, tenant, pool, claim, path + ".reservations." + r.Name, at})
	}
	for _, r := range fleet.Platform.Reservations {
		add(r, -1, "platform", fleet.Platform.At["reservations."+r.Name])
	}
	for i := range fleet.Tenants {
		t := &fleet.Tenants[i]
		for _, r := range t.Reservations {
			add(r, i, "tenant", t.At["reservations."+r.Name])
		}
	}
	slices.SortStableFunc(all, func(a, b promised) int {
		return cmp.Or(cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Name, b.Name))
	})
	return all
}
