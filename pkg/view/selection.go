package view

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Selection is what an answer is about: the fleet, a tenant or one application.
type Selection struct {
	Tenant string // "" selects the fleet
	App    string // "" selects all applications of the tenant
}

// ParseSelection reads the arguments of a command: none for the fleet, else TENANT or TENANT/APPLICATION.
func ParseSelection(args ...string) (Selection, error) {
	if len(args) == 0 {
		return Selection{}, nil
	}
	tenant, app, found := strings.Cut(strings.TrimSuffix(args[0], "/"), "/")
	if tenant == "" || found && app == "" || strings.Contains(app, "/") {
		return Selection{}, fmt.Errorf("%q names neither a tenant nor an application; write acme or acme/shop", args[0])
	}
	return Selection{tenant, app}, nil
}

// Of selects one application.
func Of(app model.AppID) Selection { return Selection{app.Tenant, app.Name} }

// String names the selection: "fleet", "tenant acme" or "application acme/shop".
func (s Selection) String() string {
	switch {
	case s.App != "":
		return "application " + s.Tenant + "/" + s.App
	case s.Tenant != "":
		return "tenant " + s.Tenant
	}
	return "fleet"
}

// Has reports whether an application is selected.
func (s Selection) Has(app model.AppID) bool {
	return (s.Tenant == "" || s.Tenant == app.Tenant) && (s.App == "" || s.App == app.Name)
}

// problems returns those that affect what is selected. A problem of the platform or of a tenant affects everything below it.
func (s Selection) problems(l *model.Ledger) []model.Problem {
	return kept(l.AllProblems(), func(p *model.Problem) bool {
		return (p.Tenant == "" || s.Tenant == "" || p.Tenant == s.Tenant) && (p.App == "" || s.App == "" || p.App == s.App)
	})
}

// overQuota lists what the selected tenants, and the groups that they are in, have beyond their quotas.
func (s Selection) overQuota(l *model.Ledger) []model.OverQuota {
	if s.Tenant == "" {
		return l.OverQuota
	}
	return l.OverQuotaOf(s.Tenant)
}

// Known reports whether the ledger has any of the selected applications.
func (s Selection) Known(l *model.Ledger) bool {
	return slices.ContainsFunc(l.Instances, func(in model.Instance) bool { return s.Has(in.App) })
}

// Missing is the error for a selection that the ledger knows nothing of. It lists similar names that the ledger has.
func (s Selection) Missing(l *model.Ledger) error {
	var known []string
	for i := range l.Instances {
		id := l.Instances[i].App
		switch {
		case s.App == "" && (len(known) == 0 || known[len(known)-1] != id.Tenant):
			known = append(known, id.Tenant)
		case s.App != "" && (id.Tenant == s.Tenant || id.Name == s.App):
			known = append(known, id.String())
		}
	}
	said := fmt.Sprintf("the status branch knows no %s", text.Clean(s.String()))
	if len(known) > 0 {
		said += "; it knows " + text.Enumerate(known, 8)
	}
	return errors.New(said)
}
