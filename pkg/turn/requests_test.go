package turn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/turn"
)

// TestRequests: what is asked comes in the order of the commits that brought it; a file
// whose commit is not known asks nothing.
func TestRequests(t *testing.T) {
	shop := model.AppID{Tenant: "acme", Name: "shop"}
	approval := func(name string) evaluate.Approval {
		return evaluate.Approval{App: shop, File: "approvals/acme/shop/" + name, Commands: []model.Command{{Action: "approve", Step: name}}}
	}
	origin := func(name, commit string) access.Origin {
		return access.Origin{File: "approvals/acme/shop/" + name, Commit: access.Commit{Hash: commit, Author: "ann"}}
	}
	r := turn.Requests(evaluate.Asked{Approvals: []evaluate.Approval{approval("a"), approval("b"), approval("old")}, Removals: []model.InstanceID{{App: shop, Number: 3}}},
		[]access.Origin{origin("b", "1"), origin("broken", "2"), origin("a", "3")})
	require.Equal(t, []model.InstanceID{{App: shop, Number: 3}}, r.Removals)
	require.Len(t, r.List, 2)
	for i, want := range []struct{ step, commit string }{{"b", "1"}, {"a", "3"}} {
		require.Equal(t, shop, r.List[i].App)
		require.Equal(t, []model.Command{{Action: "approve", Step: want.step, Commit: want.commit}}, r.List[i].Commands())
	}
	require.Len(t, r.Problems, 1)
	require.Equal(t, access.CodeNoOrigin, r.Problems[0].Code)
	require.Equal(t, "approvals/acme/shop/old:1:1", r.Problems[0].Places[0].At)
}
