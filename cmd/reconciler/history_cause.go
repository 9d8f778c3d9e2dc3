package main

import (
	"context"
	"strings"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// causes returns, by source commit, who made it and how they called it, as far
// as the clone that the command runs in knows the commits. The status branch
// names commits only: what people write does not get there.
func causes(ctx context.Context, clone string, entries []view.HistoryEntry) map[string]string {
	args := []string{"log", "--no-walk=unsorted", "--ignore-missing", "--format=%H %an: %s", "--end-of-options"}
	asked := map[string]bool{}
	for _, e := range entries {
		for _, t := range e.Transitions {
			if _, ok := git.ParseHash(t.Commit); ok && !asked[t.Commit] && len(asked) < 500 {
				asked[t.Commit] = true
				args = append(args, t.Commit)
			}
		}
	}
	found := map[string]string{}
	if clone == "" || len(asked) == 0 {
		return found
	}
	out, err := gitLine(ctx, clone, args...)
	if err != nil {
		return found
	}
	for line := range strings.Lines(out) {
		commit, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		if asked[commit] {
			found[commit] = text.Clean(subject)
		}
	}
	return found
}
