package clone

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/d-aros/d-aros/pkg/git"
)

// Saved is a draft that has a branch.
type Saved struct {
	Branch string `json:"branch"`
	Commit string `json:"commit"`
	Signed bool   `json:"signed"` // the commit has a signature

	Pushed  bool   `json:"pushed"`  // the origin has the branch, too
	Refused string `json:"refused"` // why the origin did not take it, in its words; then the clone has it all the same
}

// Most names that Save tries, and most of them that Git refuses although they are free.
const (
	mostNames    = 1000
	mostRefusals = 3
)

// Save commits changes of the files of a commit onto a new branch, by the git program and the settings of the user, signed
// if these say so. If the name of the branch is taken, the branch gets a number. Nothing else of the clone changes: no
// other ref, not the index, no file. Before the branch is there, nothing refers to what was written.
func (w *Tree) Save(ctx context.Context, base string, changes []Change, message string, p DraftBranch) (Saved, error) {
	saved, err := w.commit(ctx, base, changes, message)
	if err != nil {
		return Saved{}, err
	}
	_, saved.Branch, err = w.branch(ctx, saved.Commit, p, 1)
	return saved, err
}

// commit commits changes of the files of a commit. Nothing refers to it yet.
func (w *Tree) commit(ctx context.Context, base string, changes []Change, message string) (Saved, error) {
	base, tree, objects, err := w.treeWith(ctx, base, changes)
	if err != nil {
		return Saved{}, err
	}
	if objects.Len() > 0 {
		if _, err := output(git.Program(ctx, w.Root, "unpack-objects", "-q"), string(objects.Pack())); err != nil {
			return Saved{}, err
		}
	}
	args := []string{"commit-tree", tree.String(), "-p", base, "-F", "-"}
	if sign, err := Line(ctx, w.Root, "config", "--type=bool", "--get", "commit.gpgsign"); err == nil && sign == "true" {
		args = append(args, "-S")
	}
	out, err := output(git.Program(ctx, w.Root, args...), message)
	if err != nil {
		return Saved{}, err
	}
	saved := Saved{Commit: strings.TrimSpace(string(out))}
	saved.Signed, err = w.signed(ctx, saved.Commit)
	return saved, err
}

// sameAt returns an error unless the files of a commit are as changes say that they were.
func (w *Tree) sameAt(ctx context.Context, commit string, changes []Change) error {
	files, err := w.Commit(ctx, commit)
	if err != nil {
		return err
	}
	for _, c := range changes {
		was, err := fs.ReadFile(files, c.Name)
		if c.Before == nil {
			if err == nil {
				return fmt.Errorf("%s exists in commit %s", c.Name, commit)
			}
			continue
		}
		if err != nil || !bytes.Equal(was, c.Before) {
			return fmt.Errorf("%s is another in commit %s", c.Name, commit)
		}
	}
	return nil
}

// mustBeNew is the commit of a branch that is not there.
const mustBeNew = "0000000000000000000000000000000000000000"

// branch makes a branch of a commit, with the first free name from the n-th on.
func (w *Tree) branch(ctx context.Context, commit string, p DraftBranch, from int) (n int, name string, err error) {
	var refused error
	failed := 0
	for n := from; n <= mostNames && failed < mostRefusals; n++ {
		p := p.numbered(n)
		if taken, err := w.taken(ctx, p); err != nil {
			return 0, "", err
		} else if taken {
			continue
		}
		_, err := Output(ctx, w.Root, "update-ref", "-m", "save a draft", p.ref(), commit, mustBeNew)
		if err == nil {
			return n, p.Branch(), nil
		}
		if taken, check := w.taken(ctx, p); check == nil && taken {
			continue // another saver was faster
		}
		refused, failed = err, failed+1 // the lock of a saver that was killed, or of somebody who may not write here
	}
	if refused == nil {
		refused = fmt.Errorf("%d branches have the name; choose another one", mostNames)
	}
	return 0, "", fmt.Errorf("save %s: %w", p.Branch(), refused)
}

// taken reports whether the branch, or one below its name, exists.
func (w *Tree) taken(ctx context.Context, p DraftBranch) (bool, error) {
	found, err := Line(ctx, w.Root, "for-each-ref", "--count=1", "--format=%(refname)", p.ref())
	return found != "", err
}
