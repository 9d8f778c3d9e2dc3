package main

import (
	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/runtime/wasm"
)

const moduleCommand = "module"

// newModuleCommand is the hidden command of the child processes that run WebAssembly modules.
func newModuleCommand() *cobra.Command {
	return &cobra.Command{
		Use:    moduleCommand,
		Short:  "Run the module on standard input",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return wasm.Launch(cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}
