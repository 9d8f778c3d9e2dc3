package view_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/view"
)

func app(tenant, name string) model.AppID { return model.AppID{Tenant: tenant, Name: name} }

// fleet is a ledger with an application that runs, one that waits and one that ended.
func fleet() *model.Ledger {
	component := func(name string) model.ComponentState {
		return model.ComponentState{Grant: model.Grant{Component: name, Replicas: 2}, State: model.StateReady}
	}
	spec := &model.Application{
		Commit:     "5ec",
		Components: []model.Component{{Name: "settings", Type: "config"}, {Name: "web", Type: "service", Replicas: 3}},
	}
	return &model.Ledger{
		Commit: "c0", Platform: &model.Platform{Name: "prod"},
		Instances: []model.Instance{
			{App: app("acme", "blog"), Number: 2, Phase: model.PhaseTerminated, Components: []model.ComponentState{component("web")}},
			{App: app("acme", "shop"), Number: 1, Phase: model.PhaseRunning, Spec: spec,
				Components: []model.ComponentState{component("settings"), component("web")}, Run: &model.Run{ID: "r1", Number: 4}},
			{App: app("bolt", "shop"), Number: 1, Phase: model.PhaseAdmitted},
		},
		Decisions: []model.Decision{
			{App: app("acme", "shop"), Verdict: model.VerdictGranted},
			{App: app("bolt", "shop"), Verdict: model.VerdictWaiting, Position: 1, BlockedBy: []model.AppID{app("acme", "shop")}},
		},
		Problems: []model.Problem{
			{Code: "DA1001"}, {Code: "DA1002", Tenant: "acme"}, {Code: "DA1003", Tenant: "acme", App: "blog"}, {Code: "DA1004", Tenant: "bolt"},
		},
	}
}

func codes(problems []model.Problem) (list []string) {
	for _, p := range problems {
		list = append(list, p.Code)
	}
	return list
}

func TestStatus(t *testing.T) {
	v := view.StatusOf(fleet(), view.Selection{})
	require.Equal(t, "prod", v.Fleet)
	require.Equal(t, map[model.Phase]int{model.PhaseTerminated: 1, model.PhaseRunning: 1, model.PhaseAdmitted: 1}, v.Phases)
	require.Len(t, v.Problems, 4)
	require.Empty(t, v.Applications[0].Components, "nothing of an ended application runs")
	shop := v.Applications[1]
	require.Equal(t, "5ec", shop.Commit)
	require.Equal(t, []view.Component{{Name: "web", Granted: 2, Asked: 3, State: model.StateReady}}, shop.Components, "configuration does not run")
	require.Equal(t, 4, shop.Workflow.Number)
	require.Nil(t, shop.Waiting)
	require.Equal(t, &view.Waiting{Position: 1, BlockedBy: []model.AppID{app("acme", "shop")}}, v.Applications[2].Waiting)

	v = view.StatusOf(fleet(), view.Of(app("acme", "shop")))
	require.Len(t, v.Applications, 1)
	require.Equal(t, []string{"DA1001", "DA1002"}, codes(v.Problems), "a problem of another application is left out")
}

// TestStatusOfWhatRunsElsewhere: it is granted whole or not at all, and has health.
func TestStatusOfWhatRunsElsewhere(t *testing.T) {
	l := fleet()
	in := &l.Instances[0]
	in.Phase, in.Spec = model.PhaseRunning, &model.Application{ID: in.App, Components: []model.Component{{Name: "mail", Type: "external"}}}
	in.Components = []model.ComponentState{{Grant: model.Grant{Component: "mail", Replicas: 1}, Run: 1, State: model.StateUnready, Message: "away"}}
	in.Shown = &model.Shown{Components: []model.ShownComponent{{Component: "mail", Told: 1}}}
	for _, a := range view.StatusOf(l, view.Selection{}).Applications {
		if a.App == in.App {
			require.Equal(t, []view.Component{{Name: "mail", Granted: 1, Asked: 1, Told: 1, State: model.StateUnready, Message: "away"}}, a.Components)
			return
		}
	}
	require.Fail(t, "it is not there")
}

