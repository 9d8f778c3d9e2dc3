package main

import (
	"context"
	"errors"
	"fmt"
	"os"
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
	if err := announced(ctx, c.dir); err != nil {
		return c, err
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

// announced checks that the changelog has a section for each version that the commit is tagged with.
func announced(ctx context.Context, dir string) error {
	tags, err := git(ctx, dir, "tag", "--list", "v*", "--points-at", "HEAD")
	if err != nil {
		return err
	}
	changelog, err := os.ReadFile(filepath.Join(dir, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	for tag := range strings.FieldsSeq(tags) {
		if !strings.Contains(string(changelog), "\n## ["+tag+"] - ") {
			return fmt.Errorf("CHANGELOG.md has no section \"## [%s] - DATE\": give the section \"Unreleased\" this title, and tag that commit", tag)
		}
	}
	return nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}
