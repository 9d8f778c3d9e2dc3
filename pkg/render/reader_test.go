package render_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

func TestReaders(t *testing.T) {
	platform := &model.Access{Principals: []model.Principal{{Name: "ada"}, {Name: "gone", Revoked: true}, {Name: "root"}}}
	tenant := &model.Tenant{Name: "acme", Access: &model.Access{
		Principals: []model.Principal{{Name: "bob"}, {Name: "gone"}, {Name: "left", Revoked: true}},
		Admins:     []string{"ada", "gone", "left", "unknown"},
		Owners:     []model.Owners{{App: "shop", Principals: []string{"bob", "ada"}}, {App: "later", Principals: []string{"bob"}}},
	}}
	shop := model.AppID{Tenant: "acme", Name: "shop"}
	tenant.Policy.Namespace = "tenant"
	require.Equal(t, map[string][]string{"acme": {"ada", "bob"}}, render.Readers("", platform, tenant, []model.AppID{shop}))
	tenant.Policy.Namespace = "application"
	require.Equal(t, map[string][]string{"acme": {"ada"}, "acme-shop": {"ada", "bob"}}, render.Readers("", platform, tenant, []model.AppID{shop}),
		"the namespace of later is not there yet")
	tenant.Access = nil
	require.Empty(t, render.Readers("", platform, tenant, []model.AppID{shop}))
}
