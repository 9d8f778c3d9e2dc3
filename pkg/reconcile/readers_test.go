package reconcile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestRevokedReadersAreCarriedOut holds that a tenant is carried out again when who may read its objects may have changed.
func TestRevokedReadersAreCarriedOut(t *testing.T) {
	tenant := &model.Tenant{Name: "acme", Access: &model.Access{Admins: []string{"ada"}}}
	tenant.Policy.Namespace = "tenant"
	platform := &model.Access{Principals: []model.Principal{{Name: "ada"}}}
	before := readersRevision(model.DigestOf(platform), tenant)
	platform.Principals[0].Revoked = true
	revoked := readersRevision(model.DigestOf(platform), tenant)
	require.NotEqual(t, before, revoked)
	tenant.Access.Admins = []string{"ben"}
	require.NotEqual(t, revoked, readersRevision(model.DigestOf(platform), tenant))
	require.Empty(t, readersRevision(model.DigestOf(platform), &model.Tenant{Name: "globex"}))
}
