package turn_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/turn"
)

// starting is a fleet that starts for the first time, in a pool of some size.
type starting struct {
	fleet model.Fleet
	room  model.Resources
}

// take takes turns, of at most that many newcomers, until none is left. Nothing is seen of what runs.
func (s *starting) take(t require.TestingT, newcomers int) (ledger model.Ledger, turns int) {
	for at := now; ; at = at.Add(time.Second) {
		require.Less(t, turns, 100, "it does not end")
		turns++
		before := ledger
		out := turn.Take(turn.Case{
			Fleet: s.fleet, Ledger: ledger, Now: at, Series: turn.Series{Newcomers: newcomers},
			Seen: model.Observation{Pools: []model.Pool{{Name: "general", Nodes: 1, Capacity: s.room, Largest: s.room}}},
		})
		ledger = out.Next
		require.Equal(t, out.Left, ledger.Source.Left)
		if out.Left == 0 {
			return ledger, turns
		}
		require.Equal(t, s.fleet.Applications, out.Fleet.Applications, "all is decided about")
		require.Len(t, ledger.Instances, len(before.Instances)+newcomers)
	}
}

// app declares an application of one component.
func (s *starting) app(tenant, name string, priority, replicas int, desired model.Desired) {
	a := model.Application{
		ID: model.AppID{Tenant: tenant, Name: name}, Priority: priority, Desired: desired,
		Components: []model.Component{{Name: "web", Type: "worker", Critical: true, Replicas: replicas,
			Requests: model.Resources{CPU: 100, Memory: 1 << 20}, QoS: model.Burstable, Placement: model.Placement{Pool: "general"}}},
	}.Seal()
	s.fleet.Applications = append(s.fleet.Applications, &a)
}

func newStarting(room int64) *starting {
	s := &starting{room: model.Resources{CPU: room, Memory: 1 << 40}}
	s.fleet.Commit = "a"
	s.fleet.Platform = &model.Platform{Name: "test", Pools: []model.PoolSpec{{Name: "general"}}, Bands: []model.Band{{Name: "production", Min: 500}, {Name: "standard", Min: 0}}}
	for _, name := range []string{"acme", "bank", "corp"} {
		s.fleet.Tenants = append(s.fleet.Tenants, model.Tenant{Name: name, Weight: 1, MaxApplications: 100, MaxWorkloads: 1000, PriorityCeiling: 1000})
	}
	return s
}

// TestNewcomersInParts: higher bands are recorded first and then the tenants in turn, and
// what is not to run is not waited for.
func TestNewcomersInParts(t *testing.T) {
	s := newStarting(100_000)
	for i := range 4 {
		s.app("acme", fmt.Sprint("a", i), 100, 1, "")
	}
	s.app("bank", "b0", 100, 1, "")
	s.app("bank", "b1", 600, 1, "")
	s.app("bank", "off", 600, 1, model.DesiredTerminated)
	s.app("corp", "c0", 100, 1, "")
	var order []string
	c := turn.Case{Fleet: s.fleet, Now: now, Series: turn.Series{Newcomers: 3}, Seen: model.Observation{Pools: []model.Pool{{Name: "general", Nodes: 1, Capacity: s.room, Largest: s.room}}}}
	for {
		out := turn.Take(c)
		for i := range out.Next.Instances {
			if name := out.Next.Instances[i].App.Name; !slices.Contains(order, name) {
				order = append(order, name)
			}
		}
		c.Ledger, c.Now = out.Next, c.Now.Add(time.Second)
		if out.Left == 0 {
			break
		}
		require.Equal(t, 7-len(order), out.Left)
	}
	require.Equal(t, []string{"a0", "b0", "b1", "a1", "a2", "c0", "a3"}, order, "in parts of three, each sorted here by name")
}

// TestPartsDecideAsTheWhole: whatever the fleet, its room and the size of the parts, the
// applications get what they get at once.
func TestPartsDecideAsTheWhole(t *testing.T) {
	parts := 0
	rapid.Check(t, func(t *rapid.T) {
		s := newStarting(rapid.Int64Range(500, 6000).Draw(t, "room"))
		for i := range s.fleet.Tenants {
			tenant := &s.fleet.Tenants[i]
			tenant.MaxApplications = rapid.IntRange(2, 10).Draw(t, "limit")
			for k := range rapid.IntRange(0, 6).Draw(t, "apps") {
				s.app(tenant.Name, fmt.Sprint("app", k), rapid.SampledFrom([]int{10, 100, 600}).Draw(t, "priority"), rapid.IntRange(1, 4).Draw(t, "replicas"), "")
			}
		}
		whole, _ := s.take(t, 0)
		ledger, turns := s.take(t, rapid.IntRange(1, 5).Draw(t, "part"))
		if turns > 1 {
			parts++
		}
		type granted struct {
			app    model.AppID
			phase  model.Phase
			grants []model.Grant
		}
		of := func(l *model.Ledger) (all []granted) {
			for i := range l.Instances {
				in := &l.Instances[i]
				g := granted{app: in.App, phase: in.Phase}
				for _, s := range in.Components {
					g.grants = append(g.grants, s.Grant)
				}
				all = append(all, g)
			}
			return all
		}
		require.Equal(t, of(&whole), of(&ledger))
	})
	require.Positive(t, parts)
}
