package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

func writeEffective(cmd *cobra.Command, format outputFormat, v offline.Verdict, of string) error {
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
	return format.write(cmd.OutOrStdout(), answer, func(p *printer) {
		var rows [][]cell
		for _, value := range values {
			layer := plain(value.Layer)
			if value.Layer == "schema" {
				layer.style = dim
			}
			rows = append(rows, []cell{plain(value.Path), {text.Clean(cmp.Or(value.Value, "(none)")), bold}, layer, {text.Clean(value.At), cyan}})
		}
		p.table("", []string{"POLICY", "VALUE", "SET BY", "AT"}, rows)
	})
}
