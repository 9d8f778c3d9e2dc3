package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
)

// inWorkTree runs a command on the fleet repo that contains the directory of its argument, by default the current one.
func inWorkTree(do func(*cobra.Command, *clone.Tree) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		dir := "."
		if len(args) > 0 {
			dir = args[0]
		}
		w, err := clone.Open(cmd.Context(), dir)
		if err != nil {
			return err
		}
		defer w.Close()
		return do(cmd, w)
	}
}

// completeDirectory makes shells complete directories.
func completeDirectory(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// vetTree checks the files of a work tree as the reconciler would.
func vetTree(cmd *cobra.Command, w *clone.Tree) (offline.Verdict, error) {
	files, err := w.Files(cmd.Context())
	if err != nil {
		return offline.Verdict{}, err
	}
	return vetFiles(cmd.Context(), w, files, cmd.ErrOrStderr())
}

// vetFiles checks files as if they were those of the work tree.
func vetFiles(ctx context.Context, w *clone.Tree, files *clone.Files, progressTo io.Writer) (offline.Verdict, error) {
	o, err := (&fleetFlags{fleet: "fleet"}).options(progressTo)
	if err != nil {
		return offline.Verdict{}, err
	}
	return offline.Vet(ctx, o, w, files, present())
}

// commitFiles commits files that were written or removed and nothing else, signed if git is told to. It returns the commit and
// whether that has a signature.
func commitFiles(ctx context.Context, w *clone.Tree, message string, files ...string) (commit string, signed bool, err error) {
	paths := []string{"commit", "--quiet", "--message", message, "--only", "--"}
	for _, f := range files {
		literal := ":(literal)" + f
		if _, err := w.Top.Lstat(filepath.FromSlash(f)); err == nil {
			if _, err := clone.Output(ctx, w.Root, "add", "--intent-to-add", "--", literal); err != nil {
				return "", false, notCommitted(files, err)
			}
		} else if known, err := clone.Line(ctx, w.Root, "ls-files", "--", literal); err != nil || known == "" {
			continue // it never was in Git
		}
		paths = append(paths, literal)
	}
	if _, err := clone.Output(ctx, w.Root, paths...); err != nil {
		return "", false, notCommitted(files, err)
	}
	if commit, err = clone.Line(ctx, w.Root, "rev-parse", "HEAD"); err != nil {
		return "", false, err
	}
	content, err := clone.Output(ctx, w.Root, "cat-file", "commit", commit)
	header, _, _ := strings.Cut(string(content), "\n\n")
	return commit, strings.Contains(header, "\ngpgsig "), err
}

func notCommitted(files []string, err error) error {
	return fmt.Errorf("%s is written but not committed: %w", text.Enumerate(files, 5), err)
}
