package arbitration

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// RestoreHold is how long an application stays degraded before it is restored,
// so that capacity that comes and goes does not move replicas with it.
const RestoreHold = 30 * time.Second

// Decide rules on every application that the fleet declares to run, or that
// holds a grant in the ledger and is still declared. The fleet must have a
// platform.
func Decide(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) model.Ruling {
	if fleet.Platform == nil {
		return model.Ruling{}
	}
	a := newArbiter(&fleet, &seen, now)
	claims := gather(&fleet, &ledger)
	slices.SortStableFunc(claims, a.order)

	for _, c := range claims {
		a.keep(c)
	}
	for _, c := range claims {
		a.update(c)
	}
	a.shrink(claims)
	for _, c := range claims {
		a.restore(c)
	}
	for _, c := range claims {
		a.admit(c)
	}

	ruling := model.Ruling{Decisions: make([]model.Decision, 0, len(claims))}
	position := 0
	for _, c := range claims {
		if c.verdict == model.Waiting {
			position++
			c.position = position
		}
		ruling.Decisions = append(ruling.Decisions, a.decision(c, claims))
	}
	slices.SortFunc(ruling.Decisions, func(x, y model.Decision) int { return x.App.Compare(y.App) })
	return ruling
}

// arbiter holds what one arbitration counts: who uses how much of which tenant
// and pool.
type arbiter struct {
	platform *model.Platform
	commit   string
	now      time.Time
	tenants  map[string]*tenantAccount
	pools    []*poolAccount // by name
	capacity model.Digest
}

// tenantAccount counts what the accepted applications of a tenant declare.
type tenantAccount struct {
	*model.Tenant
	used         model.Resources
	applications int
	workloads    int
}

// poolAccount counts what is granted of a pool.
type poolAccount struct {
	model.Pool
	spec *model.PoolSpec
	used model.Resources
}

func (p *poolAccount) free() model.Resources { return p.Capacity.Sub(p.used) }

func newArbiter(fleet *model.Fleet, seen *model.Observation, now time.Time) *arbiter {
	a := &arbiter{
		platform: fleet.Platform, commit: fleet.Commit, now: now,
		tenants: map[string]*tenantAccount{}, capacity: model.DigestOf(seen.Pools),
	}
	for i := range fleet.Tenants {
		a.tenants[fleet.Tenants[i].Name] = &tenantAccount{Tenant: &fleet.Tenants[i]}
	}
	for i := range fleet.Platform.Pools {
		spec := &fleet.Platform.Pools[i]
		pool := &poolAccount{Pool: model.Pool{Name: spec.Name}, spec: spec}
		if n := slices.IndexFunc(seen.Pools, func(p model.Pool) bool { return p.Name == spec.Name }); n >= 0 {
			pool.Pool = seen.Pools[n]
			pool.Capacity = overcommit(pool.Capacity, fleet.Platform.Policy)
		}
		a.pools = append(a.pools, pool)
	}
	return a
}

// overcommit stretches discovered capacity by the factors that policy allows.
func overcommit(r model.Resources, p model.Policy) model.Resources {
	stretch := func(n int64, thousandths int) int64 {
		if thousandths <= 1000 {
			return n
		}
		return n/1000*int64(thousandths) + n%1000*int64(thousandths)/1000
	}
	r.CPU, r.Memory = stretch(r.CPU, p.OvercommitCPU), stretch(r.Memory, p.OvercommitMem)
	return r
}

func (a *arbiter) pool(name string) *poolAccount {
	for _, p := range a.pools {
		if p.Name == name {
			return p
		}
	}
	return nil
}
