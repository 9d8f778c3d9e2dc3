package access_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
)

func TestReadingFollowsViewersAndRoles(t *testing.T) {
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	platform := &model.Platform{Access: &model.Access{
		Principals: []model.Principal{
			{Name: "ada", Login: "ada@example.com"}, {Name: "gone", Login: "gone@example.com", Revoked: true},
			{Name: "late", Login: "late@example.com", ValidBefore: "2026-12-31T00:00:00Z"}, {Name: "host", Login: "host"}, {Name: "sam", Login: "sam"},
		},
		Admins: []string{"ada", "gone", "late"}, Mergers: []string{"host"}, Viewers: []string{"group:ops", "user:eve"},
	}}
	tenants := []model.Tenant{
		{Name: "globex", Access: &model.Access{
			Principals: []model.Principal{{Name: "bob", Login: "bob"}}, Admins: []string{"bob"},
			Owners: []model.Owners{{App: "shop", Principals: []string{"sam"}}}, Viewers: []string{"group:web"},
		}},
		{Name: "acme", Access: &model.Access{
			Principals: []model.Principal{{Name: "ada", Login: "mallory"}, {Name: "bob", Login: "bob"}}, Admins: []string{"ada"}, Viewers: []string{"group:web", "user:sam"},
		}},
		{Name: "initech", Access: &model.Access{Viewers: []string{"*"}}},
		{Name: "hooli"},
	}
	readers := access.NewReaders(platform, tenants)
	of := func(user string, groups ...string) access.Reading {
		return readers.Reading(access.Identity{User: user, Groups: groups}, now)
	}
	all := access.Reading{All: true}
	require.Equal(t, all, of("ada@example.com"), "an admin of the platform")
	require.Equal(t, all, of("eve"), "a viewer of the platform")
	require.Equal(t, all, of("x", "ops"), "a group of the platform")
	require.Equal(t, []string{"globex", "initech"}, of("bob").Tenants, "an admin of one tenant; the namesake of another has no role there")
	require.Equal(t, []string{"acme", "globex", "initech"}, of("sam").Tenants, "an owner of an application, and a viewer")
	require.Equal(t, []string{"acme", "initech"}, of("mallory").Tenants, "a tenant's principal with the name of an admin of the platform")
	require.Equal(t, []string{"acme", "globex", "initech"}, of("x", "web").Tenants)
	for _, nobody := range []string{"gone@example.com", "late@example.com", "host", "web", "ops", "group:web", "*", "ADA@example.com", "ada"} {
		require.Equal(t, []string{"initech"}, of(nobody).Tenants, nobody)
	}
	require.True(t, of("").Nothing(), "not even what everybody may read who can sign in")
	require.True(t, of("", "ops").Nothing())
	require.True(t, access.NewReaders(nil, nil).Reading(access.Identity{User: "x"}, now).Nothing())

	r := of("bob")
	require.True(t, r.Reads("globex"))
	require.False(t, r.Reads("acme"))
	require.False(t, r.Reads(""))
	require.True(t, all.Reads("whatever"))
	require.Equal(t, []string{"@ada"}, readers.Admins(now))
}

func TestReadingFiles(t *testing.T) {
	acme := access.Reading{Tenants: []string{"acme"}}
	for path, reads := range map[string]bool{
		"tenants/acme/tenant.cue": true, "tenants/acme/": true, "approvals/acme/shop/a.cue": true, "tenants/globex/tenant.cue": false, "approvals/globex/x.cue": false,
		"fleet.cue": false, "tenants/acme": false, "other/acme/x.cue": false, "": false, "tenants//x": false, "/tenants/acme/x": false,
	} {
		require.Equal(t, reads, acme.ReadsFile(path), path)
		require.True(t, access.Reading{All: true}.ReadsFile(path))
	}
}
