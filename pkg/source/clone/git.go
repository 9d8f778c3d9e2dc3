package clone

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/text"
)

// Output runs git in a directory of the user and returns its standard output. If git fails, the error has the text
// of its standard error.
func Output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	out, err := git.Program(ctx, dir, args...).Output()
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
