package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
)

// exitRefused is the exit code of plan and what-if when the change would be refused.
const exitRefused = 2

func newPlanCommand() *cobra.Command {
	var f caseFlags
	var base, head string
	var cluster clusterFlags
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Show what a change of the fleet repo would do to all tenants",
		Long: `Plan evaluates the fleet repo without and with a change, decides on both as the reconciler
would, and shows the differences: the applications of each tenant that would be admitted,
rejected, degraded, evicted or made to wait, their grants, the price per hour, the workflow
runs that begin, and the objects that change. It needs no cluster and no network.

The change is the difference between --head, or the work tree, and the commit at which it
branched off --base. The running applications and the capacity of the pools are read from
the status branch as last fetched. If nothing else happens before the merge, the reconciler
then writes the same decisions, byte for byte.

With --kubeconfig it also reads, and never changes, the objects that the change wants in that
cluster and in those of --cluster: notes name those that others made, their owners, the fields that differ, and whether
the application takes them over (application.adopt) or is refused.

With --settle it shows the passes after the merge, too, until nothing changes any more: what
is evicted ends, what is admitted becomes ready, and holds and minimum run times pass. Then it
compares the end states of both sides.

With --base none there is nothing before the change: everything that it declares is new,
and nothing runs.

The exit code is 0 if nothing changes, 1 if something does, and 2 if the change would be
refused, because it has an error or an application is rejected because of it. The exit
code is 2 also if plan itself failed.`,
		Example: `  # what would the files as they lie on disk change?
  git fetch origin status
  reconciler plan

  # a pull request, as a comment
  reconciler plan --base main --head HEAD -o markdown > plan.md

  # does what gives way come back, and in which order?
  reconciler plan --settle

  # for programs
  reconciler plan -o json | jq -r '.applications[] | "\(.application) \(.effect)"'

  # a new fleet, before there is a cluster
  reconciler plan --base none --capacity general.cpu=64 --capacity general.memory=256Gi`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd, func(o offline.Options, c offline.Case) (plan.Comparison, error) {
				if cluster.kubeconfig != "" || cluster.context != "" {
					clusters, err := cluster.all()
					if err != nil {
						return plan.Comparison{}, err
					}
					for _, named := range clusters {
						carrier, err := kubernetes.New(named.Config, kubernetes.Options{Fleet: o.Fleet, Cluster: named.name})
						if err != nil {
							return plan.Comparison{}, err
						}
						defer carrier.Close()
						c.Clusters = append(c.Clusters, offline.Cluster{Name: named.name, Others: carrier.Others})
					}
				}
				return offline.Plan(cmd.Context(), o, c, base, head)
			})
		},
	}
	fl := cmd.Flags()
	f.add(fl)
	f.addSettle(fl)
	fl.StringVar(&base, "base", "main", "branch that the change is for, or any commit; none: all is new")
	fl.StringVar(&head, "head", "", "branch or commit with the change (default: the files as they lie on disk)")
	fl.StringVar(&cluster.kubeconfig, "kubeconfig", "", "kubeconfig file of a cluster: tell what others made of the objects that it is to have")
	fl.StringVar(&cluster.context, "context", "", "the same with a context of the kubeconfig (default: its current one)")
	cluster.addFurther(fl)
	return withOutput(cmd, "text, markdown, json or yaml")
}

// caseFlags are the inputs of plan and what-if besides the change.
type caseFlags struct {
	fleetFlags
	repo, statusRepo, statusBranch, now string
	capacity                            []string
	settle                              bool
}

func (f *caseFlags) add(fl *pflag.FlagSet) {
	f.addPlaces(fl)
	fl.StringVar(&f.now, "now", "", "decide as of this `TIME`, such as 2026-05-01T12:00:00Z (default: now)")
	fl.StringArrayVar(&f.capacity, "capacity", nil, "capacity of a pool, `POOL.RESOURCE=[+|-]AMOUNT`, such as general.cpu=+64; can be given several times")
}

// addPlaces adds the flags that say which fleet it is, and where its files and its status branch are.
func (f *caseFlags) addPlaces(fl *pflag.FlagSet) {
	fl.StringVar(&f.repo, "repo", ".", "clone of the fleet repo")
	fl.StringVar(&f.statusRepo, "status-repo", "", "repo of the status branch, where it is not in the fleet repo: a URL, a bare repo, or a clone")
	fl.StringVar(&f.statusBranch, "status-branch", "status", "status branch of the clone, as last fetched")
	f.fleetFlags.add(fl)
}

func (f *caseFlags) addSettle(fl *pflag.FlagSet) {
	fl.BoolVar(&f.settle, "settle", false, "go on, round by round, until nothing changes any more, and compare the end states")
}

// run makes a comparison, prints it and ends the command with its exit code.
func (f *caseFlags) run(cmd *cobra.Command, compare func(offline.Options, offline.Case) (plan.Comparison, error)) error {
	return f.open(cmd, func(o offline.Options, c offline.Case) error {
		made, err := compare(o, c)
		if err != nil {
			return err
		}
		answer := view.PlanOf(made)
		err = writePlan(cmd, &answer)
		if err == nil && answer.Result == plan.ResultRefused {
			return &exitCode{code: exitRefused}
		}
		return orDiffers(err, answer.Result == plan.ResultChanges)
	})
}

// open reads the inputs of a case, and lets do work with them.
func (f *caseFlags) open(cmd *cobra.Command, do func(offline.Options, offline.Case) error) error {
	c := offline.Case{StatusBranch: f.statusBranch, Now: present().UTC().Round(0), Settle: f.settle}
	var err error
	if f.now != "" {
		if c.Now, err = time.Parse(time.RFC3339Nano, f.now); err != nil {
			return fmt.Errorf("--now %s is no time; write it like %s", f.now, present().UTC().Format(time.RFC3339))
		}
	}
	if c.Capacity, err = offline.ParseCapacity(f.capacity); err != nil {
		return err
	}
	if c.Tree, err = clone.Open(cmd.Context(), f.repo); err != nil {
		return err
	}
	defer c.Tree.Close()
	if f.statusRepo != "" {
		from := ledgerFlags{repo: f.statusRepo, branch: f.statusBranch}
		r, ledger, err := from.open(cmd)
		if err != nil {
			return err
		}
		c.Elsewhere = &offline.Recorded{Commit: r.branch.Tip(), Ledger: ledger}
		r.close()
	}
	o, err := f.options(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	return do(o, c)
}
