package claim

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Allotments are those of a platform, by tenant, with the tenants that each host belongs to.
type Allotments struct {
	platform *model.Platform
	tenants  map[string]*model.Allotment
	owners   map[string][]string // tenants by entry
}

// AllotmentsOf returns the allotments of a platform, which may be nil.
func AllotmentsOf(platform *model.Platform) *Allotments {
	a := &Allotments{platform: cmp.Or(platform, &model.Platform{}), tenants: map[string]*model.Allotment{}, owners: map[string][]string{}}
	for i := range a.platform.Allotments {
		own := &a.platform.Allotments[i]
		a.tenants[own.Name] = own
		for _, entry := range own.Hosts {
			a.owners[entry] = append(a.owners[entry], own.Name)
		}
	}
	return a
}

// entry returns the longest entry that takes in a host, "" if none does.
func (a *Allotments) entry(host string) string {
	if len(a.owners) == 0 {
		return ""
	}
	for _, entry := range above(host) {
		if a.owners[entry] != nil {
			return entry
		}
	}
	return ""
}

// Refused returns what an application wants that its tenant is not allotted, or has denied itself.
func (a *Allotments) Refused(app *model.Application, t *model.Tenant, n *Names) (problems []model.Problem) {
	own := cmp.Or(a.tenants[app.ID.Tenant], &model.Allotment{Name: app.ID.Tenant})
	if p := a.namespace(app, own, n.Namespace); p != nil {
		problems = append(problems, *p)
	}
	for _, h := range n.Hosts {
		if p := cmp.Or(a.host(app, own, h), a.kept(app, t, h)); p != nil && !slices.ContainsFunc(problems, func(o model.Problem) bool { return o.Message == p.Message }) {
			problems = append(problems, *p)
		}
	}
	for _, s := range n.Services {
		if !slices.Contains(own.Services, s.Type) {
			problems = append(problems, *a.blame(catalogue.ServiceType, app, s.Component, s.Object, objectPath,
				fmt.Sprintf("%s has type %s; tenant %s is allotted %s (services)", s.Object, text.Clean(s.Type), own.Name, list(own.Services)), "services"))
		}
	}
	for _, r := range n.Routes {
		if r.HasClass && own.Classes != nil && !slices.Contains(own.Classes, r.Class) {
			problems = append(problems, *a.blame(catalogue.IngressClass, app, r.Component, r.Object, routePath,
				fmt.Sprintf("%s has %s; tenant %s is allotted %s (ingress.classes)", r.Object, className(r.Class), own.Name, list(own.Classes)), "ingress.classes"))
		}
		for _, key := range r.Annotations {
			if !slices.Contains(own.Annotations, key) {
				problems = append(problems, *a.blame(catalogue.Annotation, app, r.Component, r.Object, routePath,
					fmt.Sprintf("%s sets annotation %s; tenant %s is allotted %s (ingress.annotations)", r.Object, text.Clean(key), own.Name, list(own.Annotations)), "ingress.annotations"))
			}
		}
	}
	return problems
}

// namespace returns why a tenant may not have a namespace, nil if it may.
func (a *Allotments) namespace(app *model.Application, own *model.Allotment, namespace string) *model.Problem {
	if own.Namespaces == nil || slices.ContainsFunc(own.Namespaces, func(pattern string) bool {
		is, err := path.Match(pattern, namespace)
		return is && err == nil
	}) {
		return nil
	}
	return a.blame(catalogue.Namespaces, app, "", "", func(*model.Application, string, string) string { return "components" },
		fmt.Sprintf("its namespace would be %s, and tenant %s is allotted %s (namespaces)", namespace, own.Name, list(own.Namespaces)), "namespaces")
}

// host returns why a tenant may not have a host, nil if it may. A host belongs to the
// tenants of its longest entry. The others are for whoever has the entry Every, and for the
// tenants whose allotments name no hosts.
func (a *Allotments) host(app *model.Application, own *model.Allotment, h Host) *model.Problem {
	entry := a.entry(h.Name)
	switch {
	case slices.Contains(a.owners[entry], own.Name):
	case entry != "" && entry != Every:
		p := a.blame(catalogue.HostAllotted, app, h.Component, h.Name, hostPath,
			fmt.Sprintf("%s belongs to %s (platform.allotments.%s.hosts)", hostName(h.Name), whose(a.owners[entry]), a.owners[entry][0]), "")
		owner := a.tenants[a.owners[entry][0]]
		if at := a.platform.At[fmt.Sprintf("allotments.%s.hosts.%d", owner.Name, slices.Index(owner.Hosts, entry))]; at != "" {
			p.Places = append(p.Places, model.Place{At: at, Note: fmt.Sprintf("platform.allotments.%s.hosts: %q", owner.Name, entry)})
		}
		return p
	case own.Hosts != nil:
		return a.blame(catalogue.HostAllotted, app, h.Component, h.Name, hostPath,
			fmt.Sprintf("%s is not among those of tenant %s, which is allotted %s (hosts)", hostName(h.Name), own.Name, list(own.Hosts)), "hosts")
	case h.Name == Every:
		return a.blame(catalogue.HostAllotted, app, h.Component, h.Name, hostPath,
			fmt.Sprintf("%s needs the entry %q in the allotment of tenant %s (hosts)", hostName(h.Name), Every, own.Name), "hosts")
	}
	return nil
}

// kept returns why an application may not have a host that its tenant is allotted: the
// tenant keeps fewer of them.
func (a *Allotments) kept(app *model.Application, t *model.Tenant, h Host) *model.Problem {
	if t.Hosts == nil || slices.ContainsFunc(t.Hosts, func(entry string) bool { return covers(entry, h.Name) }) {
		return nil
	}
	p := a.blame(catalogue.HostAllotted, app, h.Component, h.Name, hostPath,
		fmt.Sprintf("%s is not among those that tenant %s has written, %s (hosts)", hostName(h.Name), t.Name, list(t.Hosts)), "")
	if at := t.At["hosts"]; at != "" {
		p.Places = append(p.Places, model.Place{At: at, Note: "tenant.hosts"})
	}
	return p
}

// blame returns a problem with the place of a value in the application and that of a field
// of its tenant's allotment.
func (a *Allotments) blame(code string, app *model.Application, component, value string, find finder, message, field string) *model.Problem {
	path := find(app, component, value)
	p := &model.Problem{Code: code, Path: "application." + path, Message: message, Places: placesOf(app, path), Tenant: app.ID.Tenant, App: app.ID.Name}
	if field == "" {
		return p
	}
	for _, path := range []string{"allotments." + app.ID.Tenant + "." + field, "allotments." + app.ID.Tenant} {
		if at := a.platform.At[path]; at != "" {
			p.Places = append(p.Places, model.Place{At: at, Note: "platform." + path})
			break
		}
	}
	return p
}

func hostName(host string) string {
	if host == Every {
		return "every host"
	}
	return "host " + text.Clean(host)
}

func className(class string) string {
	if class == "" {
		return "no class"
	}
	return "class " + text.Clean(class)
}

func whose(tenants []string) string {
	if len(tenants) == 1 {
		return "tenant " + tenants[0]
	}
	return "tenants " + text.Enumerate(tenants, 3)
}

// list joins what an allotment lists.
func list(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words[:min(8, len(words))], ", ") + map[bool]string{true: " …"}[len(words) > 8]
}

// apart reports whether allotments give a host to somebody apart from a wildcard above it.
func (a *Allotments) apart(host, wildcard string) bool {
	return len(a.entry(host)) > len(a.entry(wildcard))
}
