package clone

import (
	"context"
	"strings"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/text"
)

// maxSubjects bounds how many commits one call looks up.
const maxSubjects = 500

// Subjects returns, by commit, the author and the subject line, safe to print: "Ann: grow the shop". Commits that the clone
// does not have are left out.
func Subjects(ctx context.Context, clone string, commits []string) map[string]string {
	args := []string{"log", "--no-walk=unsorted", "--ignore-missing", "--format=%H %an: %s", "--end-of-options"}
	asked := map[string]bool{}
	for _, commit := range commits {
		if _, ok := git.ParseHash(commit); ok && !asked[commit] && len(asked) < maxSubjects {
			asked[commit] = true
			args = append(args, commit)
		}
	}
	found := map[string]string{}
	if len(asked) == 0 {
		return found
	}
	out, err := Line(ctx, clone, args...)
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
