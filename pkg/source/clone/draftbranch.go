package clone

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

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

// Of returns the branch of that name which belongs to somebody who has signed in: ui/LOGIN/NAME. Whatever the login is made of, and
// whatever the name has before its last slash, the branch has two parts.
func (p DraftBranch) Of(login string) DraftBranch {
	person := strings.Trim(unusual.ReplaceAllString(strings.ToLower(login), "-"), "-")
	if person = strings.Trim(person[:min(len(person), 50)], "-"); person == "" {
		digest := sha256.Sum256([]byte(login))
		person = "u" + hex.EncodeToString(digest[:6])
	}
	return DraftBranch{person + "/" + p.slug[strings.LastIndexByte(p.slug, '/')+1:]}
}

var unusual = regexp.MustCompile(`[^a-z0-9]+`)

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
