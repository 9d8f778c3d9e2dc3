//go:build linux

// Command nodeagent keeps the quality of service that a plan promises to the
// workloads of one Linux node, by cgroups, with or without a cluster.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/nodeagent"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/pkg/text"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Exit codes.
const (
	exitOK     = 0
	exitDiffer = 1 // a plan or a knob was refused, or a dry run would write
	exitError  = 2
)

// maxComplaint bounds an error on the terminal, in bytes.
const maxComplaint = 64 << 10

// errDiffer ends a command with exitDiffer; what there is to say has been said.
var errDiffer = errors.New("differs or refused")

// run is the whole program.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return exitOK
	case errors.Is(err, errDiffer):
		return exitDiffer
	default:
		fmt.Fprintln(stderr, "nodeagent:", text.Lines(err.Error(), maxComplaint))
		return exitError
	}
}

func newRoot() *cobra.Command {
	var cfg nodeagent.Config
	root := &cobra.Command{
		Use:   "nodeagent",
		Short: "Enforce the quality of service that a plan promises to the workloads of this node",
		Long: `nodeagent writes the CPU and memory settings of a plan to the cgroups of this node
(v1, v2 or both) and keeps them in force. It works without a control plane: the last
good plan stays in force, also across restarts, until it is replaced or released.

Exit codes: 0 accepted or nothing to do, 1 differs or refused, 2 error.`,
		Version:      buildinfo.Read().String(),
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.PersistentFlags().StringVar(&cfg.Root, "cgroup-root", cgroup.Root, "directory of the cgroup file systems")
	root.PersistentFlags().StringVar(&cfg.StateDir, "state-dir", "/var/lib/d-aros/nodeagent", "directory of the journal, the last good plan and the status")
	root.AddCommand(newRun(&cfg), newProbe(&cfg), newStatus(&cfg), newRelease(&cfg), newRest(&cfg), newPublish(&cfg), newLaunch(), newVersion())
	return root
}
