// Command demo runs the main job of D-AROS before your eyes: a fleet repo, a
// Kubernetes API and the reconciler between them, a change that arrives and one
// that is refused. It plays a story and checks that everything in it came out as
// expected; it decides nothing itself and shows nothing that the real commands
// and the real cluster do not say.
//
//	go run ./test/demo            run it and stay up for exploring
//	go run ./test/demo --once     end; exit code 0 only if every expectation held
//	go run ./test/demo down       stop it and remove what it made
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const usage = `The demo runs the main job: it makes a fleet repo from examples/repo, runs the
reconciler on it, and shows what becomes of the fleet, of a change, and of a change
that breaks a rule.

It uses the cluster of $KUBECONFIG; without one it starts its own, which needs a few
minutes for the first build of Kubernetes and seconds later.

Usage:
  go run ./test/demo [flags]     run the demo; a run that is still up is stopped first
  go run ./test/demo down        stop it and remove what it made

Flags:
`

// errExpectations says that the story came out otherwise than expected.
var errExpectations = errors.New("not every expectation held")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errExpectations):
		os.Exit(1)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "demo: stopped")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprint(out, usage)
		flags.PrintDefaults()
	}
	once := flags.Bool("once", false, "end when the story is told; exit code 1 unless every expectation held")
	dir := flags.String("dir", "", "directory of the run (default .demo in the checkout)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	root, err := checkout(ctx)
	if err != nil {
		return err
	}
	place, err := newPlace(root, *dir)
	if err != nil {
		return err
	}
	switch command := flags.Arg(0); {
	case flags.NArg() == 0:
	case command == "down" && flags.NArg() == 1:
		return down(ctx, place, out)
	default:
		return fmt.Errorf("%q is no command; there is only down", command)
	}
	if err := place.take(ctx, out); err != nil {
		return err
	}
	defer place.leave()
	d := &demo{place: place, out: out, once: *once}
	defer d.stop()
	err = d.run(ctx)
	if ctx.Err() != nil && err != nil {
		return ctx.Err() // whatever else went wrong did so because of that
	}
	return err
}
