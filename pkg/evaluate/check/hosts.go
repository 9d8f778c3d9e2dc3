package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// A Host is a place on the network that an application wants to serve.
type Host struct {
	Name, Path string
	At         string // where it is written
}

// A Claim is a host and the application that wants it.
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

// Hosts knows which hosts several tenants want. It is kept between passes, so that a
// pass looks only at the claims of tenants that changed. The zero Hosts has no
// tenants.
type Hosts struct {
	tenants  map[string]int      // how many want a host
	disputed map[string]struct{} // wanted by several
}

// Replace puts the claims of a tenant in the place of those before. Either may be nil:
// the tenant is new, or gone.
func (h *Hosts) Replace(before, after *Claims) {
	if h.tenants == nil {
		h.tenants, h.disputed = map[string]int{}, map[string]struct{}{}
	}
	var old, now []string
	if before != nil {
		old = before.hosts
	}
	if after != nil {
		now = after.hosts
	}
	if !slices.Equal(old, now) {
		h.count(old, -1)
		h.count(now, +1)
	}
}

func (h *Hosts) count(names []string, by int) {
	for _, name := range names {
		n := h.tenants[name] + by
		if h.tenants[name] = n; n == 0 {
			delete(h.tenants, name)
		}
		if n > 1 {
			h.disputed[name] = struct{}{}
		} else {
			delete(h.disputed, name)
		}
	}
}

// Clone returns a copy that may be changed by itself.
func (h Hosts) Clone() Hosts { return Hosts{maps.Clone(h.tenants), maps.Clone(h.disputed)} }

// Shared returns the applications that want the same place on the network as another,
// given the claims of all tenants. All of them are at fault: which one was first is
// not in the files.
func (h *Hosts) Shared(tenants []*Claims) map[model.AppID]model.Problem {
	disputed := maps.Clone(h.disputed)
	for _, t := range tenants {
		for _, name := range t.disputed {
			disputed[name] = struct{}{}
		}
	}
	if len(disputed) == 0 {
		return nil
	}
	rivals := map[string]*rivals{}
	var claims []Claim
	for _, t := range tenants {
		for _, c := range t.all {
			if _, ok := disputed[c.Host.Name]; ok {
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
	if other.App.Tenant != c.App.Tenant { // who and where is the other tenant's affair
		message = fmt.Sprintf("host %s is wanted by another tenant as well", c.Host.Name)
		places = places[:1]
	}
	return model.Problem{Code: catalogue.Host, Path: "application", Message: message, Places: places}
}
