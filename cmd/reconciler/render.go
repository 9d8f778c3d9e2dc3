package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/view"
)

func newRenderCommand() *cobra.Command {
	var f caseFlags
	var head string
	cmd := &cobra.Command{
		Use:   "render TENANT[/APPLICATION]",
		Short: "Show the objects that a cluster gets of an application",
		Long: `Render prints the objects that a cluster gets of an application, or of a tenant and all its
applications, in the order in which they are applied. It needs no cluster and no network.

It evaluates the fleet repo as it lies on disk, or at --head, and decides as the reconciler's
next pass would on the status branch as last fetched: the objects are those once all that the
pass grants has started. An application to which nothing is granted is shown with all it asks
for, and a note says so.

Values of Secrets are hidden, so what is printed cannot be applied over them. Annotations
that follow from the commit or from the rest of an object are left out.

The exit code is 0 if every application that was asked for has objects, 1 if one of them is
refused, and 2 if the command itself failed.`,
		Example: `  # what becomes of these files?
  reconciler render acme/shop

  # what does a branch change in the objects?
  diff <(reconciler render acme/shop --head main) <(reconciler render acme/shop)

  # for programs
  reconciler render acme -o json | jq -r '.objects[].kind'`,
		Args: cobra.ExactArgs(1),
		RunE: withSelection(func(cmd *cobra.Command, which view.Selection) error {
			return f.open(cmd, func(o offline.Options, c offline.Case) error {
				made, err := offline.Render(cmd.Context(), o, c, head, model.AppID{Tenant: which.Tenant, Name: which.App})
				if err != nil {
					return err
				}
				return writeRendering(cmd, made)
			})
		}),
	}
	fl := cmd.Flags()
	f.add(fl)
	fl.StringVar(&head, "head", "", "branch or commit to render (default: the files as they lie on disk)")
	return withOutput(cmd, "yaml or json")
}

// writeRendering prints an answer, and ends the command with the exit code of a refusal if there is one. As YAML the objects are
// documents of a stream, and the rest goes to standard error.
func writeRendering(cmd *cobra.Command, answer offline.Rendering) error {
	if formatOf(cmd) == "json" {
		return orDiffers(writeAnswer(cmd, answer, nil), len(answer.Problems) > 0)
	}
	for _, object := range answer.Objects {
		document, err := yaml.Marshal(object)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "---\n%s", document); err != nil {
			return err
		}
	}
	return orDiffers(writeTo(cmd.ErrOrStderr(), "text", answer, func(p *printer) {
		p.problems("", answer.Problems)
		p.each(p.paint(yellow, "note:")+" %s", answer.Notes)
	}), len(answer.Problems) > 0)
}
