package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
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
func vetTree(cmd *cobra.Command, w *clone.Tree, of *fleetFlags) (offline.Verdict, error) {
	files, err := w.Files(cmd.Context())
	if err != nil {
		return offline.Verdict{}, err
	}
	return vetFiles(cmd.Context(), w, files, of, cmd.ErrOrStderr())
}

// vetFiles checks files as if they were those of the work tree.
func vetFiles(ctx context.Context, w *clone.Tree, files *clone.Files, of *fleetFlags, progressTo io.Writer) (offline.Verdict, error) {
	o, err := of.options(ctx, progressTo)
	if err != nil {
		return offline.Verdict{}, err
	}
	return offline.Vet(ctx, o, w, files, present())
}

// messageOf returns a commit message with the paragraphs that say something.
func messageOf(subject string, paragraphs ...string) string {
	message := subject + "\n"
	for _, p := range paragraphs {
		if p = strings.TrimSpace(p); p != "" {
			message += "\n" + p + "\n"
		}
	}
	return message
}

// withSelection reads the argument of a command about the fleet, a tenant or an application.
func withSelection(do func(*cobra.Command, view.Selection) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		selected, err := view.ParseSelection(args...)
		if err != nil {
			return err
		}
		return do(cmd, selected)
	}
}
