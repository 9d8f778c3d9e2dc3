package clone

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/text"
)

// Proposal is the newest commit of something that people work on: a branch, or a pull request as a Git host advertises it.
type Proposal struct {
	Name    string // that git resolves, in short
	Ref     string
	Commit  string
	Time    time.Time
	Author  string // safe to print, as Subject
	Subject string
}

// proposed are where heads stand.
var proposed = []string{"refs/heads", "refs/remotes", "refs/pull", "refs/merge-requests"}

// Proposals returns heads of the clone, those with the newest commits first, at most so many. A branch of the origin that
// stands where the branch of that name here stands is left out.
func (w *Tree) Proposals(ctx context.Context, most int) ([]Proposal, error) {
	heads, err := w.refs(ctx, most, proposed)
	here := map[string]string{}
	for _, h := range heads {
		here[h.Ref] = h.Commit
	}
	return slices.DeleteFunc(heads, func(h Proposal) bool {
		branch, remote := strings.CutPrefix(h.Ref, "refs/remotes/origin/")
		return remote && here[git.Branch(branch)] == h.Commit
	}), err
}

// Proposal returns the head of a name: that of a branch, of a branch of a remote as last fetched, or of a reference below
// refs. Nothing else names one: no tag, and nothing that git would compute.
func (w *Tree) Proposal(ctx context.Context, name string) (Proposal, error) {
	if err := git.CheckRefName(name); err != nil {
		return Proposal{}, err
	}
	for _, place := range []string{"refs/heads/", "refs/remotes/", "refs/", ""} {
		ref := place + name
		if !slices.ContainsFunc(proposed, func(dir string) bool { return strings.HasPrefix(ref, dir+"/") }) {
			continue
		}
		found, err := w.refs(ctx, 1, []string{ref})
		if err != nil {
			return Proposal{}, err
		}
		if len(found) > 0 && found[0].Ref == ref {
			return found[0], nil
		}
	}
	return Proposal{}, fmt.Errorf("%q names no branch of this clone; \"git fetch origin %s\" may bring it", name, name)
}

// Touched returns the files of the fleet repo that the merge of a commit into another one would change.
func (w *Tree) Touched(ctx context.Context, into, commit string) ([]string, error) {
	out, err := Output(ctx, w.Root, "diff", "--name-only", "--no-renames", "--no-ext-diff", "--relative", "-z", into+"..."+commit, "--")
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), err
}

// refs lists references to commits.
func (w *Tree) refs(ctx context.Context, most int, patterns []string) ([]Proposal, error) {
	if !w.Git {
		return nil, fmt.Errorf("%s is in no Git repository, so it has no branches", w.Root)
	}
	const format = "%(objecttype)%00%(symref)%00%(refname)%00%(refname:short)%00%(objectname)%00%(committerdate:unix)%00%(authorname)%00%(subject)"
	args := []string{"for-each-ref", "--sort=-committerdate", "--count=" + strconv.Itoa(most), "--format=" + format, "--"}
	out, err := Line(ctx, w.Root, append(args, patterns...)...)
	if err != nil {
		return nil, err
	}
	var heads []Proposal
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\x00", 8)
		if len(f) < 8 || f[0] != "commit" || f[1] != "" {
			continue
		}
		h := Proposal{Ref: f[2], Name: f[3], Commit: f[4], Author: text.Line(f[6], 100), Subject: text.Line(f[7], 200)}
		if seconds, err := strconv.ParseInt(f[5], 10, 64); err == nil {
			h.Time = time.Unix(seconds, 0).UTC()
		}
		if _, hash := git.ParseHash(h.Name); hash {
			h.Name = h.Ref // git takes the name for that of a commit
		}
		heads = append(heads, h)
	}
	return heads, nil
}

// BranchOf returns the branch that a reference stands for, here or at the origin, "" if for none.
func BranchOf(ref string) string {
	for _, place := range []string{"refs/heads/", "refs/remotes/origin/"} {
		if branch, ok := strings.CutPrefix(ref, place); ok {
			return branch
		}
	}
	return ""
}
