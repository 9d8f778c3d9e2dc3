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
	for i := range fleet.Platform.Pools {
		pool, ok := model.Find(seen, fleet.Platform.Pools[i].Name)
		if !ok {
			continue
		}
		all := promisedIn(&fleet, pool)
		claims := make([]qos.Claim, len(all))
		for j := range all {
			claims[j] = all[j].claim
		}
		for j, reason := range qos.Admit(claims, pool.Capacity, "pool "+pool.Name) {
			if reason != "" {
				refused, reasons = append(refused, all[j]), append(reasons, reason)
			}
		}
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

// promisedIn lists the reservations in a pool in the order of their names.
func promisedIn(fleet *model.Fleet, pool *model.Pool) (all []promised) {
	priority := map[model.AppID]int{}
	for _, app := range fleet.Applications {
		priority[app.ID] = app.Priority
	}
	ceiling := map[string]int{}
	for i := range fleet.Tenants {
		ceiling[fleet.Tenants[i].Name] = fleet.Tenants[i].PriorityCeiling
	}
	add := func(r model.Reservation, tenant int, path, at string) {
		if r.Pool != pool.Name {
			return
		}
		claim := qos.Claim{Amount: r.Amount, Priority: ceiling[r.Tenant]}
		switch {
		case r.System != "": // of each node
			claim.Rank, claim.Amount = 1, r.Amount.Times(max(1, pool.Nodes))
		case r.App != model.AppID{}:
			claim.Priority = priority[r.App]
		}
		all = append(all, promised{r, tenant, claim, path + ".reservations." + r.Name, at})
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
	slices.SortStableFunc(all, func(a, b promised) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
