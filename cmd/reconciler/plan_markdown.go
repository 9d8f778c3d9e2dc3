package main

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/page"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/view"
)

// commentOf returns the content of a comment on a pull request.
func commentOf(v *view.Plan) *page.Plan {
	p := &page.Plan{
		Title: map[string]string{view.PlanSame: "nothing changes", view.PlanChanges: "this changes what runs", view.PlanRefused: "this would be refused"}[v.Result],
		After: sideText(v.After), Before: sideText(v.Before), Notes: v.Notes, Problems: v.Problems, Price: priceText(v.Price), Summary: summaryOf(v),
	}
	list, more := shownOf(v)
	p.More = more
	for _, a := range list {
		p.Applications = append(p.Applications, page.PlanRow{
			Effect: string(a.Effect), Strong: effectStyle(a.Effect) == red,
			App: a.App.String(), Grants: grantsText(a), Price: priceText(a.Price), Why: whyText(a),
		})
	}
	for _, t := range v.Tenants {
		p.TenantPrices = append(p.TenantPrices, t.Name+" "+priceText(t.Price))
	}
	for i := range v.Runs {
		item := page.PlanItem{Text: runText(&v.Runs[i])}
		for _, s := range v.Runs[i].Steps {
			line := fmt.Sprintf("%s (%s): %s, waits for %s", s.Name, s.Type, s.Phase, stepText(s))
			item.Below = append(item.Below, strings.TrimSuffix(line, ", waits for "))
		}
		p.Runs = append(p.Runs, item)
	}
	for i := range v.Objects {
		o := &v.Objects[i]
		item := page.PlanItem{Text: objectName(o), Strong: o.Action == plan.Remove}
		item.Action = map[plan.Action]string{plan.Add: "add", plan.Change: "change", plan.Remove: "remove", plan.Keep: "keep"}[o.Action]
		for _, f := range o.Fields {
			item.Below = append(item.Below, fieldText(f))
		}
		p.Objects = append(p.Objects, item)
	}
	return p
}
