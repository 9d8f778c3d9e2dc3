package access

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Commit is one commit of the branch, compared with its first parent.
type Commit struct {
	Hash      string
	Author    string    // name <email>, as the commit says
	Time      time.Time // the committer's
	Payload   []byte    // the signed bytes
	Signature []byte    // armored; nil: there is none
	Paths     []string  // that it changes, both sides of a rename
	Parents   []string
	Side      *Side  // what it brings, if it is a merge of two commits on the branch; else nil
	Refused   string // why it cannot be judged at all, "" if it can; then only Hash and Author are set besides
}

// Side is what a merge brings that its first parent lacks.
type Side struct {
	// Commits are those that only the second parent reaches, each after its parents.
	// The Paths of a merge among them are those in which it is not the clean merge of
	// its parents, so that what it brings is not its own change.
	Commits []Commit

	// Unmerged are the paths in which the merge is not the clean merge of its parents:
	// both sides changed them, or the merge did.
	Unmerged []string

	Refused string // why it cannot be judged commit by commit, "" if it can; then the rest is empty
}

// SaysWho reports whether a commit may change the policy of access.
func (c *Commit) SaysWho() bool { return c.Refused != "" || slices.ContainsFunc(c.Paths, SaysWho) }

// Codes of violations and problems. docs/access.md says what to do about each.
const (
	CodeUnsigned    = "DA2001" // no signature
	CodeUnreadable  = "DA2002" // signature or commit cannot be read
	CodeWeak        = "DA2003" // algorithm, hash or key that is not accepted
	CodeBad         = "DA2004" // the signature does not fit the commit
	CodeUnknownKey  = "DA2005" // nobody's key
	CodeRevoked     = "DA2006" // a revoked key
	CodeExpired     = "DA2007" // outside the validity of the key
	CodeForbidden   = "DA2008" // a path that the signer may not change
	CodeLockout     = "DA2009" // no platform admin would have a valid key
	CodeRewritten   = "DA2010" // the branch does not follow from the accepted commit
	CodeNoTrustRoot = "DA2011" // the branch does not follow from --trust-root
	CodeUnusableKey = "DA2012" // a declared key that nobody can sign with
	CodeNoOrigin    = "DA2013" // an approval whose commit is too old to be found
	CodeStatement   = "DA2014" // nobody signed that it is for this fleet and branch
	CodePeople      = "DA2015" // too few people signed
	CodeMerge       = "DA2016" // a commit of the Git host that is not the clean merge of signed commits
)

// Violation is the reason why a commit is not accepted.
type Violation struct {
	Code   string
	Commit string
	Signer string // principals or a fingerprint, "unsigned" without a signature
	Path   string // the first path that the signer may not change, else ""
	Reason string // one clause: "is not signed"
	Hint   string // how to go on
}

// Error writes the violation as one sentence and the hint.
func (v *Violation) Error() string {
	return fmt.Sprintf("commit %s %s; %s", short(v.Commit), v.Reason, v.Hint)
}

// Problem returns the violation for the status branch. The fleet stays at the given
// commit, "" if no commit was accepted yet.
func (v *Violation) Problem(stays string) model.Problem {
	kept := "nothing was accepted before it"
	if stays != "" {
		kept = "the fleet stays at " + short(stays)
	}
	p := model.Problem{Code: v.Code, Path: "commit " + v.Commit,
		Message: fmt.Sprintf("%s; %s; %s", v.Reason, kept, v.Hint)}
	if v.Path != "" {
		p.Places = []model.Place{{At: v.Path + ":1:1", Note: "changed by " + v.Signer}}
	}
	return p
}

// short abbreviates the name of a commit.
func short(commit string) string { return commit[:min(12, len(commit))] }
