package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/page"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/view"
)

// However much changes, a comment stays one that can be posted, and none of its text
// means anything to what shows it.
func TestPlanOfEverything(t *testing.T) {
	hostile := "![x](http://x.y) [a](b) `c` **d** <script> @team | www.x.y #1 \x1b[31m\n\n# heading " + strings.Repeat("long ", 500)
	v := &view.Plan{Result: "changes"}
	v.Before, v.After, v.Notes = plan.Side{Name: "main"}, plan.Side{Name: hostile}, []string{hostile}
	for i := range 3000 {
		effect := plan.Degraded
		if i >= 1500 {
			effect = plan.Requeued
		}
		v.Applications = append(v.Applications, plan.Application{App: id("acme", fmt.Sprint("app", i)), Effect: effect,
			After: &model.Decision{Message: hostile}, Grants: []plan.GrantChange{{Component: hostile, Before: &model.Grant{Replicas: 1}}}})
		v.Objects = append(v.Objects, plan.ObjectChange{Action: plan.Change, Kind: hostile, Name: hostile,
			Fields: []plan.FieldChange{{Path: hostile, Before: []byte(`"` + hostile + `"`)}}})
		v.Problems = append(v.Problems, model.Problem{Code: "DA1203", Path: hostile, Message: hostile, Places: []model.Place{{At: hostile, Note: hostile}}})
	}
	said := string(page.Comment(&v.Comparison))
	require.Less(t, len(said), 65_536, "what a pull request takes")
	for _, means := range []string{"![", "](", " `c", "<script", "@team", "http:/", "www.", "\x1b", "\n# ", " #1"} {
		require.NotContains(t, said, means)
	}

	var text output
	require.NoError(t, writeTo(&text, "text", v, func(p *printer) { p.plan(v) }))
	require.Contains(t, text.String(), "and 2800 more; -o json has all")
	require.NotContains(t, text.String(), "\x1b")

	v.Applications = v.Applications[1490:]
	list, more := v.Shown()
	require.Len(t, list, 10+10)
	require.Equal(t, 1490, more)
}
