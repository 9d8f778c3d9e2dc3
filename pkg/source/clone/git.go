package clone

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/text"
)

// command returns the git program, to be run in a directory of the user.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	// Git tells its hooks which repository and index it is writing. The directory decides, not these.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}, name)
	})
	return cmd
}

// Output runs git in a directory of the user and returns its standard output. If git fails, the error has the text
// of its standard error.
func Output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	out, err := command(ctx, dir, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if said := strings.TrimPrefix(text.Clean(string(exit.Stderr)), "fatal: "); said != "" {
			err = errors.New(said)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}

// Line is Output without the white space around it.
func Line(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := Output(ctx, dir, args...)
	return strings.TrimSpace(string(out)), err
}
