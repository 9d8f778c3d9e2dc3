package decode

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

type accessDoc struct {
	model.Access
	Principals map[string]model.Principal `json:"principals"`
}

type tenantAccessDoc struct {
	accessDoc
	Owners map[string][]string `json:"owners"`
}

// ofPlatform returns the access rules of the platform, or their problems.
func (d *accessDoc) ofPlatform(own *layer.Layer) (*model.Access, []model.Problem) {
	if d == nil {
		return nil, nil
	}
	a, problems := d.access("platform", own)
	problems = append(problems, d.unknown("platform", "mergers", d.Mergers, own)...)
	for i, name := range d.Mergers {
		if slices.Contains(a.Admins, name) {
			problems = append(problems, own.Blame(catalogue.MergerWithRights, fmt.Sprintf("platform.access.mergers.%d", i),
				fmt.Sprintf("names %s, who is an admin of the platform: a Git host signs for everybody who may merge there, so it can have no rights of its own", name)))
		}
	}
	if a.Require != nil && a.Audience == "" {
		problems = append(problems, own.Blame(catalogue.NoAudience, "platform.access.require",
			"counts people, and without platform.access.audience nobody can say that a signature is meant for this fleet"))
	}
	return a, append(problems, d.ungoverned(a, own)...)
}

// ungoverned blames access by which nobody could change the platform any more.
func (d *accessDoc) ungoverned(a *model.Access, own *layer.Layer) []model.Problem {
	if a.Enforce != model.EnforceSigned {
		return nil
	}
	able := slices.DeleteFunc(slices.Clone(a.Admins), func(name string) bool {
		p := d.Principals[name]
		return p.Revoked || len(p.SSH)+len(p.OpenPGP) == 0
	})
	switch able = slices.Compact(able); {
	case len(able) == 0:
		return []model.Problem{own.Blame(catalogue.Ungoverned, "platform.access.enforce",
			"asks for signatures, and no admin of the platform has a key that is not revoked: nobody could change the platform any more")}
	case a.Require != nil && len(able) < a.Require.Platform:
		return []model.Problem{own.Blame(catalogue.Ungoverned, "platform.access.require.platform",
			fmt.Sprintf("asks for %d people, and only %d admins of the platform have a key that is not revoked: nobody could change the platform any more", a.Require.Platform, len(able)))}
	}
	return nil
}

// ofTenant returns the access rules of a tenant under the platform, or their problems.
func (d *tenantAccessDoc) ofTenant(own, platform *layer.Layer) (*model.Access, []model.Problem) {
	if d == nil {
		return nil, nil
	}
	a, problems := d.access("tenant", own, platform)
	for _, app := range slices.Sorted(maps.Keys(d.Owners)) {
		problems = append(problems, d.unknown("tenant", "owners."+app, d.Owners[app], own, platform)...)
		a.Owners = append(a.Owners, model.Owners{App: app, Principals: sorted(d.Owners[app])})
	}
	return a, problems
}

func (d *accessDoc) access(field string, own *layer.Layer, above ...*layer.Layer) (*model.Access, []model.Problem) {
	a := new(d.Access)
	a.Admins, a.Viewers, a.Mergers = sorted(d.Admins), sorted(d.Viewers), sorted(d.Mergers)
	problems := d.unknown(field, "admins", d.Admins, own, above...)
	logins := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(d.Principals)) {
		p := d.Principals[name]
		path := field + ".access.principals." + name
		for _, moment := range []struct{ field, value string }{{"validAfter", p.ValidAfter}, {"validBefore", p.ValidBefore}} {
			if _, err := time.Parse(time.RFC3339, moment.value); moment.value != "" && err != nil {
				problems = append(problems, own.Blame(catalogue.Amount, path+"."+moment.field, fmt.Sprintf("%q is not in the calendar", moment.value)))
			}
		}
		if first, taken := logins[p.Login]; taken && p.Login != "" {
			problems = append(problems, own.Blame(catalogue.SharedLogin, path+".login",
				fmt.Sprintf("is %s, which is the login of %s, too: whoever signs in so would have the roles of both", p.Login, first)))
		} else {
			logins[p.Login] = name
		}
		p.Name = name
		a.Principals = append(a.Principals, p)
	}
	return a, problems
}

// unknown blames names of principals that neither the layer nor a layer above declares.
func (d *accessDoc) unknown(field, list string, names []string, own *layer.Layer, above ...*layer.Layer) (problems []model.Problem) {
	for i, name := range names {
		_, known := d.Principals[name]
		where := "the layer declares"
		for _, l := range above {
			known = known || l.Writes(l.Field, "access", "principals", name)
			where = "the tenant and the platform declare"
		}
		if !known {
			problems = append(problems, own.Blame(catalogue.Principal, field+".access."+list+"."+strconv.Itoa(i),
				fmt.Sprintf("names %s, and %s no principal of that name", name, where)))
		}
	}
	return problems
}
