//go:build linux

package main

import (
	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/nodeagent"
)

func newRest(cfg *nodeagent.Config) *cobra.Command {
	return &cobra.Command{
		Use:   "rest",
		Short: "Put the values that follow the load to those for when nobody follows it",
		Long: `rest is for a service manager, after the agent has ended: what a workload was given
while others were busy may be too little for ever. An agent that is stopped does it
itself, and one that starts does it first. All other settings stay as they are.`,
		Example: "  ExecStopPost=/usr/local/bin/nodeagent rest",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			outcomes, err := nodeagent.Rest(*cfg)
			return report(cmd, outcomes, err)
		},
	}
}