func TestExplain(t *testing.T) {
	l := fleet()
	x, err := view.Explain(l, app("acme", "shop"))
	require.NoError(t, err)
	require.Same(t, &l.Instances[1], x.Instance)
	require.Same(t, &l.Decisions[0], x.Decision)
	require.Equal(t, []string{"DA1001", "DA1002"}, codes(x.Problems))

	x, err = view.Explain(l, app("acme", "blog"))
	require.NoError(t, err)
	require.Nil(t, x.Decision)
	require.Equal(t, []string{"DA1001", "DA1002", "DA1003"}, codes(x.Problems))

	_, err = view.Explain(l, app("bolt", "blog"))
	require.EqualError(t, err, "the status branch knows no application bolt/blog; it knows acme/blog, bolt/shop")
}

func TestSelection(t *testing.T) {
	for args, want := range map[string]view.Selection{"acme": {Tenant: "acme"}, "acme/": {Tenant: "acme"}, "acme/shop": {Tenant: "acme", App: "shop"}} {
		s, err := view.ParseSelection(args)
		require.NoError(t, err)
		require.Equal(t, want, s)
		require.True(t, s.Known(fleet()))
	}
	s, err := view.ParseSelection()
	require.NoError(t, err)
	require.True(t, s.Has(app("any", "app")))
	for _, args := range []string{"", "/", "/shop", "acme/shop/web"} {
		_, err := view.ParseSelection(args)
		require.ErrorContains(t, err, "names neither a tenant nor an application", args)
	}
	s = view.Selection{Tenant: "none"}
	require.False(t, s.Known(fleet()))
	require.EqualError(t, s.Missing(fleet()), "the status branch knows no tenant none; it knows acme, bolt")
}

func TestHistory(t *testing.T) {
	moved := func(commit string) status.Entry {
		return status.Entry{Commit: "s" + commit, Changes: []announce.Announcement{{Kind: announce.Transition, Change: announce.Change{Commit: commit}}}}
	}
	commits := []status.Entry{moved("a"), {Commit: "quiet"}, {Commit: "step", Changes: []announce.Announcement{{Kind: announce.Step}}}, moved("b")}
	names := func(entries []view.HistoryEntry) (list []string) {
		for _, e := range entries {
			require.NotNil(t, e.Transitions)
			list = append(list, e.Commit)
		}
		return list
	}
	require.Equal(t, []string{"sa", "step"}, names(view.History(commits, 2, false)))
	require.Equal(t, []string{"sa", "quiet", "step"}, names(view.History(commits, 3, true)))

	entries := view.History(commits, 9, false)
	view.AddCauses(entries, map[string]string{"b": "Ann: grow", "c": "Bob: shrink"})
	require.Nil(t, entries[0].Causes)
	require.Equal(t, map[string]string{"b": "Ann: grow"}, entries[2].Causes)
}

func TestEvents(t *testing.T) {
	last, earlier := view.Events([]status.Event{{Status: "1"}, {Status: "2"}, {Status: "3"}}, 2)
	require.Equal(t, []status.Event{{Status: "2"}, {Status: "3"}}, last)
	require.Equal(t, 1, earlier)
	last, earlier = view.Events(nil, 2)
	require.Equal(t, []status.Event{}, last, "[] and not null in JSON")
	require.Zero(t, earlier)
}

func TestPlan(t *testing.T) {
	require.Equal(t, plan.ResultSame, view.PlanOf(plan.Comparison{Changes: plan.Changes{}}).Result)
	require.Equal(t, plan.ResultChanges, view.PlanOf(plan.Comparison{Changes: plan.Changes{Applications: []plan.Application{{Effect: plan.Admitted}}}}).Result)
	require.Equal(t, plan.ResultRefused, view.PlanOf(plan.Comparison{Changes: plan.Changes{Applications: []plan.Application{{Effect: plan.Rejected}}}}).Result)
	require.Equal(t, plan.ResultRefused, view.PlanOf(plan.Comparison{Changes: plan.Changes{Problems: []model.Problem{{Code: "DA1001"}}}}).Result)
}

// TestPlanIsBounded: an answer lists all that is edited and the first 200 of the others, with what belongs to them, and counts the rest.
func TestPlanIsBounded(t *testing.T) {
	var c plan.Comparison
	for i := range 250 {
		app := model.AppID{Tenant: fmt.Sprintf("t%03d", i), Name: "shop"}
		c.Applications = append(c.Applications, plan.Application{App: app, Effect: plan.Evicted, Edited: i >= 240})
		c.Objects = append(c.Objects, plan.ObjectChange{App: app})
		c.Runs = append(c.Runs, plan.RunChange{Run: plan.Run{App: app}})
		c.Tenants = append(c.Tenants, plan.Tenant{Name: app.Tenant})
	}
	c.Objects = append(c.Objects, plan.ObjectChange{App: model.AppID{Tenant: "t001"}, Kind: "ResourceQuota"})
	all := view.PlanOf(c)
	v := all.Bounded()
	require.Len(t, v.Applications, 210)
	require.Equal(t, "t199", v.Applications[199].App.Tenant)
	require.Equal(t, "t240", v.Applications[200].App.Tenant)
	require.Equal(t, &view.Left{Applications: 40, Objects: 41, Runs: 40, Tenants: 50}, v.Left)
	require.Len(t, v.Objects, 210)
	require.Len(t, all.Applications, 250, "the plan itself has all")
	c.Applications = c.Applications[200:]
	require.Nil(t, view.PlanOf(plan.Comparison{Changes: plan.Changes{Applications: c.Applications}}).Bounded().Left)
}

