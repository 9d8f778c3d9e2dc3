package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/test/texttest"
)

const hash = "0123456789abcdef0123456789abcdef01234567"

var portal = model.Links{File: "https://git.example.com/{commit}/{path}#L{line}", Commit: "https://git.example.com/{commit}", Application: "https://portal.example.com/{tenant}/{application}"}

// TestPagesLink: commits and places of pages lead to where the platform says.
func TestPagesLink(t *testing.T) {
	app := model.AppID{Tenant: "acme", Name: "shop"}
	in := &model.Instance{App: app, Number: 1, Phase: model.PhaseRunning, Spec: &model.Application{ID: app, Commit: hash}, History: []model.Transition{{To: model.PhaseRunning, Commit: hash}}}
	d := &model.Decision{App: app, Inputs: model.Inputs{Commit: hash}, Constraints: []model.Constraint{{Name: "quota.cpu", At: "tenants/acme/tenant.cue:5:27"}}}
	problems := []model.Problem{{Code: "DA1203", Places: []model.Place{{At: "tenants/acme/apps/shop/app.cue:9:13"}}}}
	got := string(Application(app, in, d, problems, hash, portal))
	require.Contains(t, got, "source commit [`"+hash+"`](https://git.example.com/"+hash+")")
	require.Contains(t, got, "| [`"+hash[:10]+"`](https://git.example.com/"+hash+") |")
	require.Contains(t, got, "[tenants/acme/tenant.cue:5:27](https://git.example.com/"+hash+"/tenants/acme/tenant.cue#L5)")
	require.Contains(t, got, "[tenants/acme/apps/shop/app.cue:9:13](https://git.example.com/"+hash+"/tenants/acme/apps/shop/app.cue#L9)")
	require.NotContains(t, string(Application(app, in, d, problems, hash, model.Links{})), "git.example.com")

	l := &model.Ledger{Commit: hash, Problems: problems, Platform: &model.Platform{Links: model.Links{Commit: portal.Commit}}}
	first := string(Fleet(l, nil, Branch{Links: model.LinksOf("https://github.com/acme/fleet", "status")}))
	require.Contains(t, first, "[`"+hash+"`](https://git.example.com/"+hash+")", "the platform comes first")
	require.Contains(t, first, "](https://github.com/acme/fleet/blob/"+hash+"/tenants/acme/apps/shop/app.cue#L9)", "then the Git host")
}

// TestCommentLinks: a comment links, too, and no hostile value or template becomes more than text.
func TestCommentLinks(t *testing.T) {
	c := &plan.Comparison{After: plan.Side{Name: "topic", Commit: hash}, Links: portal}
	c.Problems = []model.Problem{{Code: "DA1203", Places: []model.Place{{At: "fleet.cue:5:27"}}}}
	c.Applications = []plan.Application{{App: model.AppID{Tenant: "acme", Name: "shop"}, Effect: plan.Admitted}}
	got := string(Comment(c))
	require.Contains(t, got, `[topic \(0123456789\)](`+"https://git.example.com/"+hash+")", got)
	require.Contains(t, got, "[fleet.cue:5:27](https://git.example.com/"+hash+"/fleet.cue#L5)")
	require.Contains(t, got, "| [acme/shop](https://portal.example.com/acme/shop) |")
	for _, s := range append(texttest.Corpus(), "javascript:alert(1)", "https://x.example/) [y](https://z.example/{commit}", "http://x.example/{commit}", "//x.example/{commit}", "https://u:p@x.example/{commit}") {
		c.Links = model.Links{File: s, Commit: s, Application: s}
		require.NotRegexp(t, `\]\((?:[^h]|https?://[^)]*[^-A-Za-z0-9._%/?#&=+:@,;)])`, string(Comment(c)), "%q", s)
	}
}

// TestDiffsStayInTheirFence: nothing in a diff ends the block that it stands in.
func TestDiffsStayInTheirFence(t *testing.T) {
	c := &plan.Comparison{}
	for _, diff := range append(texttest.Corpus(), "+```\n+</details>\n+# big", "+~~~~\n+`````````\n", "-``") {
		c.Objects = append(c.Objects, plan.ObjectChange{Action: plan.Change, Kind: "ConfigMap", Name: "x", Diff: diff})
	}
	said := structure(Comment(c))
	require.Equal(t, 1, strings.Count(said, "FencedCodeBlocktrue"))
	require.Equal(t, 1, strings.Count(said, "Headingtrue"), "the title")
	c.Objects = []plan.ObjectChange{{Action: plan.Change, Kind: "ConfigMap", Name: "x", Diff: strings.Repeat("+ a\n", maxComment)}, {Action: plan.Change, Kind: "ConfigMap", Name: "y", Diff: "+ small\n"}}
	got := string(Comment(c))
	require.Contains(t, got, "+ small\n```\n\n… and 1 object more;")
	require.Less(t, len(got), maxComment)
}
