package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestApprovals: who may change which part of the repo, and how many of them are needed.
func TestApprovals(t *testing.T) {
	gone, late := principal("gone", ed(t, "gone")), principal("late", ed(t, "late"))
	gone.Revoked, late.ValidBefore = true, "2020-01-01T00:00:00Z"
	team := principal("team", ed(t, "team"))
	team.Handle = "@acme/platform"
	tenants := []model.Tenant{
		tenant("acme", []string{"ann", "gone", "late"}, []model.Owners{{App: "shop", Principals: []string{"bob"}}},
			principal("ann", ed(t, "ann")), principal("bob", ed(t, "bob"))),
	}
	layer := platform([]string{"team"}, gone, late, team)
	layer.Access.Audience, layer.Access.Require = "example", &model.People{Platform: 2}
	paths := []string{"fleet.cue", "tenants/acme/apps/shop/app.cue", "tenants/acme/apps/shop/more.cue", "tenants/acme/tenant.cue", "tenants/other/tenant.cue"}
	p := access.RolesAt(made, access.New(layer, tenants))
	want := []access.Approval{
		{Files: 1, Path: "fleet.cue", People: 2, Who: []string{"@acme/platform"}},
		{App: model.AppID{Tenant: "acme"}, Files: 1, Path: "tenants/acme/tenant.cue", People: 1, Who: []string{"@acme/platform", "@ann"}},
		{App: model.AppID{Tenant: "acme", Name: "shop"}, Files: 2, Path: "tenants/acme/apps/shop/app.cue", People: 1, Who: []string{"@acme/platform", "@ann", "@bob"}},
		{App: model.AppID{Tenant: "other"}, Files: 1, Path: "tenants/other/tenant.cue", People: 1, Who: []string{"@acme/platform"}},
	}
	require.Equal(t, want, p.Approvals(paths))
	require.Equal(t, []string{"@ann"}, p.Owners("acme"))
	require.False(t, p.None())

	layer.Access.Enforce = model.EnforceOff
	for i := range want {
		want[i].People = 0
	}
	require.Equal(t, want, access.RolesAt(made, access.New(layer, tenants)).Approvals(paths), "nobody is asked for signatures")
	nobody := access.RolesAt(made, access.New(nil, nil))
	require.True(t, nobody.None())
	require.Empty(t, nobody.Approvals([]string{"fleet.cue"})[0].Who)
}
