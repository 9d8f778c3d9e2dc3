package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

func newVetCommand() *cobra.Command {
	of := fleetFlags{fleet: "fleet"}
	var effective string
	cmd := &cobra.Command{
		Use:   "vet [DIR]",
		Short: "Check a fleet repo on disk as the reconciler would",
		Long: `Vet checks the files of a fleet repo on disk, before they are committed, and lists what
the reconciler would refuse: all errors that "cue vet" finds, errors that it cannot find
(references between files, sums, names of directories, files that opt out of the policy),
and applications whose objects cannot be rendered. It needs no cluster, and
no network but with --fetch.

It checks the files that "git add --all" would commit: changed and new files, without
those that .gitignore names. Given a directory inside a fleet repo it checks the whole
repo, because the cause can be in another directory, and reports the errors in that
directory and in those above it.

Notes name what is accepted and hardly meant, such as guarantees that are never taken back
because the policy's preemption forbids it.

With --effective it shows the policy in force for a tenant or an application: each
value, the layer that set it, and where.

The exit code is 0 if everything is accepted, 1 if something is refused, 2 if the check
itself failed.`,
		Example: `  # the fleet repo that this directory is in
  reconciler vet

  # what one tenant has to look after
  reconciler vet tenants/acme

  # where does this limit come from?
  reconciler vet --effective acme/shop

  # in CI, for programs
  reconciler vet -o json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeDirectory,
		RunE: inWorkTree(func(cmd *cobra.Command, w *clone.Tree) error {
			verdict, err := vetTree(cmd, w, &of)
			if err != nil {
				return err
			}
			if effective != "" {
				return writeEffective(cmd, verdict, effective)
			}
			answer := view.VetOf(&verdict.Fleet, slices.Concat(verdict.Fleet.Problems, verdict.Approvals), w.Root, w.Below)
			answer.Notes = append(answer.Notes, offline.Unreclaimable(&verdict.Fleet)...)
			if note := staleSchema(w.Top); note != "" {
				answer.Notes = append(answer.Notes, note)
			}
			return orDiffers(writeAnswer(cmd, answer, func(p *printer) { p.vet(&answer) }), len(answer.Problems)+len(answer.Refused) > 0)
		}),
	}
	fl := cmd.Flags()
	of.addFetch(fl)
	fl.StringVar(&effective, "effective", "", "show the policy in force for `TENANT[/APPLICATION]`")
	return withOutput(cmd, usualOutput)
}

// vet prints the verdict for people.
func (p *printer) vet(v *view.Vet) {
	for i := range v.Problems {
		p.problem("", &v.Problems[i])
		p.line("")
	}
	p.each(p.paint(yellow, "note:")+" %s\n", v.Notes)
	what := text.Count(v.Applications, "application")
	if v.Tenants > 0 || v.Below == "" {
		what = text.Count(v.Tenants, "tenant") + ", " + what
	}
	if len(v.Problems)+len(v.Refused) == 0 {
		p.line("%s: %s", what, p.paint(green, "accepted"))
		return
	}
	what += ": " + p.paint(red, text.Count(len(v.Problems), "problem"))
	if n := len(v.RefusedTenants); n > 0 {
		what += fmt.Sprintf(", %s refused", text.Count(n, "tenant"))
	}
	if n := len(v.Refused); n > 0 {
		what += fmt.Sprintf(", %s refused", text.Count(n, "application"))
	}
	p.line("%s", what)
}

func writeEffective(cmd *cobra.Command, v offline.Verdict, of string) error {
	selected, err := view.ParseSelection(of)
	if err != nil {
		return err
	}
	values, problems, err := v.PolicyInForce(selected.Tenant, selected.App)
	if err != nil {
		return err
	}
	if values == nil {
		return refusedFor(problems, cmd.ErrOrStderr(), "%s is refused, so no policy is in force for it", of)
	}
	answer := view.Policy{Tenant: selected.Tenant, Application: selected.App, Policy: values}
	return writeAnswer(cmd, answer, func(p *printer) {
		p.table("", []string{"POLICY", "VALUE", "SET BY", "AT"}, rowsOf(values, func(value model.PolicyValue) []cell {
			layer := plain(value.Layer)
			if value.Layer == "schema" {
				layer.style = dim
			}
			return []cell{plain(value.Path), {text.Clean(cmp.Or(value.Value, "(none)")), bold}, layer, {text.Clean(value.At), cyan}}
		}))
	})
}
