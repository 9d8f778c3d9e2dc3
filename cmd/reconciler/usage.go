package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// sayUsage has errors in the arguments of a command, and of those below it, end with how it is used: the error alone says
// that something is missing, and not what.
func sayUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return misused(cmd, check(cmd, args)) }
	}
	cmd.SetFlagErrorFunc(misused)
	for _, sub := range cmd.Commands() {
		sayUsage(sub)
	}
}

// misused returns an error in the arguments of a command with the form that it has, and nil for nil.
func misused(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w; usage: %s (%q tells more)", err, cmd.UseLine(), cmd.CommandPath()+" --help")
}
