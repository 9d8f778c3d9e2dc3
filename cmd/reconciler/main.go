// Command reconciler runs the applications that a fleet repo declares, and tells
// from its status branch what runs and why.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	_ "golang.org/x/crypto/x509roots/fallback" // the image has no file of certificate authorities

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/text"
)

// present is the clock of the commands that read and judge; run has a real one.
// Scripts of tests stop it.
var present = time.Now

// Exit codes besides 0, which means nothing to do, or accepted.
const (
	exitDiffers = 1 // something differs or was refused
	exitError   = 2
)

// maxComplaint bounds an error on the terminal, in bytes: some list all that is wrong.
const maxComplaint = 64 << 10

// exitCode is an error that ends the command with a code of its own. Its message
// has been printed already when it is empty.
type exitCode struct {
	code    int
	message string
}

func (e *exitCode) Error() string { return e.message }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program: it parses args, carries the command out and returns
// the exit code.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	root := newRoot(out, errOut)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var exit *exitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		if exit.message != "" {
			complain(errOut, exit.message)
		}
		return exit.code
	}
	complain(errOut, err.Error())
	return exitError
}

// complain prints an error, which may repeat what Git, the cluster or the network says.
func complain(errOut io.Writer, message string) {
	fmt.Fprintln(errOut, "reconciler:", text.Lines(message, maxComplaint))
}

func newRoot(out, errOut io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "reconciler",
		Short: "Run the applications that a Git repo declares, and explain each decision",
		Long: `reconciler runs the applications that a fleet repo declares. It decides which applications
run, with how many replicas and in which order, and writes each decision with its reason
to the status branch of the same repo.`,
		Version:       buildinfo.Read().String(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(out)
	root.SetErr(errOut)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newRunCommand(), newStatusCommand(), newExplainCommand(), newHistoryCommand(), newEventsCommand(), newCompactCommand(), newMigrateCommand())
	root.AddCommand(newInitCommand(), newVetCommand(), newSchemaCommand(), newPinCommand(), newUnpinCommand(), newCodeownersCommand())
	root.AddCommand(newPlanCommand(), newWhatIfCommand(), newReplayCommand())
	root.AddCommand(newRequestCommands()...)
	root.AddCommand(newVersionCommand(), newEvaluateCommand())
	for _, cmd := range root.Commands() {
		if cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
	return root
}
