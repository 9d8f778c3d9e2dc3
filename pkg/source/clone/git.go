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
	return output(git.Program(ctx, dir, args...), "")
}

// output is Output of a program that is prepared, with something on its standard input.
func output(cmd *exec.Cmd, input string) ([]byte, error) {
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if said := strings.TrimPrefix(text.Clean(string(exit.Stderr)), "fatal: "); said != "" {
			err = errors.New(said)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", subcommand(cmd.Args), err)
	}
	return out, nil
}

// Line is Output without the white space around it.
func Line(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := Output(ctx, dir, args...)
	return strings.TrimSpace(string(out)), err
}

// subcommand returns what git is to do.
func subcommand(args []string) string {
	for i := 1; i < len(args); i++ {
		if args[i] == "-C" || args[i] == "-c" {
			i++
			continue
		}
		return args[i]
	}
	return ""
}

// chomp returns what a program printed without the end of its last line.
func chomp(out []byte) string { return strings.TrimSuffix(string(out), "\n") }
