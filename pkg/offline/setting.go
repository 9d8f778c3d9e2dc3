package offline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Setting is PATH=VALUE, PATH=+VALUE or PATH=-VALUE: a value that replaces another, or is added to it or subtracted from it.
type Setting struct {
	text, path, value string
	sign              int64 // 0: replace the value
}

// ParseSetting reads a setting. It does not check the path.
func ParseSetting(text string) (Setting, error) {
	path, value, ok := strings.Cut(text, "=")
	if !ok || path == "" || value == "" {
		return Setting{}, fmt.Errorf("%q changes nothing; write PATH=VALUE, PATH=+VALUE or PATH=-VALUE", text)
	}
	c := Setting{text: text, path: path, value: value}
	switch value[0] {
	case '+':
		c.sign, c.value = 1, value[1:]
	case '-':
		c.sign, c.value = -1, value[1:]
	}
	return c, nil
}

// number returns the new value for n.
func (c Setting) number(n, least int64, parse func(string) (int64, error)) (int64, error) {
	value, err := parse(c.value)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c.text, err)
	}
	if c.sign != 0 {
		value = n + c.sign*value
	}
	if value < least {
		return 0, fmt.Errorf("%s: makes it %d, at least %d is possible", c.text, value, least)
	}
	return value, nil
}

// amount returns r with one resource changed.
func (c Setting) amount(r model.Resources, resource string) (model.Resources, error) {
	parse := parseCount
	switch resource {
	case "cpu":
		parse = model.ParseCPU
	case "memory":
		parse = model.ParseMemory
	}
	n, err := c.number(r.Get(resource), 0, parse)
	if err != nil {
		return r, err
	}
	return r.With(resource, n), nil
}

func parseCount(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is no whole number", s)
	}
	return n, nil
}

func parseMoney(s string) (int64, error) {
	if strings.Trim(s, "0123456789.") != "" {
		return 0, fmt.Errorf("%q is no amount of money", s)
	}
	thousandths, err := model.ParseCPU(s)
	return thousandths * 1000, err
}

// choose sets a value to one of some words. The first is how people write usual, which is what the model has for it.
func choose[T ~string](c Setting, value *T, usual T, words ...T) error {
	switch slices.Index(words, T(c.value)) {
	case -1:
		list := make([]string, len(words))
		for i, word := range words {
			list[i] = string(word)
		}
		last := len(list) - 1
		return fmt.Errorf("%s: write %s or %s", c.text, strings.Join(list[:last], ", "), list[last])
	case 0:
		*value = usual
	default:
		*value = T(c.value)
	}
	return nil
}

// fields are the fields that a setting can change, by path.
type fields map[string]func(Setting) error

// count adds a field with a whole number.
func (f fields) count(path string, n *int, least int64) {
	f[path] = func(c Setting) error {
		value, err := c.number(int64(*n), least, parseCount)
		if err == nil {
			*n = int(value)
		}
		return err
	}
}

// resources adds a field for each resource.
func (f fields) resources(path string, r *model.Resources) {
	for _, name := range r.Names() {
		f[path+"."+name] = nil
	}
	f[path+".*"] = func(c Setting) (err error) {
		*r, err = c.amount(*r, c.path)
		return err
	}
}

// optional adds a limit that may be absent. An absent limit cannot be changed: a limit with one resource would allow
// nothing of the others.
func (f fields) optional(path string, r **model.Resources) {
	if *r == nil {
		f.resources(path, &model.Resources{})
		f[path+".*"] = func(c Setting) error {
			return fmt.Errorf("%s: there is no such limit to change; declare it and use plan", c.text)
		}
		return
	}
	own := **r
	*r = &own
	f.resources(path, &own)
}

// poolQuotas adds a field for each limit in a pool that is declared.
func (f fields) poolQuotas(quotas *[]model.PoolQuota) {
	*quotas = slices.Clone(*quotas)
	for i := range *quotas {
		q := &(*quotas)[i]
		q.Limits = maps.Clone(q.Limits)
		for _, name := range q.Resources() {
			f["quota.pools."+q.Pool+"."+name] = func(c Setting) error {
				n, err := c.amount(model.Resources{}.With(name, q.Limits[name]), name)
				q.Limits[name] = n.Get(name)
				return err
			}
		}
	}
}

// apply changes the field at a path.
func (f fields) apply(c Setting, what, path string) error {
	if set := f[path]; set != nil {
		return set(c)
	}
	for _, known := range slices.Sorted(maps.Keys(f)) {
		prefix, open := strings.CutSuffix(known, "*")
		resource, ok := strings.CutPrefix(path, prefix)
		if _, named := f[path]; open && ok && (named || strings.Contains(resource, "/")) {
			c.path = resource
			return f[known](c)
		}
	}
	known := slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(name string) bool { return strings.HasSuffix(name, "*") })
	hint := "; it has " + strings.Join(known, ", ")
	if near := text.Nearest(path, known); near != "" {
		hint = "; did you mean " + near + "?"
	}
	return fmt.Errorf("%s: %s has no %q that can be changed%s", c.text, what, path, hint)
}

