package model_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

const hash = "0123456789abcdef0123456789abcdef01234567"

// TestLinksOfWellKnownHosts: the address of a clone tells where its files, commits and status pages are.
func TestLinksOfWellKnownHosts(t *testing.T) {
	for address, want := range map[string][3]string{
		"https://github.com/acme/fleet.git": {"https://github.com/acme/fleet/blob/" + hash + "/tenants/acme/tenant.cue#L5",
			"https://github.com/acme/fleet/commit/" + hash, "https://github.com/acme/fleet/blob/status/tenants/acme/shop/README.md"},
		"git@github.com:acme/fleet.git": {"https://github.com/acme/fleet/blob/" + hash + "/tenants/acme/tenant.cue#L5",
			"https://github.com/acme/fleet/commit/" + hash, "https://github.com/acme/fleet/blob/status/tenants/acme/shop/README.md"},
		"ssh://git@gitlab.com/acme/teams/fleet": {"https://gitlab.com/acme/teams/fleet/-/blob/" + hash + "/tenants/acme/tenant.cue#L5",
			"https://gitlab.com/acme/teams/fleet/-/commit/" + hash, "https://gitlab.com/acme/teams/fleet/-/blob/status/tenants/acme/shop/README.md"},
		"https://user:secret@codeberg.org/acme/fleet": {"https://codeberg.org/acme/fleet/src/commit/" + hash + "/tenants/acme/tenant.cue#L5",
			"https://codeberg.org/acme/fleet/commit/" + hash, "https://codeberg.org/acme/fleet/src/branch/status/tenants/acme/shop/README.md"},
		"https://bitbucket.org/acme/fleet": {"https://bitbucket.org/acme/fleet/src/" + hash + "/tenants/acme/tenant.cue#lines-5",
			"https://bitbucket.org/acme/fleet/commits/" + hash, "https://bitbucket.org/acme/fleet/src/status/tenants/acme/shop/README.md"},
		"https://git.example.com/acme/fleet": {}, "/srv/fleet.git": {}, "file:///srv/fleet.git": {}, "": {}, "https://github.com/acme": {}, "https://github.com.evil.example/a/b": {},
		"https://github.com/../../x": {}, "http://github.com/acme/fleet": {},
	} {
		l := model.LinksOf(address, "status")
		got := [3]string{l.FileURL(hash, "tenants/acme/tenant.cue:5:27"), l.CommitURL(hash), l.ApplicationURL(model.AppID{Tenant: "acme", Name: "shop"})}
		require.Equal(t, want, got, address)
	}
}

// TestProposalURL: a saved branch leads to the form of a pull request, where the Git host has one that is known.
func TestProposalURL(t *testing.T) {
	for address, want := range map[string]string{
		"git@github.com:acme/fleet.git":               "https://github.com/acme/fleet/compare/main...ui/bob/more?expand=1",
		"https://user:secret@gitlab.com/acme/x/fleet": "https://gitlab.com/acme/x/fleet/-/merge_requests/new?merge_request%5Bsource_branch%5D=ui/bob/more&merge_request%5Btarget_branch%5D=main",
		"https://git.example.com/acme/fleet":          "",
		"/srv/fleet.git":                              "",
	} {
		require.Equal(t, want, model.ProposalURL(address, "main", "ui/bob/more"))
	}
}

// TestLinksHoldHostileValues: whatever a file is called, its URL stays the one that the template says, and means nothing to
// Markdown.
func TestLinksHoldHostileValues(t *testing.T) {
	l := model.Links{File: "https://git.example.com/view?at={commit}&file={path}&line={line}", Commit: "https://git.example.com/{commit}", Application: "https://ui.example.com/{tenant}/{application}"}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a)b](c", "<script>", "a b&c=d#e?f", "{commit}{path}", "\x1b[31m", "ä/…", `"'|` + "`"})).Draw(t, "path")
		path = strings.ReplaceAll(path, ":", "")
		got := l.FileURL(hash, path+":7:1")
		if path == "" {
			require.Empty(t, got)
			return
		}
		require.Regexp(t, `^https://git\.example\.com/view\?at=[0-9a-f]{40}&file=[-A-Za-z0-9._/%]+&line=7$`, got)
		u, err := url.Parse(got)
		require.NoError(t, err)
		require.Equal(t, path, u.Query().Get("file"))
	})
	require.Empty(t, l.FileURL("main", "a.cue:1:1"), "no commit")
	require.Empty(t, l.FileURL(hash, "a.cue:x)"), "no line")
	require.Empty(t, l.CommitURL(strings.ToUpper(hash)))
	require.Empty(t, l.ApplicationURL(model.AppID{Tenant: "a/b", Name: "c"}))
	require.Empty(t, model.Links{}.CommitURL(hash))
	require.Equal(t, model.Links{File: "a", Commit: "b", Application: "c"}, model.Links{File: "a"}.Or(model.Links{File: "x", Commit: "b", Application: "c"}))
}
