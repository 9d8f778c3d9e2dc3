package check

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// A Host is a place on the network that an application wants to serve.
type Host struct {
	Name, Path string
	At         string // where it is written
}

// A Claim is a host, with the application that wants it.
type Claim struct {
	App  model.AppID
	Host Host
}

// Claims are those of the applications of one tenant.
type Claims struct {
	all      []Claim
	hosts    []string // by name, sorted
	disputed []string // that several of the applications want
}

// ClaimsOf gathers the claims of one tenant. It keeps the slice.
func ClaimsOf(all []Claim) *Claims {
	c := &Claims{all: all, hosts: make([]string, len(all))}
	for i := range all {
		c.hosts[i] = all[i].Host.Name
	}
	slices.Sort(c.hosts)
	if c.hosts = slices.Compact(c.hosts); len(c.hosts) == len(all) {
		return c // nobody wants the same
	}
	first := map[Host]model.AppID{}
	for _, claim := range all {
		place := Host{Name: claim.Host.Name, Path: claim.Host.Path}
		if app, ok := first[place]; !ok {
			first[place] = claim.App
		} else if app != claim.App {
			c.disputed = append(c.disputed, claim.Host.Name)
		}
	}
	return c
}

// Hosts returns the applications that want the same host and path as another, given the
// claims of all tenants. All of them are at fault, because the files do not tell which
// one was first.
func Hosts(tenants []*Claims) map[model.AppID]model.Problem {
	seen, disputed := map[string]bool{}, map[string]bool{}
	for _, t := range tenants {
		for _, name := range t.hosts {
			if seen[name] {
				disputed[name] = true // wanted by several tenants
			}
			seen[name] = true
		}
		for _, name := range t.disputed {
			disputed[name] = true
		}
	}
	if len(disputed) == 0 {
		return nil
	}
	rivals := map[string]*rivals{}
	var claims []Claim
	for _, t := range tenants {
		for _, c := range t.all {
			if disputed[c.Host.Name] {
				if rivals[c.Host.Name] == nil {
					rivals[c.Host.Name] = newRivals()
				}
				rivals[c.Host.Name].add(len(claims), c)
				claims = append(claims, c)
			}
		}
	}
	shared := map[model.AppID]model.Problem{}
	for _, c := range claims {
		if _, ok := shared[c.App]; ok {
			continue
		}
		if i, ok := rivals[c.Host.Name].of(c); ok {
			shared[c.App] = wantedTwice(c, claims[i])
		}
	}
	return shared
}

func wantedTwice(c, other Claim) model.Problem {
	message := fmt.Sprintf("host %s is wanted by %s as well", c.Host.Name+c.Host.Path, other.App)
	places := []model.Place{{At: c.Host.At, Note: c.App.String()}, {At: other.Host.At, Note: other.App.String()}}
	if other.App.Tenant != c.App.Tenant { // its application and files are not shown to this tenant
		message = fmt.Sprintf("host %s is wanted by another tenant as well", c.Host.Name)
		places = places[:1]
	}
	return model.Problem{Code: catalogue.Host, Path: "application", Message: message, Places: places}
}
