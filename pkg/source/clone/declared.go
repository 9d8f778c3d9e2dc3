package clone

import (
	"context"

	"github.com/d-aros/d-aros/pkg/git"
)

// Declared opens a clone at the branch that declares the fleet, as last fetched: the default
// branch of the origin, else main. What is checked out does not matter. The caller closes the
// tree. Without such a branch, files is nil.
func Declared(ctx context.Context, top string) (w *Tree, files *git.Files, err error) {
	w = &Tree{Root: top, Git: true, store: git.OpenClone(ctx, top)}
	for _, ref := range []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main"} {
		if commit, missing := Line(ctx, top, "rev-parse", "--verify", "--quiet", ref+"^{commit}"); missing == nil {
			files, err = w.Commit(ctx, commit)
			break
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		w.Close()
		return nil, nil, err
	}
	return w, files, nil
}
