//go:build linux

package main

import (
	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/nodeagent"
	"github.com/d-aros/d-aros/pkg/nodeagent/process"
)

// newLaunch is for the agent itself, which starts programs with it.
func newLaunch() *cobra.Command {
	return &cobra.Command{
		Use:    nodeagent.LaunchCommand,
		Short:  "Become a program of the plan",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return process.Launch() },
	}
}
