package access

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Policy has the keys and roles that the layers of one commit declare. It never changes.
type Policy struct {
	enforced bool
	holders  []holder
	ssh      map[string][]int // public key in wire format: indices of holders
	openpgp  map[uint64][]certificate
	problems []model.Problem

	audience string        // "": nobody is asked for statements
	require  *model.People // nil: one of each
}

// A holder is a principal of one layer, with all areas that they may change.
type holder struct {
	*model.Principal
	tenant        string // whose principal; "": the platform's
	after, before time.Time
	never         bool // its times cannot be read
	merges        bool // it is a Git host, which has no areas
	areas         []area
}

// A certificate is an OpenPGP key. It is read again for each signature, because the
// library keeps results in it that may be wrong at another time.
type certificate struct {
	holder  int
	armored string
}

// New compiles the layers of a commit. A nil platform enforces nothing.
func New(platform *model.Platform, tenants []model.Tenant) *Policy {
	p := &Policy{ssh: map[string][]int{}, openpgp: map[uint64][]certificate{}}
	if platform == nil || platform.Access == nil {
		platform = &model.Platform{Access: &model.Access{}}
	}
	p.enforced = platform.Access.Enforce == model.EnforceSigned
	p.audience, p.require = platform.Access.Audience, platform.Access.Require
	p.declare("", platform.Access, platform.At)
	for _, name := range platform.Access.Mergers {
		if n := p.find("", name); n >= 0 {
			p.holders[n].merges = true
		}
	}
	for i := range tenants {
		if tenants[i].Access != nil {
			p.declare(tenants[i].Name, tenants[i].Access, tenants[i].At)
		}
	}
	p.appoint(area{}, "", platform.Access.Admins)
	for i := range tenants {
		t := &tenants[i]
		if t.Access == nil || !model.ValidName(t.Name) {
			continue
		}
		p.appoint(area{model.AppID{Tenant: t.Name}}, t.Name, t.Access.Admins)
		for _, o := range t.Access.Owners {
			if model.ValidName(o.App) {
				p.appoint(area{model.AppID{Tenant: t.Name, Name: o.App}}, t.Name, o.Principals)
			}
		}
	}
	return p
}

// Enforced reports whether commits need signatures.
func (p *Policy) Enforced() bool { return p.enforced }

// Problems returns a problem for each declared key that nobody can sign with, and one if
// nobody can sign for the platform at the time now.
func (p *Policy) Problems(now time.Time) []model.Problem {
	problems := slices.Clip(p.problems)
	if p.enforced && !p.Governed(now) {
		admins, verb := p.tooFew()
		problems = append(problems, model.Problem{Code: CodeLockout, Path: "platform.access",
			Message: admins + " " + verb + " a key that is valid now, so that nobody can change the platform; start with --trust-root at a commit that names one (docs/access.md)"})
	}
	return problems
}

// declare adds the principals of a layer.
func (p *Policy) declare(tenant string, a *model.Access, at model.Positions) {
	for i := range a.Principals {
		h := holder{Principal: &a.Principals[i], tenant: tenant}
		h.after, h.before, h.never = validity(h.Principal)
		n := len(p.holders)
		p.holders = append(p.holders, h)
		path := "access.principals." + h.Name
		blame := func(kind string, i int, err error) {
			if err == nil {
				return
			}
			problem := model.Problem{Code: CodeUnusableKey, Tenant: tenant, Path: layerOf(tenant) + "." + fmt.Sprintf("%s.%s.%d", path, kind, i),
				Message: "nobody can sign with it: " + err.Error()}
			if place := at[fmt.Sprintf("%s.%s.%d", path, kind, i)]; place != "" {
				problem.Places = []model.Place{{At: place}}
			}
			p.problems = append(p.problems, problem)
		}
		for i, line := range h.SSH {
			key, err := parseSSHKey(line)
			if blame("ssh", i, err); err == nil {
				p.ssh[key] = append(p.ssh[key], n)
			}
		}
		for i, armored := range h.OpenPGP {
			ids, err := parseCertificate(armored, time.Time{})
			blame("openpgp", i, err)
			for _, id := range ids {
				p.openpgp[id] = append(p.openpgp[id], certificate{n, armored})
			}
		}
	}
}

