package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestReservationsAboveTheirPool: of reservations that a pool cannot hold together, the first
// are kept whole, and the others are refused with the words of a node.
func TestReservationsAboveTheirPool(t *testing.T) {
	cores := func(n int64) model.Resources { return model.Resources{CPU: n * 1000} }
	fleet := model.Fleet{
		Platform: &model.Platform{
			Pools: []model.PoolSpec{{Name: "general"}, {Name: "gpu"}, {Name: "unseen"}},
			Reservations: []model.Reservation{
				{Name: "a-low", App: model.AppID{Tenant: "acme", Name: "low"}, Pool: "general", Amount: cores(3)},
				{Name: "b-high", App: model.AppID{Tenant: "acme", Name: "high"}, Pool: "general", Amount: cores(3)},
				{Name: "elsewhere", Tenant: "acme", Pool: "gpu", Amount: cores(4)},
				{Name: "nobody-knows", Tenant: "acme", Pool: "unseen", Amount: cores(400)},
				{Name: "ssh", System: "sshd.service", Pool: "general", Amount: cores(1)},
			},
			At: model.Positions{"reservations.a-low": "fleet.cue:7:3"},
		},
		Tenants: []model.Tenant{{Name: "acme", PriorityCeiling: 50, Reservations: []model.Reservation{
			{Name: "small", App: model.AppID{Tenant: "acme", Name: "low"}, Pool: "general", Amount: cores(1)},
		}}},
		Applications: []*model.Application{
			{ID: model.AppID{Tenant: "acme", Name: "high"}, Priority: 300}, {ID: model.AppID{Tenant: "acme", Name: "low"}, Priority: 100},
		},
	}
	names := func(f model.Fleet) (names []string) {
		for _, r := range f.Platform.Reservations {
			names = append(names, r.Name)
		}
		for _, r := range f.Tenants[0].Reservations {
			names = append(names, r.Name)
		}
		return names
	}
	seen := func(n int64, nodes int) []model.Pool {
		return []model.Pool{{Name: "general", Capacity: cores(n), Nodes: nodes}, {Name: "gpu", Capacity: cores(4)}}
	}
	all := names(fleet)
	require.Equal(t, all, names(lifecycle.KeepReservations(fleet, seen(10, 2))), "there is room")

	f := lifecycle.KeepReservations(fleet, seen(6, 2))
	require.Equal(t, []string{"b-high", "elsewhere", "nobody-knows", "ssh", "small"}, names(f), "two cores are of the system, three of the higher priority, and one fits after that")
	require.Len(t, f.Problems, 1)
	require.Equal(t, "DA1528 platform.reservations.a-low: ReservationReduced: asks for 3 cpu, pool general has 1 left to promise\n"+
		"  fleet.cue:7:3   reservation a-low: 3 cpu", f.Problems[0].String())
	require.Equal(t, all, names(fleet), "the fleet belongs to others")

	f = lifecycle.KeepReservations(fleet, seen(5, 2))
	require.Len(t, f.Problems, 2)
	require.Equal(t, "acme", f.Problems[1].Tenant, "who owns it is told")
}

// TestUnitsThatNodesDoNotKeep: no application has the reservation of a unit, so it is a problem
// of the fleet, once for all nodes of its pool.
func TestUnitsThatNodesDoNotKeep(t *testing.T) {
	fleet := &model.Fleet{Platform: &model.Platform{
		Reservations: []model.Reservation{{Name: "ssh", System: "sshd.service", Pool: "general", Amount: model.Resources{CPU: 500}}},
		At:           model.Positions{"reservations.ssh": "fleet.cue:7:3"},
	}}
	short := func(pool, node, unit string) model.Shortfall {
		return model.Shortfall{Unit: unit, Pool: pool, Node: node, Resource: "cpu", Promised: 500, Why: "the host is small"}
	}
	problems := lifecycle.UnkeptUnits(fleet, []model.Shortfall{
		short("general", "n1", "evil.service"), short("edge", "n0", "sshd.service"), short("general", "n1", "sshd.service"), short("general", "n2", "sshd.service"),
	})
	require.Len(t, problems, 1)
	require.Equal(t, "DA1598 platform.reservations.ssh: ReservationReduced: node n1 keeps 0 of the 500m cpu that is reserved for sshd.service: the host is small\n"+
		"  fleet.cue:7:3   reservation ssh: 500m cpu on each node", problems[0].String())
	require.Empty(t, lifecycle.UnkeptUnits(fleet, nil))
	require.Empty(t, lifecycle.UnkeptUnits(&model.Fleet{}, []model.Shortfall{short("general", "n1", "sshd.service")}))
}
