package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/evaluate/pool"
)

const evaluateCommand = "evaluate"

// newEvaluateCommand is what run starts for itself.
func newEvaluateCommand() *cobra.Command {
	return &cobra.Command{
		Use:    evaluateCommand,
		Short:  "Answer the requests of a pool on standard input",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return pool.Child(cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

// openPool returns the pool whose children are this program, and which keeps
// their answers in dir.
func openPool(ctx context.Context, dir string) (*pool.Pool, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return pool.Open(ctx, pool.Options{Command: []string{program, evaluateCommand}, Dir: dir})
}
