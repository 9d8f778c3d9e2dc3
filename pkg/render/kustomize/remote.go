package kustomize

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// maxRemotes bounds the commits of other repositories that one application builds on.
const maxRemotes = 16

// pinned is the form of a base in another repository: one commit of it, and a directory.
var pinned = regexp.MustCompile(`^(https://[a-z0-9][a-z0-9.-]*(?::[0-9]{1,5})?(?:/[A-Za-z0-9_~][A-Za-z0-9._~-]*)+)(?://([A-Za-z0-9_.][A-Za-z0-9._/-]*))?\?ref=([0-9a-f]{40})$`)

// unpinned says what a reference to another repository looks like.
const unpinned = "looks like an address, and is not pinned; write https://HOST/REPOSITORY//DIRECTORY?ref=COMMIT with the 40 digits of a commit, or put a copy into the application's directory"

// remote reads a reference to a base in another repository. Other is false if ref is no address.
func remote(ref string) (p model.Pinned, dir string, other bool, err error) {
	if !strings.ContainsAny(ref, ":?") {
		return p, "", false, nil
	}
	m := pinned.FindStringSubmatch(ref)
	if m == nil || len(ref) > 1024 || strings.Contains(ref, "..") {
		return p, "", true, &build.RefusedError{Code: declared.CodeUnpinned, Message: unpinned}
	}
	return model.Pinned{Repository: m[1], Version: m[3]}, path.Clean("./" + m[2]), true, nil
}

// mount adds the files of another repository to the tree, under a name that no reference can
// have, and returns that.
func (t *tree) mount(p model.Pinned) (root string, err error) {
	root = p.String() + ":"
	if t.mounts[root] != nil {
		return root, nil
	}
	if len(t.mounts) == maxRemotes {
		return "", fmt.Errorf("is one of more than %d commits of other repositories", maxRemotes)
	}
	if t.outside == nil {
		return "", &build.AbsentError{Pinned: p, Why: "is not fetched here"}
	}
	files, err := t.outside(p)
	if err != nil {
		return "", err
	}
	if err := t.list(files, root); err != nil {
		return "", err
	}
	t.mounts[root] = files
	return root, nil
}

// rootOf returns where the repository begins that a path of the tree is in, "" for that of the
// application.
func (t *tree) rootOf(p string) string {
	for root := range t.mounts {
		if p == root || strings.HasPrefix(p, root+"/") {
			return root
		}
	}
	return ""
}

// target resolves a reference to another kustomization, or to a file.
func (w *writer) target(ref string) (string, error) {
	p, dir, other, err := remote(ref)
	if err != nil || !other {
		if err == nil {
			ref, err = w.tree.resolve(w.dir, ref)
		}
		return ref, err
	}
	root, err := w.tree.mount(p)
	if err != nil {
		return "", err
	}
	at, err := w.tree.resolve(root, dir)
	if err == nil && !w.tree.isDir(at) {
		err = errors.New("is not a directory of that commit")
	}
	return at, err
}
