package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/evaluate/pool"
	"github.com/d-aros/d-aros/pkg/offline"
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

// childCommand starts this program as a child of a pool.
func childCommand() ([]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return []string{program, evaluateCommand}, nil
}

// fleetFlags say which objects a fleet has in the cluster.
type fleetFlags struct{ fleet, prefix string }

func (f *fleetFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.fleet, "fleet", "fleet", "name of the fleet, as given to run")
	fl.StringVar(&f.prefix, "namespace-prefix", "", "prefix of every namespace, as given to run")
}

// options say how the commands that need no cluster evaluate a fleet.
func (f *fleetFlags) options(progressTo io.Writer) (offline.Options, error) {
	child, err := childCommand()
	return offline.Options{
		Child: child, Answers: answersDir(), Fleet: f.fleet, Prefix: f.prefix,
		Progress: func(what string, steps int) (step, end func()) {
			p := newProgress(progressTo, what, steps)
			return p.step, p.end
		},
	}, err
}

// answersDir keeps answers from one command to the next. It is not the directory of run, which may be of another build
// and would be emptied.
func answersDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "" // nothing is kept where others could write
	}
	return filepath.Join(dir, "d-aros", "vet")
}
