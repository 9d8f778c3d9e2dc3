package clone

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/git"
)

// Revision returns the hash of the commit that people call name.
func (w *Tree) Revision(ctx context.Context, name string) (string, error) {
	if !w.Git {
		return "", fmt.Errorf("%s is in no Git repository, so there is no commit %s", w.Root, name)
	}
	commit, err := Line(ctx, w.Root, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil && w.shallow(ctx) {
		return "", fmt.Errorf("%q names no commit of this clone, which is shallow; \"git fetch --unshallow\" completes it", name)
	}
	if err != nil {
		return "", fmt.Errorf("%q names no commit of this clone; \"git fetch origin %s\" may bring it", name, strings.TrimPrefix(name, "origin/"))
	}
	return commit, nil
}

// Clean reports whether the files on disk are those of the last commit.
func (w *Tree) Clean(ctx context.Context) bool {
	if !w.Git {
		return false
	}
	changed, err := Line(ctx, w.Root, "status", "--porcelain", "--", ".")
	_, known := git.ParseHash(w.Head(ctx))
	return err == nil && changed == "" && known
}

// Head returns the last commit, "" if there is none.
func (w *Tree) Head(ctx context.Context) string {
	commit, _ := Line(ctx, w.Root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	return commit
}

// CheckBranch returns an error if no branch can have that name.
func CheckBranch(name string) error { return git.CheckRefName(name) }

// BranchTip returns the commit of a branch of the origin as last fetched, or else of the branch of this clone; "" if there
// is neither.
func (w *Tree) BranchTip(ctx context.Context, branch string) (string, error) {
	refs := []string{"refs/remotes/origin/" + branch, git.Branch(branch)}
	out, err := Output(ctx, w.Root, append([]string{"for-each-ref", "--format=%(refname) %(objectname)"}, refs...)...)
	if err != nil {
		return "", ctx.Err()
	}
	tips := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, commit, _ := strings.Cut(chomp([]byte(line)), " ")
		tips[name] = commit
	}
	return cmp.Or(tips[refs[0]], tips[refs[1]]), nil
}
