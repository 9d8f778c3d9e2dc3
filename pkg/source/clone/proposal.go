package clone

import (
	"fmt"
	"regexp"

	"github.com/d-aros/d-aros/pkg/git"
)

// Proposal names a branch with a change that people have yet to look at. Whatever it is made from, it names nothing outside
// of refs/heads/ui/. The zero value names nothing that git takes.
type Proposal struct{ slug string }

var slugs = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,48}[a-z0-9])?(/[a-z0-9]([-a-z0-9]{0,48}[a-z0-9])?)?$`)

// ParseProposal reads the name of a proposal.
func ParseProposal(slug string) (Proposal, error) {
	if !slugs.MatchString(slug) {
		return Proposal{}, fmt.Errorf("%q cannot name a proposal; write up to 50 lower-case letters, digits and dashes, such as more-replicas", slug)
	}
	return Proposal{slug}, nil
}

// Branch returns the name of the branch.
func (p Proposal) Branch() string { return "ui/" + p.slug }

func (p Proposal) ref() string { return git.Branch(p.Branch()) }

// numbered returns the n-th proposal of the same name.
func (p Proposal) numbered(n int) Proposal {
	if n > 1 {
		p.slug = fmt.Sprintf("%s-%d", p.slug, n)
	}
	return p
}
