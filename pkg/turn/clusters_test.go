package turn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/turn"
)

// TestPoolOfAnUnknownCluster: the platform that names one is refused where it says so, and the
// last good platform, tenants and specs stay.
func TestPoolOfAnUnknownCluster(t *testing.T) {
	shop := model.AppID{Tenant: "acme", Name: "shop"}
	fleet := model.Fleet{
		Platform: &model.Platform{
			Pools: []model.PoolSpec{{Name: "far", Cluster: "west"}, {Name: "general"}},
			At:    map[string]string{"pools.far.cluster": "fleet.cue:7:9"},
		},
		Tenants: []model.Tenant{{Name: "acme"}}, Applications: []*model.Application{{ID: shop}},
	}
	require.Equal(t, fleet, turn.CheckClusters(fleet, []string{"lab", "west"}))
	require.NoError(t, turn.Connected(fleet.Platform, []string{"west"}))
	require.NoError(t, turn.Connected(nil, nil))

	refused := turn.CheckClusters(fleet, []string{"lab"})
	require.Equal(t, []model.Problem{{
		Code: "DA1349", Path: "platform.pools.far.cluster",
		Message: "is in cluster west, which the reconciler was not told of (it has the first one and lab); start it with --cluster west=KUBECONFIG, or name another cluster",
		Places:  []model.Place{{At: "fleet.cue:7:9", Note: "platform.pools.far.cluster: west"}},
	}}, refused.Problems)
	require.EqualError(t, turn.Connected(fleet.Platform, nil), "platform.pools.far.cluster: is in cluster west, which the reconciler was not told of (it has one cluster); start it with --cluster west=KUBECONFIG, or name another cluster")

	last := model.Ledger{Platform: &model.Platform{Name: "good"}, Tenants: []model.Tenant{{Name: "acme"}}, Instances: []model.Instance{{
		App: shop, Number: 1, Phase: model.PhaseRunning, Spec: new(model.Application{ID: shop}.Seal()),
	}}}
	require.Same(t, last.Platform, turn.Platform(refused, last))
	out := turn.Take(turn.Case{Fleet: refused, Ledger: last})
	inst, ok := out.Next.Find(shop)
	require.True(t, ok)
	require.Equal(t, model.PhaseRunning, inst.Phase)
	require.Contains(t, out.Next.Problems, refused.Problems[0])
}
