package claim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// tooLate returns the problem of an application that wants a name which meets one that
// another application has. Other is that application as Git declares it, nil where that
// cannot be used.
func (s *settlement) tooLate(a *model.Application, component string, n, met name, t taker, other *model.Application) *model.Problem {
	p := model.Problem{Code: catalogue.Host, Tenant: a.ID.Tenant, App: a.ID.Name}
	find, what := hostPath, n.host
	if n.object != "" {
		p.Code, find, what = catalogue.SameObjects, objectPath, n.object
	}
	if strings.HasPrefix(n.object, Namespace) && n.namespace == "" {
		p.Code = catalogue.Namespace
	}
	path := find(a, component, what)
	p.Path, p.Places = "application."+path, placesOf(a, path)
	switch {
	case t.held && other != nil && !slices.Contains(s.who(met), t.app):
		p.Message = fmt.Sprintf("%s %s, which still runs with it; it is free when %s runs as Git declares it", n.of(met), t.app, t.app)
		return &p
	case t.held:
		p.Message = fmt.Sprintf("%s %s, which had it first", n.of(met), t.app)
	default:
		p.Message = fmt.Sprintf("%s %s, which comes first", n.of(met), t.app)
	}
	if other != nil {
		component := ""
		if names := s.of(t.app); names != nil {
			component, _ = names.has(met)
		}
		path := find(other, component, cmp.Or(met.object, met.host))
		p.Places = append(p.Places, placesOf(other, path)...)
	}
	return &p
}

// of says what is wanted that is another application's, or what it meets of that.
func (n name) of(met name) string {
	switch {
	case n.object != "" && n.namespace == "":
		return text.Clean(n.object) + " belongs to"
	case n.object != "":
		return text.Clean(n.object) + " in namespace " + n.namespace + " belongs to"
	case met.host != n.host:
		return fmt.Sprintf("%s overlaps with %s of", hostName(n.host), text.Clean(met.host))
	}
	return hostName(n.host) + text.Clean(n.path) + " belongs to"
}
