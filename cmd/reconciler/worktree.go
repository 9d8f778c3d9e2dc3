package main

import (
	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/source/clone"
)

// inWorkTree runs a command on the fleet repo that its argument belongs to, by
// default the present directory.
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
