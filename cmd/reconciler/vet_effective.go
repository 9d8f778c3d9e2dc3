package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

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
