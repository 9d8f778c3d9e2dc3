package access

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/text"
)

// Hints about commits that a Git host makes.
const (
	hintMergeCommit = "set the host to merge commits, and let somebody who may change these files sign a merge of it onto the last accepted commit (docs/access.md)"
	hintResolve     = "somebody who may change these files signs a merge of both sides onto the last accepted commit (docs/access.md)"
)

// hosts reports whether merges of a Git host can count.
func (p *Policy) hosts() bool {
	return slices.ContainsFunc(p.holders, func(h holder) bool { return h.merges })
}

// hosted judges a commit that a Git host has signed for whoever could merge there. It
// counts as the clean merge of commits of which each is signed by somebody who may
// change what it changes; the signature of the host adds nothing to that.
func (c *Commit) hosted(p *Policy, host string, now time.Time) *Violation {
	refuse := func(path, reason, hint string) *Violation {
		return &Violation{Code: CodeMerge, Commit: c.Hash, Signer: host, Path: path, Reason: "is made by the Git host " + host + " and " + reason, Hint: hint}
	}
	side := c.Side
	switch {
	case side == nil:
		return refuse("", "is no merge of two commits: a squash, a rebase or an edit there loses the signatures of people", hintMergeCommit)
	case side.Refused != "":
		return refuse("", side.Refused, hintResolve)
	case len(side.Unmerged) > 0:
		path := text.Line(side.Unmerged[0], maxPath)
		return refuse(path, "is not the clean merge of its parents at "+path+", which both sides changed, or the host", hintResolve)
	}
	changed := map[string]bool{}
	for i := range side.Commits {
		s := &side.Commits[i]
		if v := s.onSide(p, now); v != nil {
			v.Commit, v.Reason = c.Hash, fmt.Sprintf("is a merge by the Git host %s of commit %s, which %s", host, short(s.Hash), v.Reason)
			return v
		}
		for _, path := range s.Paths {
			changed[path] = true
		}
	}
	if i := slices.IndexFunc(c.Paths, func(path string) bool { return !changed[path] }); i >= 0 {
		path := text.Line(c.Paths[i], maxPath)
		return refuse(path, "changes "+path+", which none of the commits changes that it merges", hintResolve)
	}
	return nil
}

// onSide judges a commit that a Git host has merged. A host may bring a branch up to
// date, which changes nothing by itself.
func (c *Commit) onSide(p *Policy, now time.Time) *Violation {
	signers, v := p.signers(*c, now)
	switch {
	case v != nil:
		return v
	case !p.holders[signers[0]].merges:
		return p.may(*c, signers)
	case len(c.Paths) > 0:
		return &Violation{Code: CodeMerge, Signer: p.names(signers), Path: text.Line(c.Paths[0], maxPath),
			Reason: "the Git host made and nobody signed", Hint: hintMergeCommit}
	}
	return nil
}
