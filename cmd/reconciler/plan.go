package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/view"
)

// exitRefused is the exit code of plan and what-if when the change would be refused.
const exitRefused = 2

func newPlanCommand() *cobra.Command {
	var f caseFlags
	var base, head string
	format := planFormat("text")
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

The exit code is 0 if nothing changes, 1 if something does, and 2 if the change would be
refused, because it has an error or an application is rejected because of it. The exit
code is 2 also if plan itself failed.`,
		Example: `  # what would the files as they lie on disk change?
  git fetch origin status
  reconciler plan

  # a pull request, as a comment
  reconciler plan --base main --head HEAD -o markdown > plan.md

  # for programs
  reconciler plan -o json | jq -r '.applications[] | "\(.application) \(.effect)"'

  # before there is a cluster
  reconciler plan --capacity general.cpu=64 --capacity general.memory=256Gi`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			answer, err := makePlan(cmd.Context(), &f, base, head, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return endPlan(answer, cmd.OutOrStdout(), format)
		},
	}
	fl := cmd.Flags()
	f.add(fl)
	fl.StringVar(&base, "base", "main", "branch that the change is for, or any commit")
	fl.StringVar(&head, "head", "", "branch or commit with the change (default: the files as they lie on disk)")
	fl.VarP(&format, "output", "o", planUsage)
	return cmd
}

// makePlan compares a change with what it is based on.
func makePlan(ctx context.Context, f *caseFlags, base, head string, progressTo io.Writer) (*view.Plan, error) {
	edits, err := parseCapacity(f.capacity)
	if err != nil {
		return nil, err
	}
	o, err := f.open(ctx, progressTo)
	if err != nil {
		return nil, err
	}
	defer o.close()
	is, err := o.head(ctx, head)
	if err != nil {
		return nil, err
	}
	was, err := o.base(ctx, base, is)
	if err != nil {
		return nil, err
	}
	if err := o.noteRefusals(ctx, base, is); err != nil {
		return nil, err
	}
	return o.compare(was, is, edits, edits)
}

// compare decides on two sides and returns the difference.
func (o *offline) compare(was, is *side, wasEdits, isEdits []capacityEdit) (*view.Plan, error) {
	before, err := o.decide(was, wasEdits)
	if err != nil {
		return nil, err
	}
	after, err := o.decide(is, isEdits)
	if err != nil {
		return nil, err
	}
	var changes plan.Changes
	switch {
	case after.Fleet.Platform == nil:
		o.note("nothing can be decided: the platform is not valid and never was")
		changes.Problems = after.Fleet.Problems
	case before.Fleet.Platform == nil:
		o.note("before the change there was no valid platform, so everything is new")
		before = &plan.Outcome{Fleet: model.Fleet{Platform: after.Fleet.Platform}}
		fallthrough
	default:
		o.objects(before, after, was, is)
		changes = plan.Compare(before, after)
		hideSecrets(changes.Objects)
	}
	answer := view.NewPlan(changes)
	answer.Before, answer.After, answer.Status, answer.Now = sideOf(was), sideOf(is), o.recorded.commit, o.now
	answer.Notes = append(answer.Notes, o.notes...)
	return answer, nil
}

func sideOf(s *side) view.Side {
	if s.commit == uncommitted {
		return view.Side{Name: s.name}
	}
	return view.Side{Name: s.name, Commit: s.commit}
}

// endPlan prints a plan and returns how the command ends.
func endPlan(v *view.Plan, out io.Writer, format planFormat) error {
	if err := format.write(out, v); err != nil {
		return err
	}
	switch v.Result {
	case view.PlanRefused:
		return &exitCode{code: exitRefused}
	case view.PlanChanges:
		return &exitCode{code: exitDiffers}
	}
	return nil
}