// apply changes a fleet. It copies what the fleet shares with others.
func (c Setting) apply(fleet *model.Fleet) error {
	kind, rest, _ := strings.Cut(c.path, ".")
	name, field, _ := strings.Cut(rest, ".")
	var known []string
	switch kind {
	case "tenant":
		known, fleet.Tenants = model.Names(fleet.Tenants), slices.Clone(fleet.Tenants)
		if t, ok := model.Find(fleet.Tenants, name); ok {
			f := shareFields(&t.Weight, &t.Guarantee, &t.Quota, &t.Borrow, &t.Lend)
			f.poolQuotas(&t.PoolQuotas)
			f.count("quota.applications", &t.MaxApplications, 1)
			f.count("quota.workloads", &t.MaxWorkloads, 1)
			f.count("quota.priorityCeiling", &t.PriorityCeiling, 0)
			f.policy(fleet, t.Name, &t.Policy)
			return f.apply(c, "tenant "+name, field)
		}
	case "group":
		if fleet.Platform == nil {
			break
		}
		platform := *fleet.Platform
		known, platform.Groups = model.Names(platform.Groups), slices.Clone(platform.Groups)
		fleet.Platform = &platform
		if g, ok := model.Find(platform.Groups, name); ok {
			f := shareFields(&g.Weight, &g.Guarantee, &g.Quota, &g.Borrow, &g.Lend)
			f.poolQuotas(&g.PoolQuotas)
			return f.apply(c, "group "+name, field)
		}
	case "application":
		fleet.Applications = slices.Clone(fleet.Applications)
		for i, app := range fleet.Applications {
			if known = append(known, app.ID.String()); app.ID.String() == name {
				changed := *app
				changed.Policy = new(*app.Policy)
				err := applicationFields(&changed).apply(c, "application "+name, field)
				changed = changed.Seal()
				fleet.Applications[i] = &changed
				return err
			}
		}
	case "platform":
		if fleet.Platform == nil {
			break
		}
		platform := *fleet.Platform
		fleet.Platform = &platform
		return platformFields(fleet, &platform).apply(c, "the platform", rest)
	default:
		return fmt.Errorf("%s: only a tenant, an application, a group or the platform can be changed; write tenant.acme.quota.cpu=128, application.acme/shop.priority=500, group.retail.weight=3 or platform.policy.history.halfLife=168h", c.text)
	}
	return c.unknown(kind, name, known)
}

// shareFields are the fields that tenants and groups have in common.
func shareFields(weight *int, guarantee *model.Resources, quota, borrow, lend **model.Resources) fields {
	f := fields{}
	f.count("weight", weight, 1)
	f.resources("guarantee", guarantee)
	f.optional("quota", quota)
	f.optional("borrow", borrow)
	f.optional("lend", lend)
	return f
}

func applicationFields(app *model.Application) fields {
	app.Components = slices.Clone(app.Components)
	f := fields{}
	f.count("priority", &app.Priority, 0)
	f["budget.costPerHour"] = func(c Setting) (err error) {
		app.Budget, err = c.number(app.Budget, 1, parseMoney)
		return err
	}
	f["policy.flavours"] = func(c Setting) error {
		return choose(c, &app.Policy.Flavours, "", model.FlavoursFirstFree, model.FlavoursMakeRoomFirst)
	}
	f["policy.priorityClaims"] = func(c Setting) error { return claims(c, app.Policy) }
	f["desired"] = func(c Setting) error {
		return choose(c, &app.Desired, model.DesiredRunning, model.DesiredRunning, model.DesiredSuspended, model.DesiredTerminated)
	}
	for n := range app.Components {
		comp := &app.Components[n]
		path := "components." + comp.Name + "."
		f.count(path+"replicas", &comp.Replicas, 0)
		f.resources(path+"resources.requests", &comp.Requests)
		f.placement(path+"placement.", &comp.Placement)
		if comp.Finite() {
			f.duration(path+"expect", &comp.Expect)
		}
		if comp.Degrade != nil {
			own := *comp.Degrade
			comp.Degrade = &own
			f.count(path+"degrade.minReplicas", &own.MinReplicas, 0)
		}
	}
	return f
}

func (c Setting) unknown(kind, name string, known []string) error {
	if near := text.Nearest(name, known); near != "" {
		return fmt.Errorf("%s: the fleet declares no %s %s; did you mean %s?", c.text, kind, text.Clean(name), near)
	}
	return fmt.Errorf("%s: %w", c.text, missing(kind+" "+cmp.Or(name, "without a name"), known))
}