// TestPageIsBounded: a page lists the first 200 of what is edited, too, with what belongs to them: a change of the platform edits all.
func TestPageIsBounded(t *testing.T) {
	var c plan.Comparison
	for i := range 500 {
		app := model.AppID{Tenant: fmt.Sprintf("t%03d", i), Name: "shop"}
		c.Applications = append(c.Applications, plan.Application{App: app, Effect: plan.Updated, Edited: i >= 50})
		c.Objects = append(c.Objects, plan.ObjectChange{App: app})
		c.Runs = append(c.Runs, plan.RunChange{Run: plan.Run{App: app}})
		c.Problems = append(c.Problems, model.Problem{Tenant: app.Tenant, App: app.Name})
	}
	all := view.PlanOf(c)
	require.Nil(t, all.Bounded().Left, "the command lists all of them")
	v := all.Page()
	require.Len(t, v.Applications, 250)
	require.Equal(t, "t249", v.Applications[249].App.Tenant)
	require.Equal(t, &view.Left{Applications: 250, Edited: 250, Objects: 250, Runs: 100, Problems: 300}, v.Left)
	require.Len(t, v.Problems, 200)
	require.Equal(t, all.Result, v.Result)
}

func TestJSON(t *testing.T) {
	p := view.PlanOf(plan.Comparison{})
	p.Before, p.After = plan.Side{Name: "main", Commit: "a1"}, plan.Side{Name: "<work tree> & more"}
	p.Now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	made, err := view.JSON(p)
	require.NoError(t, err)
	require.Contains(t, string(made), "{\n  \"result\": \"same\",\n")
	require.Contains(t, string(made), `"name": "<work tree> & more"`, "what HTML gives a meaning to stays")
	require.NotContains(t, string(made), "null")
	require.Equal(t, byte('\n'), made[len(made)-1])

	empty, err := view.JSON(view.StatusOf(&model.Ledger{}, view.Selection{}))
	require.NoError(t, err)
	require.NotContains(t, string(empty), "null")

	_, err = view.JSON(func() {})
	require.Error(t, err)
}

func TestVet(t *testing.T) {
	fleet := &model.Fleet{
		Tenants: []model.Tenant{{Name: "acme"}}, UnusableTenants: []string{"bolt"},
		Applications: []*model.Application{{ID: app("acme", "shop")}}, Unusable: []model.Unusable{{App: app("acme", "blog")}, {App: app("bolt", "shop")}},
	}
	problems := []model.Problem{
		{Code: "platform"}, {Code: "acme", Tenant: "acme"}, {Code: "blog", Tenant: "acme", App: "blog"}, {Code: "bolt", Tenant: "bolt"},
		{Code: "shop", Places: []model.Place{{At: "tenants/acme/apps/shop/app.cue:1:2"}}},
	}
	all := view.VetOf(fleet, problems, "/fleet", ".")
	require.Equal(t, view.Vet{Directory: "/fleet", Tenants: 2, Applications: 3, RefusedTenants: []string{"bolt"},
		Refused: []model.AppID{app("acme", "blog"), app("bolt", "shop")}, Problems: problems, Notes: []string{}}, all)
	acme := view.VetOf(fleet, problems, "/fleet", "tenants/acme")
	require.Equal(t, 1, acme.Tenants)
	require.Equal(t, 2, acme.Applications)
	require.Empty(t, acme.RefusedTenants)
	require.Equal(t, []string{"platform", "acme", "blog", "shop"}, codes(acme.Problems))
	shop := view.VetOf(fleet, problems, "/fleet", "tenants/acme/apps/shop")
	require.Zero(t, shop.Tenants)
	require.Equal(t, []string{"platform", "acme", "shop"}, codes(shop.Problems))
}
