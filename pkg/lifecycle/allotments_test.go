package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestAllotmentsAboveTheCapacity: an allotment that raises what is promised above the
// pools is refused with both places, and the old one holds. Capacity that falls refuses
// nobody.
func TestAllotmentsAboveTheCapacity(t *testing.T) {
	cores := func(n int64) model.Resources { return model.Resources{CPU: n * 1000} }
	pools := func(n int64) []model.Pool { return []model.Pool{{Name: "general", Capacity: cores(n)}} }
	tenant := func(name string, guarantee, weight int) model.Tenant {
		return model.Tenant{Name: name, Weight: weight, Guarantee: cores(int64(guarantee)), At: model.Positions{"guarantee": "allotments.cue:" + name}}
	}
	platform := model.Platform{Pools: []model.PoolSpec{{Name: "general", Selector: map[string]string{"a": "b"}}},
		At: model.Positions{"pools.general": "pools.cue:4:2", "pools.general.capacity": "pools.cue:5:3", "reservations.spare": "fleet.cue:9:9", "groups.shops.guarantee": "groups.cue:3:3"}}
	fleet := func(tenants ...model.Tenant) model.Fleet {
		p := platform
		return model.Fleet{Platform: &p, Tenants: tenants}
	}
	ledger := model.Ledger{Platform: &platform, Tenants: []model.Tenant{tenant("acme", 8, 1), tenant("globex", 8, 1)}, Pools: pools(20)}
	guarantees := func(f model.Fleet) (cpu []int64) {
		for i := range f.Tenants {
			cpu = append(cpu, f.Tenants[i].Guarantee.CPU/1000)
		}
		return cpu
	}

	t.Run("what fits is taken", func(t *testing.T) {
		f := lifecycle.KeepAllotments(fleet(tenant("acme", 12, 3), tenant("globex", 8, 1)), &ledger, pools(20))
		require.Equal(t, []int64{12, 8}, guarantees(f))
		require.Empty(t, f.Problems)
	})
	t.Run("what does not is refused, and nothing else of the commit", func(t *testing.T) {
		given := fleet(tenant("acme", 13, 3), tenant("globex", 8, 2))
		f := lifecycle.KeepAllotments(given, &ledger, pools(20))
		require.Equal(t, []int64{8, 8}, guarantees(f))
		require.Equal(t, 1, f.Tenants[0].Weight, "the whole allotment is the old one")
		require.Equal(t, 2, f.Tenants[1].Weight)
		require.Equal(t, "DA1514 platform.allotments.acme.guarantee: raises what is promised to 21 cpu, and all pools together have 20 cpu; what was promised before holds\n"+
			"  allotments.cue:acme   tenant acme: 13 cpu\n  pools.cue:4:2         pool general: 20 cpu", f.Problems[0].String())
		require.Len(t, f.Problems, 1)
		require.Equal(t, []int64{13, 8}, guarantees(given), "the fleet belongs to others")

		next := ledger
		next.Tenants = f.Tenants
		require.Equal(t, []int64{8, 8}, guarantees(lifecycle.KeepAllotments(given, &next, pools(20))), "nor in the next pass")
		require.Equal(t, []int64{13, 8}, guarantees(lifecycle.KeepAllotments(given, &next, pools(24))), "until there is room")
	})
	t.Run("one gives and another gets", func(t *testing.T) {
		f := lifecycle.KeepAllotments(fleet(tenant("acme", 14, 1), tenant("globex", 4, 1)), &ledger, pools(20))
		require.Equal(t, []int64{14, 4}, guarantees(f))
	})
	t.Run("of several those that fit, by name", func(t *testing.T) {
		f := lifecycle.KeepAllotments(fleet(tenant("acme", 11, 1), tenant("globex", 10, 1), tenant("initech", 1, 1)), &ledger, pools(20))
		require.Equal(t, []int64{11, 8, 1}, guarantees(f))
		require.Len(t, f.Problems, 1)
	})
	t.Run("a new tenant has no old allotment", func(t *testing.T) {
		f := lifecycle.KeepAllotments(fleet(tenant("acme", 8, 1), tenant("globex", 8, 1), tenant("initech", 5, 7)), &ledger, pools(20))
		require.Equal(t, []int64{8, 8, 0}, guarantees(f))
		require.Equal(t, 7, f.Tenants[2].Weight)
	})
	t.Run("capacity that falls refuses nobody", func(t *testing.T) {
		f := lifecycle.KeepAllotments(fleet(tenant("acme", 8, 2), tenant("globex", 8, 1)), &ledger, pools(4))
		require.Equal(t, []int64{8, 8}, guarantees(f))
		require.Equal(t, 2, f.Tenants[0].Weight)
		require.Empty(t, f.Problems)
	})
	t.Run("pools count as declared, then as seen, then as the ledger has them", func(t *testing.T) {
		more := fleet(tenant("acme", 13, 1), tenant("globex", 8, 1))
		require.Equal(t, []int64{8, 8}, guarantees(lifecycle.KeepAllotments(more, &ledger, nil)))
		require.Equal(t, []int64{13, 8}, guarantees(lifecycle.KeepAllotments(more, &ledger, pools(21))))
		declared := platform
		amount := cores(20)
		declared.Pools = []model.PoolSpec{{Name: "general", Capacity: &amount}}
		more.Platform = &declared
		f := lifecycle.KeepAllotments(more, &ledger, pools(21))
		require.Equal(t, []int64{8, 8}, guarantees(f))
		require.Equal(t, "pools.cue:5:3", f.Problems[0].Places[1].At)
		more.Platform = &platform
		require.Equal(t, []int64{13, 8}, guarantees(lifecycle.KeepAllotments(more, &model.Ledger{}, nil)), "a pool that nobody saw judges nothing")
	})
	t.Run("groups and reservations count, too", func(t *testing.T) {
		raised := platform
		raised.Reservations = []model.Reservation{{Name: "spare", Tenant: "acme", Pool: "general", Amount: cores(3)}, {Name: "sshd", System: "sshd.service", Pool: "general", Amount: cores(99)}}
		raised.Groups = []model.Group{{Name: "shops", Tenants: []string{"acme", "globex"}, Guarantee: cores(18)}}
		f := lifecycle.KeepAllotments(model.Fleet{Platform: &raised, Tenants: ledger.Tenants}, &ledger, pools(20))
		require.EqualValues(t, 3000, f.Platform.Reservations[0].Amount.CPU)
		require.True(t, f.Platform.Groups[0].Guarantee.IsZero())
		require.Equal(t, "platform.groups.shops.guarantee", f.Problems[0].Path)
	})
}
