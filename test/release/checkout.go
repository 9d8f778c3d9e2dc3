package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A checkout is a work tree without changes.
type checkout struct {
	dir    string
	commit string
	time   time.Time // of the commit; everything in the release has it
}

func openCheckout(ctx context.Context, dir string) (c checkout, err error) {
	if c.dir, err = filepath.Abs(dir); err != nil {
		return c, err
	}
	changes, err := git(ctx, c.dir, "status", "--porcelain")
	if err != nil {
		return c, err
	}
	if changes != "" {
		first, rest, _ := strings.Cut(changes, "\n")
		if rest != "" {
			first += ", …"
		}
		return c, fmt.Errorf("the work tree %s differs from its commit (%s): commit or stash the changes, then start again", c.dir, strings.TrimSpace(first))
	}
	if c.commit, err = git(ctx, c.dir, "rev-parse", "HEAD"); err != nil {
		return c, err
	}
	at, err := git(ctx, c.dir, "show", "--no-patch", "--format=%cI", "HEAD")
	if err != nil {
		return c, err
	}
	c.time, err = time.Parse(time.RFC3339, at)
	c.time = c.time.UTC()
	return c, err
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}
