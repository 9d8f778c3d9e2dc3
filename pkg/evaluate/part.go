package evaluate

import (
	"maps"
	"path"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// A part is the result for the directory of one tenant. It depends on the directory, the
// platform and the commits that the tenant pins, and is valid while these are the same.
// A pass makes only the parts that changed, and combines all parts to the fleet.
type part struct {
	name   string
	key    partKey // zero while the result is not final
	layer  cached
	policy string // of the tenant's applications, as a key
	moved  bool   // its policy, or a place in it, differs from that of the last part

	instances map[string]cachedApplication // by application

	says   says
	unsure bool // a file could not be read: the next pass must try again
}

// says has the contribution of a part to the fleet, and the values that are compared
// with other parts.
type says struct {
	declared     bool                 // the directory is a tenant
	applications []*model.Application // usable by themselves
	unusable     []model.Unusable
	problems     []model.Problem
	incomplete   bool // the list of applications could not be read
}

// cachedApplication is the result of an application, with the key of its inputs.
type cachedApplication struct {
	key    applicationKey
	result *result
}

type applicationKey struct {
	files  string // see inputs
	policy string // the tenant's effective policy
	layers string // digest of the files of the layers above
}

type partKey struct{ directory, platform, module string }

// A declared is one application that the files declare, while it is evaluated.
type declared struct {
	app    model.AppID
	part   *part
	commit string // to which it is pinned, or ""
	files  Files
	key    applicationKey

	result  *result
	problem *model.Problem // why it cannot be evaluated at all
}

// newPart returns the part of a tenant without a result.
func newPart(name string) *part { return &part{name: name, layer: cached{result: &result{}}} }

// partOf returns the part of a tenant: the cached one, or a new one with the applications
// to evaluate.
func (p *pass) partOf(name string) (t *part, apps []*declared) {
	dir := layer.TenantDir(name)
	before := p.e.parts[name]
	t = newPart(name)
	if digest, err := p.files.Digest(dir); err == nil && p.platformKey != "" {
		t.key = partKey{digest, p.platformKey, p.module}
		if before != nil && before.key == t.key {
			return before, nil
		}
	}
	names, problems, err := layer.ListTenant(p.files, name)
	p.layerOf(t, names, problems, err)
	apps = p.declaredIn(t, before)
	if err == nil && len(names)+len(problems)+len(apps)+len(t.says.unusable) == 0 {
		return t, nil // a directory that declares neither is no tenant
	}
	t.says.declared = true
	t.policy = string(t.layer.result.Policy)
	t.moved = before == nil || !samePolicy(before.layer.result.Tenant, t.layer.result.Tenant)
	t.report("", t.layer.result.Problems...)
	t.report("", p.unreadOf(name)...)
	if t.layer.result.Tenant != nil {
		t.report("", p.pins(t, apps)...)
	}
	return t, apps
}

func samePolicy(before, after *model.Tenant) bool {
	return before == after || before != nil && after != nil && before.Policy.Equal(&after.Policy) && slices.Equal(before.InForce, after.InForce)
}

// report adds problems of the files of the tenant, or of one of its applications.
func (t *part) report(app string, problems ...model.Problem) {
	for _, problem := range problems {
		problem.Tenant, problem.App = t.name, app
		t.says.problems = append(t.says.problems, problem)
	}
}

// layerOf evaluates a tenant's own files.
func (p *pass) layerOf(t *part, names []string, problems []model.Problem, err error) {
	dir := layer.TenantDir(t.name)
	switch {
	case err != nil:
		t.unsure = true
		problems = append(problems, unreadable(dir, err))
	case len(problems) == 0 && len(names) == 0:
		problems = append(problems, layer.WholeFile(catalogue.NoTenant, path.Join(dir, "tenant.cue"), "is missing; the directory has applications and declares no tenant"))
	case p.platform.Platform == nil:
		return // the platform's problems stand for it
	case len(problems) == 0:
		payer := t.name // whose budget it counts for
		if p.insist {
			payer = ""
		}
		t.layer = p.layer(payer, dir, names, p.e.tenants[t.name], p.platformKey, func() request {
			return request{Layer: "tenant", Tenant: t.name, Above: p.platform.Above.For(t.name)}
		})
		t.unsure = t.layer.key == ""
		return
	}
	t.layer.result.Problems = problems
}

// declaredIn lists the applications that a tenant's directory declares.
func (p *pass) declaredIn(t, before *part) (apps []*declared) {
	dir := path.Join(layer.TenantDir(t.name), "apps")
	names, problems, err := directories(p.files, dir)
	t.report("", problems...)
	if err != nil {
		t.unsure, t.says.incomplete = true, true
		t.report("", unreadable(dir, err))
	}
	for _, name := range p.within(t, names) {
		a := &declared{app: model.AppID{Tenant: t.name, Name: name}, part: t, files: p.files}
		a.key.files, err = inputs(p.files, a.app)
		if err == nil && before != nil && before.instances[name].key.files == a.key.files {
			apps = append(apps, a)
			continue // known to be one
		}
		cue, bad, readErr := layer.List(p.files, layer.ApplicationDir(a.app))
		switch {
		case readErr != nil:
			a.unread(readErr)
			apps = append(apps, a)
		case len(cue)+len(bad) > 0:
			apps = append(apps, a)
		}
	}
	return apps
}

// unread records that the files of an application cannot be read.
func (a *declared) unread(err error) {
	a.part.unsure = true
	a.problem, a.key = new(unreadable(layer.ApplicationDir(a.app), err)), applicationKey{}
}

// pins replaces the files of pinned applications by those of their commit.
func (p *pass) pins(t *part, apps []*declared) (problems []model.Problem) {
	tenant := t.layer.result.Tenant
	for _, name := range slices.Sorted(maps.Keys(tenant.Pins)) {
		commit := tenant.Pins[name]
		where := model.Place{At: tenant.At["releases."+name+".commit"], Note: commit}
		blame := func(code, message string) model.Problem {
			return model.Problem{Code: code, Path: "tenant.releases." + name + ".commit", Message: message, Places: []model.Place{where}}
		}
		i := slices.IndexFunc(apps, func(a *declared) bool { return a.app.Name == name })
		if i < 0 && slices.ContainsFunc(t.says.unusable, func(u model.Unusable) bool { return u.App.Name == name }) {
			continue // it is one of too many
		}
		if i < 0 {
			problems = append(problems, blame(catalogue.NothingPin, "pins "+name+", and the tenant has no such application"))
			continue
		}
		a := apps[i]
		files, err := p.at(commit)
		there := 0
		if err == nil {
			var names []string
			var bad []model.Problem
			names, bad, err = layer.List(files, layer.ApplicationDir(a.app))
			there = len(names) + len(bad)
		}
		switch {
		case err != nil:
			a.part.unsure = true
			a.problem = new(blame(catalogue.NoCommit, "pins "+name+" to a commit that cannot be read: "+text.Clean(err.Error())))
		case there == 0:
			a.problem = new(blame(catalogue.NotInPin, "pins "+name+" to a commit in which it does not exist"))
		default:
			a.files, a.commit, a.key.files = files, commit, ""
		}
	}
	return problems
}
