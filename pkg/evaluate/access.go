package evaluate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

type accessDoc struct {
	Principals map[string]principalDoc `json:"principals"`
	Admins     []string                `json:"admins"`
}

type platformAccessDoc struct {
	accessDoc
	Enforce string `json:"enforce"`
}

type tenantAccessDoc struct {
	accessDoc
	Owners map[string][]string `json:"owners"`
}

type principalDoc struct {
	SSH         []string `json:"ssh"`
	OpenPGP     []string `json:"openpgp"`
	Handle      string   `json:"handle"`
	ValidAfter  string   `json:"validAfter"`
	ValidBefore string   `json:"validBefore"`
	Revoked     bool     `json:"revoked"`
}

// access is what the platform says, or what is wrong with it.
func (d *platformAccessDoc) access(own *layer) (*model.Access, []model.Problem) {
	if d == nil {
		return nil, nil
	}
	a, problems := d.accessDoc.access("platform", own)
	a.Enforce = d.Enforce
	governs := func(name string) bool {
		p := d.Principals[name]
		return !p.Revoked && len(p.SSH)+len(p.OpenPGP) > 0
	}
	if a.Enforce == model.EnforceSigned && !slices.ContainsFunc(a.Admins, governs) {
		problems = append(problems, own.blame(codeUngoverned, "platform.access.enforce",
			"asks for signatures, and no admin of the platform has a key that is not revoked: nobody could change the platform any more"))
	}
	return a, problems
}

// access is what a tenant says under the platform, or what is wrong with it.
func (d *tenantAccessDoc) access(own, platform *layer) (*model.Access, []model.Problem) {
	if d == nil {
		return nil, nil
	}
	a, problems := d.accessDoc.access("tenant", own, platform)
	for _, app := range slices.Sorted(maps.Keys(d.Owners)) {
		problems = append(problems, d.unknown("tenant", "owners."+app, d.Owners[app], own, platform)...)
		a.Owners = append(a.Owners, model.Owners{App: app, Principals: sorted(d.Owners[app])})
	}
	return a, problems
}

func (d *accessDoc) access(field string, own *layer, above ...*layer) (*model.Access, []model.Problem) {
	a := &model.Access{Admins: sorted(d.Admins)}
	problems := d.unknown(field, "admins", d.Admins, own, above...)
	for _, name := range slices.Sorted(maps.Keys(d.Principals)) {
		p := d.Principals[name]
		path := field + ".access.principals." + name
		for _, moment := range []struct{ field, value string }{{"validAfter", p.ValidAfter}, {"validBefore", p.ValidBefore}} {
			if _, err := time.Parse(time.RFC3339, moment.value); moment.value != "" && err != nil {
				problems = append(problems, own.blame(codeAmount, path+"."+moment.field, fmt.Sprintf("%q is not in the calendar", moment.value)))
			}
		}
		a.Principals = append(a.Principals, model.Principal{
			Name: name, SSH: p.SSH, OpenPGP: p.OpenPGP, Handle: p.Handle,
			ValidAfter: p.ValidAfter, ValidBefore: p.ValidBefore, Revoked: p.Revoked,
		})
	}
	return a, problems
}

// unknown says which names are nobody's, in the layer or above it.
func (d *accessDoc) unknown(field, list string, names []string, own *layer, above ...*layer) (problems []model.Problem) {
	for i, name := range names {
		_, known := d.Principals[name]
		where := "the layer declares"
		for _, l := range above {
			_, there := l.where[key([]string{l.field, "access", "principals", name})]
			known = known || there
			where = "the tenant and the platform declare"
		}
		if !known {
			problems = append(problems, own.blame(codePrincipal, field+".access."+list+"."+strconv.Itoa(i),
				fmt.Sprintf("names %s, and %s no principal of that name", name, where)))
		}
	}
	return problems
}
