package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// effectiveView is the policy in force for a tenant or an application, as JSON.
type effectiveView struct {
	Tenant      string              `json:"tenant"`
	Application string              `json:"application,omitempty"`
	Policy      []model.PolicyValue `json:"policy"`
}

func writeEffective(cmd *cobra.Command, format outputFormat, v *verdict, of string) error {
	selected, err := view.ParseSelection(of)
	if err != nil {
		return err
	}
	values, problems, err := v.effective(selected)
	if err != nil {
		return err
	}
	if values == nil {
		p := newPrinter(cmd.ErrOrStderr())
		for i := range problems {
			p.problem("", &problems[i])
		}
		if _, err := p.buf.WriteTo(cmd.ErrOrStderr()); err != nil {
			return err
		}
		return &exitCode{exitDiffers, fmt.Sprintf("%s is refused, so no policy is in force for it", of)}
	}
	answer := effectiveView{selected.Tenant, selected.App, values}
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

// effective returns the policy in force for a tenant or an application, or what
// speaks against it.
func (v *verdict) effective(s view.Selection) ([]model.PolicyValue, []model.Problem, error) {
	apps, tenants := v.declared()
	if s.App == "" && !slices.Contains(tenants, s.Tenant) {
		return nil, nil, missing("tenant "+s.Tenant, tenants)
	}
	app := model.AppID{Tenant: s.Tenant, Name: s.App}
	if s.App != "" && !slices.Contains(apps, app) {
		near := slices.DeleteFunc(apps, func(id model.AppID) bool { return id.Tenant != s.Tenant && id.Name != s.App })
		return nil, nil, missing("application "+app.String(), appNames(near))
	}
	for i := range v.fleet.Applications {
		if v.fleet.Applications[i].ID == app {
			return v.fleet.Applications[i].Policy.InForce, nil, nil
		}
	}
	for i := range v.fleet.Tenants {
		if s.App == "" && v.fleet.Tenants[i].Name == s.Tenant {
			return v.fleet.Tenants[i].Policy.InForce, nil, nil
		}
	}
	var blamed []model.Problem
	for _, p := range v.fleet.Problems {
		if p.Tenant == "" || p.Tenant == s.Tenant && (p.App == "" || p.App == s.App) {
			blamed = append(blamed, p)
		}
	}
	return nil, blamed, nil
}

// declared returns all applications and tenants, the refused ones as well.
func (v *verdict) declared() (apps []model.AppID, tenants []string) {
	for i := range v.fleet.Applications {
		apps = append(apps, v.fleet.Applications[i].ID)
	}
	for _, u := range v.fleet.Unusable {
		apps = append(apps, u.App)
	}
	for i := range v.fleet.Tenants {
		tenants = append(tenants, v.fleet.Tenants[i].Name)
	}
	tenants = append(tenants, v.fleet.UnusableTenants...)
	slices.SortFunc(apps, model.AppID.Compare)
	slices.Sort(tenants)
	return apps, tenants
}

// missing says that the fleet has no such thing, and what it has instead.
func missing(what string, known []string) error {
	said := "the fleet declares no " + text.Clean(what)
	if len(known) > 0 {
		said += "; it declares " + text.Enumerate(known, 8)
	}
	return errors.New(said)
}
