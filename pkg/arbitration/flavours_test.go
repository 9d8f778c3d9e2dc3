package arbitration_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/story"
)

// choose gives a component flavours now and then, some of them with other requests.
func (s *scene) choose(app *model.Application, comp *model.Component) {
	if !s.one(3) {
		return
	}
	comp.Placement.Pool, comp.Placement.Flavours = "", nil
	for _, at := range s.rng.Perm(len(s.Seen.Pools)) {
		f := model.Flavour{Pool: s.Seen.Pools[at].Name}
		if s.one(3) {
			f.Requests = model.Resources{CPU: int64(1+s.rng.IntN(6)) * 500}
		}
		comp.Placement.Flavours = append(comp.Placement.Flavours, f)
	}
	if s.one(2) {
		app.Policy.Flavours = model.FlavoursMakeRoomFirst
	}
}

// limitPools gives tenants and groups quotas of pools now and then.
func (s *scene) limitPools() {
	quota := func() []model.PoolQuota {
		if !s.one(4) {
			return nil
		}
		return []model.PoolQuota{{Pool: "pool-0", Limits: map[string]int64{"cpu": int64(1+s.rng.IntN(8)) * 1000}}}
	}
	for i := range s.Fleet.Tenants {
		s.Fleet.Tenants[i].PoolQuotas = quota()
	}
	for i := range s.Fleet.Platform.Groups {
		s.Fleet.Platform.Groups[i].PoolQuotas = quota()
	}
}

// I42. Nobody is granted more of a pool than the quota of its tenant or a group there, unless it was granted that before, and everything
// comes to rest.
func TestPoolQuotasHold(t *testing.T) { holds(t, 4, poolQuotasHold) }

func poolQuotasHold(t *rapid.T) {
	s := dressed(t)
	s.limitPools()
	s.lived(t)
	before := s.clone()
	ruling := s.Decide()
	for i := range s.Fleet.Tenants {
		tn := &s.Fleet.Tenants[i]
		for _, q := range tn.PoolQuotas {
			had, has := int64(0), int64(0)
			for _, d := range ruling.Decisions {
				if d.App.Tenant == tn.Name {
					has += cpuIn(d.Grants, q.Pool)
				}
			}
			for i := range before.Ledger.Instances {
				inst := &before.Ledger.Instances[i]
				if inst.App.Tenant != tn.Name || !inst.Phase.Active() {
					continue
				}
				for k := range inst.Components {
					had += cpuIn([]model.Grant{inst.Components[k].Grant}, q.Pool)
				}
			}
			if has > max(had, q.Limits["cpu"]) {
				t.Fatalf("%s is granted %d of pool %s, had %d, and its quota is %d", tn.Name, has, q.Pool, had, q.Limits["cpu"])
			}
		}
	}
	s.rest(t)
}

func cpuIn(grants []model.Grant, pool string) (sum int64) {
	for _, g := range grants {
		if g.Pool == pool {
			sum += g.Requests.CPU * int64(g.Replicas+g.Surge)
		}
	}
	return sum
}

// What runs in capacity that is taken away loses its place and comes back as another instance in the next of its flavours.
// It stays there when the capacity returns.
func TestCapacityThatIsTakenAway(t *testing.T) {
	s, err := story.Read("pool spot cpu=8\npool slow cpu=8\ntenant a weight=1\nasks a/job size=4 flavours=spot/slow:5\n")
	require.NoError(t, err)
	id := s.Asking[0]
	place := func() (pool string, number int, cpu int64) {
		inst, ok := s.Ledger.Find(id)
		require.True(t, ok)
		require.Len(t, inst.Components, 1)
		return inst.Components[0].Grant.Pool, inst.Number, inst.Components[0].Grant.Requests.CPU
	}
	s.Round()
	pool, number, _ := place()
	require.Equal(t, "spot", pool)
	capacity := func(cpu int64) {
		s.Seen.Pools = slices.Clone(s.Seen.Pools)
		at := slices.IndexFunc(s.Seen.Pools, func(p model.Pool) bool { return p.Name == "spot" })
		s.Seen.Pools[at].Capacity.CPU = cpu
		for range 3 {
			s.Now = s.Now.Add(2 * solve.ShortageHold)
			s.Round()
		}
	}
	capacity(0)
	now, next, cpu := place()
	require.Equal(t, "slow", now)
	require.Greater(t, next, number)
	require.Equal(t, int64(5000), cpu)
	capacity(8000)
	now, same, _ := place()
	require.Equal(t, "slow", now)
	require.Equal(t, next, same)
}

// asks is what a component asks for in the flavour that it is granted, and the least in any of them where it waits.
func asks(comp *model.Component, grants []model.Grant) (least model.Resources) {
	least = comp.In(0).Requests
	g, granted := model.Find(grants, comp.Name)
	for n := range comp.Placement.Flavours {
		in := comp.In(n).Requests
		if granted && comp.Placement.Flavours[n].Pool == g.Pool {
			return in
		}
		for _, name := range least.Names() {
			least = least.With(name, min(least.Get(name), in.Get(name)))
		}
	}
	return least
}

// raisePoolQuota sets the quota of a tenant or a group in a pool.
func (s *scene) raisePoolQuota(node, pool, resource string, to int64) {
	raise := func(quotas []model.PoolQuota) []model.PoolQuota {
		quotas = slices.Clone(quotas)
		for i := range quotas {
			if quotas[i].Pool == pool {
				quotas[i].Limits = map[string]int64{resource: to}
			}
		}
		return quotas
	}
	for i := range s.Fleet.Tenants {
		if t := &s.Fleet.Tenants[i]; t.Name == node {
			t.PoolQuotas = raise(t.PoolQuotas)
		}
	}
	s.Fleet.Platform.Groups = slices.Clone(s.Fleet.Platform.Groups)
	for i := range s.Fleet.Platform.Groups {
		if g := &s.Fleet.Platform.Groups[i]; g.Name == node {
			g.PoolQuotas = raise(g.PoolQuotas)
		}
	}
}

// A quota of a pool that is lowered below what runs there is shown as any other, with the pool.
func TestOverQuotaOfPools(t *testing.T) {
	s, err := story.Read(`
		pool a cpu=8
		pool b cpu=8
		group g
		tenant t pools=a:4 in=g
		runs t/x size=4 in=a
		runs t/y size=4 in=b`)
	require.NoError(t, err)
	require.Empty(t, s.Decide().OverQuota)
	s.Fleet.Tenants[0].PoolQuotas = []model.PoolQuota{{Pool: "a", Limits: map[string]int64{"cpu": 3000}}}
	s.Fleet.Platform.Groups[0].PoolQuotas = []model.PoolQuota{{Pool: "b", Limits: map[string]int64{"cpu": 1000}}}
	over := s.Decide().OverQuota
	require.Equal(t, []model.OverQuota{
		{Group: "g", Resource: "cpu", Pool: "b", Granted: 4000, Limit: 1000},
		{Tenant: "t", Resource: "cpu", Pool: "a", Granted: 4000, Limit: 3000},
	}, over)
	require.Equal(t, "group g is over quota: 4 cpu granted in pool b, its quota there is 1; what runs stays, nothing grows there", over[0].String())
}
