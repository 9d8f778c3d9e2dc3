package clone

import (
	"fmt"
	"regexp"

	"github.com/d-aros/d-aros/pkg/git"
)

// DraftBranch names a branch with a change that people have yet to look at. Whatever it is made from, it names nothing outside
// of refs/heads/ui/. The zero value names nothing that git takes.
type DraftBranch struct{ slug string }

var slugs = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,48}[a-z0-9])?(/[a-z0-9]([-a-z0-9]{0,48}[a-z0-9])?)?$`)

// ParseDraftBranch reads the name of such a branch.
func ParseDraftBranch(slug string) (DraftBranch, error) {
	if !slugs.MatchString(slug) {
		return DraftBranch{}, fmt.Errorf("%q cannot name a draft; write up to 50 lower-case letters, digits and dashes, such as more-replicas", slug)
	}
	return DraftBranch{slug}, nil
}

// Branch returns the name of the branch.
func (p DraftBranch) Branch() string { return "ui/" + p.slug }

func (p DraftBranch) ref() string { return git.Branch(p.Branch()) }

// numbered returns the n-th branch of the same name.
func (p DraftBranch) numbered(n int) DraftBranch {
	if n > 1 {
		p.slug = fmt.Sprintf("%s-%d", p.slug, n)
	}
	return p
}
