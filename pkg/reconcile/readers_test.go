package reconcile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestRevokedReadersAreCarriedOut holds that a tenant is carried out again when the platform revokes one of its people.
func TestRevokedReadersAreCarriedOut(t *testing.T) {
	tenant := &model.Tenant{Name: "acme", Access: &model.Access{Admins: []string{"ada"}}}
	tenant.Policy.Namespace = "tenant"
	platform := &model.Access{Principals: []model.Principal{{Name: "ada"}}}
	before := readersRevision(platform, tenant, nil)
	require.Equal(t, " readers map[acme:[ada]]", before)
	platform.Principals[0].Revoked = true
	require.NotEqual(t, before, readersRevision(platform, tenant, nil))
	require.Empty(t, readersRevision(platform, &model.Tenant{Name: "globex"}, nil))
}
