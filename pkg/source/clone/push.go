package clone

import (
	"context"
	"strings"

	"github.com/d-aros/d-aros/pkg/git"
)

// SaveAndPush is Save, and then offers the branch to the origin of the clone, by the git program and the credentials of the user. It
// moves no branch that the origin has: if the name is taken there, the branch gets another number here and there. What the
// origin refuses for another reason stays saved.
func (w *Tree) SaveAndPush(ctx context.Context, base string, changes []Change, message string, p DraftBranch) (Saved, error) {
	saved, err := w.commit(ctx, base, changes, message)
	if err != nil {
		return Saved{}, err
	}
	for n := 1; ; n++ {
		n, saved.Branch, err = w.branch(ctx, saved.Commit, p, n)
		if err != nil {
			return Saved{}, err
		}
		refused := w.push(ctx, saved.Commit, p.numbered(n))
		if refused == nil {
			saved.Pushed = true
			return saved, nil
		}
		saved.Refused = refused.Error()
		if there, err := w.atOrigin(ctx, p.numbered(n)); err != nil || !there || n >= mostNames {
			return saved, nil
		}
		// Somebody else has the name there. Ours goes, unless it has moved since.
		if _, err := Output(ctx, w.Root, "update-ref", "-m", "the origin has the name", "-d", p.numbered(n).ref(), saved.Commit); err != nil {
			return saved, nil
		}
		saved.Refused = ""
	}
}

// push makes a branch of the origin that is not there yet.
func (w *Tree) push(ctx context.Context, commit string, p DraftBranch) error {
	cmd := git.Program(ctx, w.Root, "push", "--quiet", "--no-follow-tags", "--force-with-lease="+p.ref()+":", "origin", commit+":"+p.ref())
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0") // nobody is there to answer
	_, err := output(cmd, "")
	return err
}

// atOrigin reports whether the origin has the branch.
func (w *Tree) atOrigin(ctx context.Context, p DraftBranch) (bool, error) {
	cmd := git.Program(ctx, w.Root, "ls-remote", "--heads", "origin", p.ref())
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0")
	out, err := output(cmd, "")
	return strings.TrimSpace(string(out)) != "", err
}
