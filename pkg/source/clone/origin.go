package clone

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/d-aros/d-aros/pkg/git"
)

// Origin returns the top directory of the clone that path lies in and the URL that it was cloned from. Both are empty if
// path is no clone: a URL, a bare repository, a repository without origin.
func Origin(ctx context.Context, path string) (top, origin string) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", ""
	}
	top, err := Line(ctx, path, "rev-parse", "--show-toplevel")
	if err != nil || top == "" {
		return "", ""
	}
	origin, err = Line(ctx, top, "remote", "get-url", "origin")
	if err != nil {
		return "", ""
	}
	if !strings.Contains(origin, ":") && !filepath.IsAbs(origin) {
		origin = filepath.Join(top, origin)
	}
	return top, origin
}

// CopyTracked adds a branch to a bare repository, which it makes if need be: the clone's remote-tracking branch of that name.
func CopyTracked(ctx context.Context, clone, branch, to string) error {
	if err := git.CheckRefName(branch); err != nil {
		return err
	}
	if _, err := Line(ctx, clone, "init", "--quiet", "--bare", to); err != nil {
		return err
	}
	_, err := Line(ctx, to, "fetch", "--quiet", "--no-tags", clone, "refs/remotes/origin/"+branch+":"+git.Branch(branch))
	return err
}
