package dashboard

import (
	"context"
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/view"
)

// exportedList is all applications of an export, the unwell ones first. The pages filter and order it themselves.
type exportedList struct {
	Applications []view.Application `json:"applications"`
	Unwell       int                `json:"unwell"` // how many of them are
}

// answers writes what the server would answer about the moment.
func (e *exporter) answers(ctx context.Context) error {
	l := e.ledger()
	fleet := view.FleetOf(l)
	fleet.Unverified = e.m.Unverified
	problems := l.AllProblems()
	all, err := view.ApplicationsPageOf(l, view.ApplicationsQuery{Limit: len(l.Instances) + 1})
	if err != nil {
		return err
	}
	unwell, err := view.ApplicationsPageOf(l, view.ApplicationsQuery{Phases: []string{view.Unwell}, Limit: 1})
	if err != nil {
		return err
	}
	timeline, err := e.timeline(ctx)
	if err != nil {
		return err
	}
	if err := e.all("", map[string]any{
		"meta": Meta{
			Version: e.o.Version, Repo: e.o.Repo, Branch: e.o.Name, Commit: e.m.Commit, Changed: e.m.Time, Looked: e.o.Now(),
			SourceCommit: l.Commit, Unverified: e.m.Unverified, Links: l.LinksOr(e.o.Links),
		},
		"fleet": fleet, "pools": view.PoolsOf(e.m.Ledger), "applications": exportedList{all.Applications, unwell.Total}, "timeline": timeline,
		"problems": view.ProblemsPage{Problems: append([]model.Problem{}, problems...), Total: len(problems)},
	}); err != nil {
		return err
	}
	if err := e.tenants(l); err != nil {
		return err
	}
	for i := range l.Instances {
		if err := e.application(ctx, l.Instances[i].App); err != nil {
			return err
		}
	}
	return nil
}

// tenants writes the answers about all tenants that a ledger names.
func (e *exporter) tenants(l *model.Ledger) error {
	names := map[string]bool{}
	for i := range l.Tenants {
		names[l.Tenants[i].Name] = true
	}
	for i := range l.Instances {
		names[l.Instances[i].App.Tenant] = true
	}
	for name := range names {
		if !model.ValidName(name) {
			continue
		}
		v, err := view.TenantOf(l, name)
		if err == nil {
			err = e.answer("tenants/"+name, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// all writes several answers, whose names begin alike.
func (e *exporter) all(begin string, answers map[string]any) error {
	for name, v := range answers {
		if err := e.answer(begin+name, v); err != nil {
			return err
		}
	}
	return nil
}

// answer writes one answer.
func (e *exporter) answer(name string, v any) error {
	body, err := view.JSON(v)
	if err != nil {
		return err
	}
	return e.write("data/"+name+".json", body)
}

// application writes the answers about an application, which may name others: those that are ahead of it, or hold what it needs.
func (e *exporter) application(ctx context.Context, app model.AppID) error {
	if err := ctx.Err(); err != nil || !model.ValidName(app.Tenant) || !model.ValidName(app.Name) {
		return err
	}
	l, path := e.m.Ledger, "applications/"+app.String()
	state := view.StatusOf(l, view.Of(app))
	state.Unverified = e.m.Unverified
	explanation, err := view.Explain(l, app)
	if err != nil {
		return err
	}
	explanation.Unverified = e.m.Unverified
	run, err := view.RunOf(l, app)
	if err != nil {
		return err
	}
	history, err := e.o.Branch.History(ctx, e.m, app, exportedHistory)
	if err != nil {
		return err
	}
	return e.all(path, map[string]any{"": state, "/decision": explanation, "/run": run, "/history": history})
}

// ledger returns what is exported of the moment.
func (e *exporter) ledger() *model.Ledger {
	t := e.which.Tenant
	if t == "" {
		return e.m.Ledger
	}
	return view.Only(e.m.Ledger, access.Reading{Tenants: []string{t}})
}

// timeline returns the commits up to the moment. That of an earlier moment begins with what the moment itself says.
func (e *exporter) timeline(ctx context.Context) (view.Timeline, error) {
	before := ""
	if e.which.At != "" {
		before = e.m.Commit
	}
	v, err := e.o.Branch.Log(ctx, before, exportedCommits)
	if err != nil {
		return v, err
	}
	if before != "" {
		here := view.TimelineCommit{Commit: e.m.Commit, Time: e.m.Time, SourceCommit: e.m.Ledger.Commit, Subject: "the moment of these pages", Changes: []announce.Announcement{}}
		v.Commits = append([]view.TimelineCommit{here}, v.Commits...)
	}
	v.Next = ""
	for i := range v.Commits {
		if c := &v.Commits[i]; e.which.Tenant != "" {
			c.Changes = only(c.Changes, func(a *announce.Announcement) bool { return a.App.Tenant == e.which.Tenant })
			c.ChangesTotal = len(c.Changes)
		}
	}
	return v, nil
}

// only returns the elements that are kept.
func only[T any](list []T, keep func(*T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !keep(&x) })
}
