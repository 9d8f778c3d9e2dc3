package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/view"
)

func newWhatIfCommand() *cobra.Command {
	var f caseFlags
	var head string
	var sets []string
	format := planFormat("text")
	cmd := &cobra.Command{
		Use:   "what-if",
		Short: "Show what other quotas, weights, priorities or capacity would do",
		Long: `What-if decides twice, on the fleet repo as it is and with some values changed, and shows
the differences as plan does. It writes nothing: commit a change to put it into force.

--set changes a value that Git declares, by the name that it has there:
  tenant.NAME.weight, .quota.cpu, .quota.memory, .quota.DEVICE, .quota.applications,
    .quota.workloads, .quota.priorityCeiling, .guarantee.cpu …, .borrow.cpu …, .lend.cpu …
  group.NAME.weight, .guarantee.cpu …, .quota.cpu …, .borrow.cpu …, .lend.cpu …
  application.TENANT/NAME.priority, .budget.costPerHour, .desired,
    .components.NAME.replicas, .resources.requests.cpu …, .degrade.minReplicas
--capacity changes the capacity of a pool. A value with + or - is added or subtracted.
The limits of the schema are not checked, so values that no commit may have can be tried.

The exit code is 0 if nothing changes, 1 if something does, 2 if an application would be
rejected or if what-if itself failed.`,
		Example: `  # would more quota help?
  reconciler what-if --set tenant.acme.quota.cpu=+16

  # what would the loss of four nodes do?
  reconciler what-if --capacity general.cpu=-32 --capacity general.memory=-128Gi

  # which applications give way if this one becomes important?
  reconciler what-if --set application.acme/shop.priority=500 -o json`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			answer, err := whatIf(cmd.Context(), &f, head, sets, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return endPlan(answer, cmd.OutOrStdout(), format)
		},
	}
	fl := cmd.Flags()
	f.add(fl)
	fl.StringVar(&head, "head", "", "branch or commit to start from (default: the files as they lie on disk)")
	fl.StringArrayVar(&sets, "set", nil, "`PATH=[+|-]VALUE` of a tenant, a group or an application; can be given several times")
	fl.VarP(&format, "output", "o", planUsage)
	return cmd
}

// whatIf compares the fleet with itself after some changes.
func whatIf(ctx context.Context, f *caseFlags, head string, sets []string, progressTo io.Writer) (*view.Plan, error) {
	if len(sets)+len(f.capacity) == 0 {
		return nil, errors.New("what if what? give --set or --capacity, for example --set tenant.acme.quota.cpu=+16")
	}
	edits, err := parseCapacity(f.capacity)
	if err != nil {
		return nil, err
	}
	o, err := f.open(ctx, progressTo)
	if err != nil {
		return nil, err
	}
	defer o.close()
	was, err := o.head(ctx, head)
	if err != nil {
		return nil, err
	}
	is := *was
	is.name = "with these changes"
	is.commit = was.commit
	for _, text := range sets {
		c, err := parseSetting(text)
		if err != nil {
			return nil, err
		}
		if err := c.apply(&is.fleet); err != nil {
			return nil, err
		}
	}
	answer, err := o.compare(was, &is, nil, edits)
	if err == nil {
		answer.After = view.Side{Name: is.name}
	}
	return answer, err
}
