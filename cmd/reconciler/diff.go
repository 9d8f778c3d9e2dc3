package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

func newDiffCommand() *cobra.Command {
	var f caseFlags
	var cluster clusterFlags
	cmd := &cobra.Command{
		Use:   "diff [TENANT[/APPLICATION]]",
		Short: "Show the fields in a cluster that are not as the fleet wants them",
		Long: `Diff compares the objects in a cluster with those that it is to have by the status branch, of
the fleet, of a tenant or of one application: objects that are missing, that others made, that
are being deleted or that nothing wants any more, and each field with another value: what is
wanted, what is there, and who holds it.

It reads the status branch of the clone as last fetched, the accepted commit of the fleet repo,
and the objects in the cluster, and in those of --cluster. It changes nothing. What a commit would change is shown by
"reconciler plan"; diff shows what the reconciler is about to correct, or cannot.

Values of Secrets are hidden.

The exit code is 0 if everything is as wanted, 1 if something is not, and 2 if the command
itself failed.`,
		Example: `  # is the cluster as Git wants it?
  git fetch origin status
  reconciler diff

  # who changed this application?
  reconciler diff acme/shop

  # for programs: the fields that kubectl users hold
  reconciler diff -o json | jq '.deviations[].fields[]? | select(.manager | test("kubectl"))'`,
		Args: cobra.MaximumNArgs(1),
		RunE: withSelection(func(cmd *cobra.Command, which view.Selection) error {
			clusters, err := cluster.all()
			if err != nil {
				return err
			}
			return f.open(cmd, func(o offline.Options, c offline.Case) error {
				accepted, err := offline.AcceptedBy(cmd.Context(), o, c, model.AppID{Tenant: which.Tenant, Name: which.App})
				if err != nil {
					return err
				}
				answer, err := compareWith(cmd.Context(), o.Fleet, clusters, &accepted)
				if err != nil {
					return err
				}
				return orDiffers(writeAnswer(cmd, answer, func(p *printer) { p.diff(&answer, which) }), len(answer.Deviations) > 0)
			})
		}),
	}
	fl := cmd.Flags()
	f.addPlaces(fl)
	cluster.add(fl, "")
	cluster.addFurther(fl)
	return withOutput(cmd, usualOutput)
}

// compareWith compares clusters with what they are to have.
func compareWith(ctx context.Context, fleet string, clusters []namedCluster, accepted *offline.Accepted) (answer view.Diff, err error) {
	var found []model.Deviation
	var looked []string
	objects := 0
	for _, c := range clusters {
		carrier, err := kubernetes.New(c.Config, kubernetes.Options{Fleet: fleet, Cluster: c.name})
		if err != nil {
			return answer, err
		}
		sets := accepted.In(c.name)
		list, err := carrier.Deviations(ctx, sets)
		carrier.Close()
		if err != nil {
			return answer, fmt.Errorf("compare with %s: %w", (&model.PoolSpec{Cluster: c.name}).InCluster(), err)
		}
		for i := range sets {
			objects += len(sets[i].Objects)
		}
		found, looked = append(found, list...), append(looked, c.name)
	}
	slices.SortStableFunc(found, func(x, y model.Deviation) int { return x.App.Compare(y.App) })
	return view.DiffOf(objects, found, slices.Concat(accepted.Notes, accepted.Away(looked))), nil
}

// shownValue bounds how much of a value text shows, in characters.
const shownValue = 60

func (p *printer) diff(v *view.Diff, which view.Selection) {
	for i := range v.Deviations {
		d := &v.Deviations[i]
		if i == 0 || v.Deviations[i-1].App != d.App {
			p.line("%s", p.paint(bold, text.Clean(strings.TrimSuffix(d.App.String(), "/"))))
		}
		p.deviation(d)
		if i+1 == len(v.Deviations) || v.Deviations[i+1].App != d.App {
			p.line("")
		}
	}
	var counts []string
	for _, s := range model.DeviationStates {
		if n := v.Count(s); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, s))
		}
	}
	if counts == nil {
		p.line("%s: all %s are as wanted", which, text.Count(v.Objects, "object"))
	} else {
		p.line("%s: %s wanted; not as they are to be: %s", which, text.Count(v.Objects, "object"), strings.Join(counts, ", "))
	}
	p.each(p.paint(yellow, "note:")+" %s", v.Notes)
}

func (p *printer) deviation(d *model.Deviation) {
	name := d.Name
	if d.Namespace != "" {
		name = d.Namespace + "/" + name
	}
	what := map[model.DeviationState]string{
		model.DeviationMissing: "is missing", model.DeviationDiffers: "differs", model.DeviationForeign: "belongs to " + d.Owner,
		model.DeviationLeaving: "is being deleted", model.DeviationUnwanted: "is not wanted any more",
	}[d.State]
	if d.Cluster != "" {
		name += " of cluster " + d.Cluster
	}
	p.line("  %s %s", p.paint(yellow, text.Clean(d.Kind+" "+name)), text.Clean(what))
	p.table("    ", nil, rowsOf(d.Fields, func(f model.Deviating) []cell {
		held := ""
		if f.Manager != "" {
			held = "held by " + f.Manager
		}
		return []cell{plain(f.Path), plain("is " + shortValue(f.Live)), plain("wanted " + shortValue(f.Wanted)), {text.Clean(held), dim}}
	}))
}

// shortValue writes the value of a field in short.
func shortValue(v any) string {
	if v == nil {
		return "absent"
	}
	r := []rune(string(plan.Encoded(v)))
	if len(r) > shownValue {
		r = slices.Concat(r[:shownValue-1], []rune{'…'})
	}
	return string(r)
}
