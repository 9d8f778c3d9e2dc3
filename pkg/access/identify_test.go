package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
)

// Who asks, and with which roles, for one application and no other.
func TestIdentify(t *testing.T) {
	p := fleet(t)
	shop, docs, other := model.AppID{Tenant: "acme", Name: "shop"}, model.AppID{Tenant: "acme", Name: "docs"}, model.AppID{Tenant: "globex", Name: "shop"}
	for _, c := range []struct {
		key    string
		app    model.AppID
		signer string
		roles  []string
	}{
		{"root", shop, "root", []string{"platform-admin", "tenant-admin", "application-owner"}},
		{"ann", shop, "acme/ann", []string{"tenant-admin", "application-owner"}},
		{"ann", other, "acme/ann", nil},
		{"bob", shop, "acme/bob", []string{"application-owner"}},
		{"bob", docs, "acme/bob", nil},
		{"gus", other, "gus", []string{"tenant-admin", "application-owner"}},
		{"gus", shop, "gus", nil},
	} {
		signer, roles, v := p.Identify(signed(t, ed(t, c.key), "fleet.cue"), c.app, now)
		require.Nil(t, v, "what else the commit changes is no matter here")
		require.Equal(t, c.signer, signer)
		require.Equal(t, c.roles, roles, "%s for %s", c.key, c.app)
	}
	for name, c := range map[string]access.Commit{
		"unsigned": {Hash: "c", Time: made, Payload: []byte("x")},
		"unknown":  signed(t, ed(t, "eve")),
		"refused":  {Hash: "c", Refused: "cannot be read"},
	} {
		signer, roles, v := p.Identify(c, shop, now)
		require.NotNil(t, v, name)
		require.Empty(t, signer)
		require.Empty(t, roles)
	}
}

// Whoever lists somebody else's key does not give them a second name.
func TestOnePersonIsNotTwo(t *testing.T) {
	p := access.New(platform([]string{"root"}, principal("root", ed(t, "root"))), []model.Tenant{
		tenant("acme", []string{"ann"}, nil, principal("ann", ed(t, "ann"))),
		tenant("globex", []string{"ann2"}, nil, principal("ann2", ed(t, "ann"))),
	})
	signer, _, _ := p.Identify(signed(t, ed(t, "ann")), model.AppID{Tenant: "acme", Name: "shop"}, now)
	require.Equal(t, "acme/ann", signer)
}
