package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// repo is the fleet repo of the demo: a bare one, as on a Git host, and the clone
// of somebody who works on it.
type repo struct {
	bare, clone string
}

// git runs git without the settings of whoever runs the demo.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_PAGER=cat",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, errOut.String())
	}
	return strings.TrimRight(string(out), "\n"), nil
}

// newRepo makes the repo with its first commit: the example fleet.
func newRepo(ctx context.Context, p *place) (*repo, error) {
	r := &repo{bare: p.path("fleet.git"), clone: p.path("fleet")}
	if _, err := git(ctx, p.dir, "init", "--quiet", "--bare", "--initial-branch=main", r.bare); err != nil {
		return nil, err
	}
	if _, err := git(ctx, p.dir, "-c", "init.defaultBranch=main", "clone", "--quiet", r.bare, r.clone); err != nil {
		return nil, err
	}
	return r, os.CopyFS(r.clone, os.DirFS(filepath.Join(p.root, "examples", "repo")))
}

// replace changes the nth occurrence, from 1, of some text in a file.
func (r *repo) replace(file, old, with string, nth int) error {
	path := filepath.Join(r.clone, file)
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, at := string(b), 0
	for range nth {
		i := strings.Index(text[at:], old)
		if i < 0 {
			return fmt.Errorf("edit %s: %q does not occur %d times", file, old, nth)
		}
		at += i + len(old)
	}
	return os.WriteFile(path, []byte(text[:at-len(old)]+with+text[at:]), 0o644)
}

// commit commits what the clone holds and returns the commit.
func (r *repo) commit(ctx context.Context, message string) (string, error) {
	if _, err := git(ctx, r.clone, "add", "--all"); err != nil {
		return "", err
	}
	if _, err := git(ctx, r.clone, "commit", "--quiet", "-m", message); err != nil {
		return "", err
	}
	return git(ctx, r.clone, "rev-parse", "HEAD")
}

func (r *repo) push(ctx context.Context) error {
	_, err := git(ctx, r.clone, "push", "--quiet", "origin", "HEAD:main")
	return err
}
