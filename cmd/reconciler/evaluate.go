package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/evaluate/pool"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/source/pinned"
)

const evaluateCommand = "evaluate"

// newEvaluateCommand is the hidden command of the child processes that evaluate.
func newEvaluateCommand() *cobra.Command {
	return hiddenCommand(evaluateCommand, "Answer the requests of a pool on standard input", func(cmd *cobra.Command, _ []string) error {
		log.SetOutput(io.Discard) // Helm's warnings repeat values, and the pool reads here why a child ended
		return pool.Child(cmd.InOrStdin(), cmd.OutOrStdout())
	})
}

// hiddenCommand returns a command that only this program starts.
func hiddenCommand(use, short string, run func(*cobra.Command, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Hidden: true, Args: cobra.NoArgs, RunE: run}
}

// executable finds this program. Tests name the one that the race detector does not watch.
var executable = os.Executable

// childCommand returns the command line of a child of this program.
func childCommand(hidden string) ([]string, error) {
	program, err := executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return []string{program, hidden}, nil
}

// fleetFlags name the fleet as the reconciler names it in the cluster.
type fleetFlags struct {
	fleet, prefix string
	fetch         bool
	credentials   string
}

func (f *fleetFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.fleet, "fleet", "fleet", "name of the fleet, as given to run")
	fl.StringVar(&f.prefix, "namespace-prefix", "", "prefix of every namespace, as given to run")
	f.addFetch(fl)
}

func (f *fleetFlags) addFetch(fl *pflag.FlagSet) {
	fl.BoolVar(&f.fetch, "fetch", false, "fetch what applications name by commits of other repositories, from hosts that policy allows")
	addCredentials(fl, &f.credentials)
}

// addCredentials adds the flag of the directory with credentials for what is fetched.
func addCredentials(fl *pflag.FlagSet, dir *string) {
	fl.StringVar(dir, "fetch-credentials", "", "directory with a file HOST, or TENANT/HOST, of one line USER:TOKEN for each host that other repositories are fetched from with credentials")
}

// options returns how a command without a cluster evaluates a fleet.
func (f *fleetFlags) options(ctx context.Context, progressTo io.Writer) (offline.Options, error) {
	child, err := childCommand(evaluateCommand)
	outside := pinned.Kept(pinnedDir(defaultStateDir()))
	if f.fetch {
		outside = pinned.Open(ctx, pinned.Options{Dir: pinnedDir(defaultStateDir()), Now: true, Dial: outbound.Reach{}.Dial, Credentials: f.credentials})
	}
	return offline.Options{
		Child: child, Answers: answersDir(), Fleet: f.fleet, Prefix: f.prefix, Outside: outside.Files,
		Progress: func(what string, steps int) (step, end func()) {
			p := newProgress(progressTo, what, steps)
			return p.step, p.end
		},
	}, err
}

// answersDir is the cache of evaluations. It differs from the one of run: a program of another build empties the cache.
func answersDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "" // others could write to any other directory
	}
	return filepath.Join(dir, "d-aros", "vet")
}
