package evaluate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// A claim is a host that an application wants.
type claim struct {
	app  model.AppID
	host host
}

// hosts says which hosts are wanted twice. It is kept between passes, so that a
// pass looks only at the hosts of tenants that changed.
type hosts struct {
	tenants  map[string]int      // how many want a host
	disputed map[string]struct{} // by several tenants
}

// replace takes in that parts changed.
func (h *hosts) replace(before, after map[string]*part) {
	if h.tenants == nil {
		h.tenants, h.disputed = map[string]int{}, map[string]struct{}{}
	}
	for name, t := range before {
		if now := after[name]; now != t && (now == nil || !slices.Equal(now.hosts, t.hosts)) {
			h.count(t.hosts, -1)
		}
	}
	for name, t := range after {
		if was := before[name]; was != t && (was == nil || !slices.Equal(was.hosts, t.hosts)) {
			h.count(t.hosts, +1)
		}
	}
}

func (h *hosts) count(names []string, by int) {
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

// gatherHosts lists the hosts that applications of the tenant want, each once, and
// those that several of them want.
func (t *part) gatherHosts() {
	t.hosts = make([]string, len(t.claims))
	for i, c := range t.claims {
		t.hosts[i] = c.host.name
	}
	slices.Sort(t.hosts)
	if t.hosts = slices.Compact(t.hosts); len(t.hosts) == len(t.claims) {
		return // nobody wants the same
	}
	first := map[host]model.AppID{}
	for _, c := range t.claims {
		place := host{name: c.host.name, path: c.host.path}
		if app, ok := first[place]; !ok {
			first[place] = c.app
		} else if app != c.app {
			t.disputed = append(t.disputed, c.host.name)
		}
	}
}

// sharedHosts refuses applications that want the same place on the network. All
// of them are refused: which one was first is not in the files, and those that
// run keep what they have.
func (p *pass) sharedHosts() {
	disputed := maps.Clone(p.e.hosts.disputed)
	for _, t := range p.parts {
		for _, name := range t.disputed {
			disputed[name] = struct{}{}
		}
	}
	if len(disputed) == 0 {
		return
	}
	rivals := map[string]*rivals{}
	var claims []claim
	for _, t := range p.parts {
		for _, c := range t.claims {
			if _, ok := disputed[c.host.name]; ok {
				if rivals[c.host.name] == nil {
					rivals[c.host.name] = newRivals()
				}
				rivals[c.host.name].add(len(claims), c)
				claims = append(claims, c)
			}
		}
	}
	refused := map[model.AppID]model.Problem{}
	for _, c := range claims {
		if _, ok := refused[c.app]; ok {
			continue
		}
		i, ok := rivals[c.host.name].of(c)
		if !ok {
			continue
		}
		other := claims[i]
		message := fmt.Sprintf("host %s is wanted by %s as well", c.host.name+c.host.path, other.app)
		places := []model.Place{{At: c.host.at, Note: c.app.String()}, {At: other.host.at, Note: other.app.String()}}
		if other.app.Tenant != c.app.Tenant { // who and where is the other tenant's affair
			message = fmt.Sprintf("host %s is wanted by another tenant as well", c.host.name)
			places = places[:1]
		}
		refused[c.app] = model.Problem{Code: codeHost, Path: "application", Message: message, Places: places}
	}
	p.refuse(refused)
}

// rivals are the first claims to one host: of two tenants, and of two applications
// for each path of a tenant. So finding the first rival of a claim takes no search.
type rivals struct {
	tenants      firstTwo
	applications map[[2]string]*firstTwo // by tenant and path
}

// firstTwo are the first index and the first of another owner.
type firstTwo struct {
	owner         string
	first, second int // -1: none
}

func (p *firstTwo) add(i int, owner string) {
	switch {
	case p.first < 0:
		p.first, p.owner = i, owner
	case p.second < 0 && owner != p.owner:
		p.second = i
	}
}

// other returns the first index that is not of the owner.
func (p *firstTwo) other(owner string) int {
	if p.first >= 0 && owner == p.owner {
		return p.second
	}
	return p.first
}

func newRivals() *rivals {
	return &rivals{firstTwo{first: -1, second: -1}, map[[2]string]*firstTwo{}}
}

// add takes in claim i, in order.
func (r *rivals) add(i int, c claim) {
	r.tenants.add(i, c.app.Tenant)
	place := [2]string{c.app.Tenant, c.host.path}
	if r.applications[place] == nil {
		r.applications[place] = &firstTwo{first: -1, second: -1}
	}
	r.applications[place].add(i, c.app.Name)
}

// of returns the first claim that excludes c.
func (r *rivals) of(c claim) (i int, ok bool) {
	i = r.tenants.other(c.app.Tenant)
	if same := r.applications[[2]string{c.app.Tenant, c.host.path}].other(c.app.Name); same >= 0 && (i < 0 || same < i) {
		i = same
	}
	return i, i >= 0
}
