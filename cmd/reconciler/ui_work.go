package main

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/dashboard"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
)

const (
	workCommand = "ui-work"

	// maxWorkers is how many questions of the dashboard are answered at a time.
	maxWorkers = 2

	// maxEvaluatorMemory is what the children may use together that evaluate one answer.
	maxEvaluatorMemory = 1 << 30
)

// newUIWorkCommand is the hidden command of the child processes of ui. Those of its flags that ui was given are passed on.
func newUIWorkCommand() *cobra.Command {
	var from ledgerFlags
	var of fleetFlags
	var base string
	cmd := hiddenCommand(workCommand, "Answer the questions of a dashboard on standard input", func(cmd *cobra.Command, _ []string) error {
		return dashboard.Work(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), func() (*dashboard.Desk, error) { return openDesk(cmd, &from, &of, base) })
	})
	fl := cmd.Flags()
	from.add(fl)
	of.add(fl)
	addUIBase(fl, &base)
	return cmd
}

func addUIBase(fl *pflag.FlagSet, base *string) {
	fl.StringVar(base, "base", "main", "branch that the heads of the clone are compared with")
}

// openWorkers prepares the processes that answer questions about a clone.
func openWorkers(cmd *cobra.Command) (all []dashboard.Worker, end func(), err error) {
	command, err := childCommand(workCommand)
	if err != nil {
		return nil, nil, err
	}
	known := newUIWorkCommand().Flags()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if known.Lookup(f.Name) != nil {
			command = append(command, "--"+f.Name+"="+f.Value.String())
		}
	})
	var open []*dashboard.Process
	for range maxWorkers {
		p := dashboard.NewProcess(cmd.Context(), command)
		open, all = append(open, p), append(all, p)
	}
	return all, func() {
		for _, p := range open {
			p.Close()
		}
	}, nil
}

// openDesk opens what a worker answers from. Evaluators start when they are needed, and all ends with the process.
func openDesk(cmd *cobra.Command, from *ledgerFlags, of *fleetFlags, base string) (*dashboard.Desk, error) {
	ctx := cmd.Context()
	r, err := from.connect(cmd, func(b *status.Branch) (exists bool, err error) {
		_, err = b.Load(ctx)
		return true, err // the branch may come later
	})
	if err != nil {
		return nil, err
	}
	tree, err := clone.Open(ctx, from.repo)
	if err != nil {
		return nil, err
	}
	o, err := of.options(ctx, io.Discard)
	if err != nil {
		return nil, err
	}
	var worked atomic.Int64
	o.Memory = maxEvaluatorMemory
	o.Worked = func(work time.Duration) { worked.Add(int64(work)) }
	desk := &dashboard.Desk{
		Branch: &uiBranch{reader: r, name: from.branch, doubt: func(string) string { return "" }}, // the server marks what nobody vouches for
		Worked: func() time.Duration { return time.Duration(worked.Load()) },
		Plans:  &uiPlans{tree: tree, options: o, base: base, status: from.branch},
	}
	c := offline.Case{Tree: tree, StatusBranch: from.branch}
	if desk.Questions, err = offline.OpenBase(ctx, o, c, ""); err == nil && tree.Git {
		desk.Drafts, err = offline.OpenBase(ctx, o, c, "HEAD")
	}
	return desk, err
}

// uiPlans plans what the heads of a clone would do to the branch that declares the fleet.
type uiPlans struct {
	tree         *clone.Tree
	options      offline.Options
	base, status string
}

// Plan returns what the merge of a head would do. Evaluators of its own make it, so what is held for other questions stays.
func (p *uiPlans) Plan(ctx context.Context, recorded offline.Recorded, now time.Time, head string) (plan.Comparison, error) {
	c := offline.Case{Tree: p.tree, StatusBranch: p.status, Elsewhere: &recorded, Now: now}
	return offline.Plan(ctx, p.options, c, p.base, head)
}
