package page

import (
	"regexp"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
)

// targets are where a page links to. Links end when they have so many bytes together, so that they make no page too long to
// be shown.
type targets struct {
	model.Links
	left *int
}

// linkingTo returns the targets of one page, whose links have at most so many bytes.
func linkingTo(l model.Links, bytes int) targets { return targets{l, &bytes} }

// Bounds of the links of a page, in bytes.
const (
	maxLinks      = 64 << 10
	maxLinksFirst = 16 << 10 // of the first page, and of a comment
)

// commit shows the first digits of a commit of the fleet repo, with a link if there is one.
func (t targets) commit(hash string, digits int) string {
	return t.link(code(hash[:min(len(hash), digits)]), t.CommitURL(hash))
}

// place shows a place in a file of a commit, with a link if there is one.
func (t targets) place(at, commit string) string { return t.link(escape(at), t.FileURL(commit, at)) }

// side names a side of a plan, with a link to its commit.
func (t targets) side(s plan.Side) string { return t.link(escape(s.String()), t.CommitURL(s.Commit)) }

// application shows text with a link to an application, if there is one.
func (t targets) application(text string, app model.AppID) string {
	return t.link(escape(text), t.ApplicationURL(app))
}

// problems makes the rows of problems in the files of a commit.
func (t targets) problems(problems []model.Problem, commit string, show func(string) string) [][]string {
	return rowsOf(problems, func(p model.Problem) []string {
		where := show(p.Path)
		if len(p.Places) > 0 {
			where = t.link(show(p.Places[0].At), t.FileURL(commit, p.Places[0].At))
		}
		return []string{where, code(p.Code), show(p.Message)}
	})
}

// address are the URLs that mean nothing to Markdown but an address. Templates that were checked by the schema make no others;
// a ledger may be written by anybody.
var address = regexp.MustCompile(`^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[-A-Za-z0-9._%/?#&=+:@,;]*)?$`)

// link makes escaped text a link to a URL, if there is one.
func (t targets) link(text, url string) string {
	if text == "" || t.left == nil || len(url) > *t.left || !address.MatchString(url) {
		return text
	}
	*t.left -= len(url)
	return "[" + text + "](" + url + ")"
}
