// Command reconciler runs the applications that a fleet repo declares, and shows from its status branch which
// applications run and why.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	_ "golang.org/x/crypto/x509roots/fallback" // the image has no file of certificate authorities

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/text"
)

// present is the clock of all commands but run. Test scripts stop it.
var present = time.Now

// Exit codes besides 0, which means nothing to do, or accepted.
const (
	exitDiffers = 1 // something differs or was refused
	exitError   = 2
)

// maxErrorText limits an error on the terminal, in bytes.
const maxErrorText = 64 << 10

// exitCode is an error that ends the command with a certain code. An empty message is not printed.
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

// run is the whole program: it parses args, runs the command and returns the exit code.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	root := newRoot(out, errOut)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	var exit *exitCode
	switch {
	case err == nil:
		return 0
	case !cmd.HasParent(): // cobra found no command
		err = fmt.Errorf("%s\n\"reconciler --help\" lists the commands", strings.TrimSpace(err.Error()))
	case errors.As(err, &exit):
		if exit.message != "" {
			printError(errOut, exit.message)
		}
		return exit.code
	}
	printError(errOut, err.Error())
	return exitError
}

// printError prints an error, which may contain text of Git, the cluster or the network.
func printError(errOut io.Writer, message string) {
	fmt.Fprintln(errOut, "reconciler:", text.Lines(message, maxErrorText))
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
	root.AddCommand(newRunCommand(), newStatusCommand(), newExplainCommand(), newHistoryCommand(), newEventsCommand(), newCompactCommand(), newMigrateCommand(), newRestoreCommand(), newOrphansCommand())
	root.AddCommand(newInitCommand(), newVetCommand(), newSchemaCommand(), newNewCommand(), newPinCommand(), newUnpinCommand(), newConfirmRemovalCommand(), newMergeCommand(), newReviewCommand(), newCodeownersCommand())
	root.AddCommand(newPlanCommand(), newWhatIfCommand(), newReplayCommand(), newRenderCommand(), newDiffCommand(), newUICommand(), newImportCommand())
	root.AddCommand(newRequestCommands()...)
	root.AddCommand(newVersionCommand(), newEvaluateCommand(), newModuleCommand(), newUIWorkCommand())
	for _, cmd := range root.Commands() {
		if cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		sayUsage(cmd)
	}
	return root
}
