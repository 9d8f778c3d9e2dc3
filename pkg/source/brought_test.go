package source_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestWhoAsksByAMergeOfAHost: an approval that a Git host merges comes from whoever signed
// it on its branch, and nobody brings back what somebody else took back.
func TestWhoAsksByAMergeOfAHost(t *testing.T) {
	const file = "approvals/acme/shop/agree.cue"
	asked := func(h *hosted) (by string, roles []string) {
		h.accepted()
		origins, err := snapshot(t, h.source).Origins("approvals")
		require.NoError(t, err)
		require.Len(t, origins, 1)
		r := access.Request{App: model.AppID{Tenant: "acme", Name: "shop"}, Commit: origins[0].Commit, Brought: origins[0].Brought, Asks: []model.Command{{}}}
		asks := access.New(h.recorded.Platform, h.recorded.Tenants).Commands(&r, time.Now())
		return asks[0].By, asks[0].Roles
	}
	owner := []string{access.ApplicationOwner}
	admin := []string{access.TenantAdmin, access.ApplicationOwner}
	for _, c := range []struct {
		name    string
		history func(h *hosted)
		by      string
		roles   []string
	}{
		{"the button", func(h *hosted) { h.on("ask"); h.commits("ann", file); h.back(); h.merges("host", "ask") }, "acme/ann", admin},
		{"a person's merge is of that person", func(h *hosted) { h.on("ask"); h.commits("ann", file); h.back(); h.merges("bob", "ask") }, "acme/bob", owner},
		{"after other commits, on a branch that was brought up to date", func(h *hosted) {
			h.on("ask")
			h.commits("ann", file)
			h.commits("bob", shop)
			h.back()
			h.commits("root", "README.md")
			h.Git("checkout", "-q", "ask")
			h.merges("host", "main")
			h.commits("bob", shop)
			h.back()
			h.merges("host", "ask")
		}, "acme/ann", admin},
		{"what was taken back and kept by a merge", func(h *hosted) {
			h.commits("ann", file)
			h.on("keep")
			h.commits("bob", shop)
			h.back()
			h.Git("rm", "-q", file)
			h.CommitSigned(h.keys["ann"], "take it back")
			h.Git("checkout", "-q", "keep")
			h.merges("bob", "main")
			h.Git("checkout", "-q", "main~1", "--", file)
			h.Git("add", "-A")
			h.Signed(h.keys["bob"], "commit", "-q", "--amend", "--no-edit")
			h.back()
			h.merges("host", "keep")
		}, "acme/bob", owner},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHosted(t, withHosts)
			c.history(h)
			by, roles := asked(h)
			require.Equal(t, c.by, by)
			require.Equal(t, c.roles, roles)
		})
	}
}
