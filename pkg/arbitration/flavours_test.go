package arbitration_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

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

// asks is what a component asks for in the flavour that it is granted, and the most in any of them where it waits.
func asks(comp *model.Component, grants []model.Grant) (most model.Resources) {
	g, granted := model.Find(grants, comp.Name)
	for n := range max(1, len(comp.Placement.Flavours)) {
		if in := comp.In(n); !granted || len(comp.Placement.Flavours) == 0 || in.Placement.Pool == g.Pool {
			most = most.Max(in.Requests)
		}
	}
	return most
}