func layerOf(tenant string) string {
	if tenant == "" {
		return "platform"
	}
	return "tenant"
}

// validity returns the times between which a principal's keys are valid.
func validity(m *model.Principal) (after, before time.Time, never bool) {
	read := func(s string) (t time.Time) {
		if s == "" {
			return t
		}
		t, err := time.Parse(time.RFC3339, s)
		never = never || err != nil
		return t
	}
	return read(m.ValidAfter), read(m.ValidBefore), never
}

// appoint lets principals change an area. A name in a tenant means the tenant's
// principal or, if it has none of that name, the platform's.
func (p *Policy) appoint(to area, tenant string, names []string) {
	for _, name := range names {
		if n := p.find(tenant, name); n >= 0 && !p.holders[n].merges && !slices.Contains(p.holders[n].areas, to) {
			p.holders[n].areas = append(p.holders[n].areas, to)
		}
	}
}

func (p *Policy) find(tenant, name string) int {
	of := func(tenant string) int {
		return slices.IndexFunc(p.holders, func(h holder) bool { return h.tenant == tenant && h.Name == name })
	}
	if n := of(tenant); n >= 0 || tenant == "" {
		return n
	}
	return of("")
}

// may reports whether the holder may change an area.
func (h *holder) may(a area) bool {
	return slices.ContainsFunc(h.areas, func(own area) bool { return own.holds(a) })
}

// expired returns why the holder's keys are not valid at a time, "" if they are.
func (h *holder) expired(at time.Time) string {
	switch {
	case h.never:
		return "whose times of validity cannot be read"
	case !h.after.IsZero() && at.Before(h.after):
		return "which is not valid before " + h.ValidAfter
	case !h.before.IsZero() && !at.Before(h.before):
		return "which is not valid since " + h.ValidBefore
	}
	return ""
}

// Governed reports whether there are platform admins who can sign at this time, as many
// as a change of the platform needs. Without them, no commit could ever appoint one.
func (p *Policy) Governed(now time.Time) bool {
	var admins [][]int
	add := func(holders []int) {
		able := slices.DeleteFunc(slices.Clone(p.who(holders)), func(n int) bool {
			h := &p.holders[n]
			return !h.may(area{}) || h.expired(now) != ""
		})
		if len(able) > 0 && !p.revoked(holders) {
			admins = joined(admins, able)
		}
	}
	for _, ns := range p.ssh {
		add(ns)
	}
	for _, certificates := range p.openpgp {
		var ns []int
		for _, c := range certificates {
			if _, err := parseCertificate(c.armored, now); err == nil {
				ns = append(ns, c.holder)
			}
		}
		add(ns)
	}
	need, _ := p.need(area{})
	return len(admins) >= need
}

// tooFew says which platform admins are there if the platform is not governed.
func (p *Policy) tooFew() (admins, verb string) {
	if need, _ := p.need(area{}); need > 1 {
		return fmt.Sprintf("fewer than %d platform admins", need), "have"
	}
	return "no platform admin", "has"
}

// revoked reports whether the platform has revoked a key of these holders. Then nobody
// can sign with the key; a tenant revokes a key only for itself.
func (p *Policy) revoked(holders []int) bool {
	return slices.ContainsFunc(holders, func(n int) bool { return p.holders[n].tenant == "" && p.holders[n].Revoked })
}

// who returns the holders of a key for whom it counts: the Git hosts among them, if there
// are any. The key of a host is nobody else's, whoever lists it.
func (p *Policy) who(holders []int) []int {
	hosts := slices.DeleteFunc(slices.Clone(holders), func(n int) bool { return !p.holders[n].merges })
	if len(hosts) > 0 {
		return hosts
	}
	return holders
}

// names lists holders for people: ada, acme/bob.
func (p *Policy) names(holders []int) string {
	var names []string
	for _, n := range holders {
		name := p.holders[n].Name
		if t := p.holders[n].tenant; t != "" {
			name = t + "/" + name
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
