package evaluate

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// A pass evaluates one commit.
type pass struct {
	e      *Evaluator
	commit string
	files  Files
	at     func(commit string) (Files, error)

	fleet  model.Fleet
	unsure bool // something could not be read: the next pass must try again

	platform *platformResult
	hosts    []claim
	objects  []objectName
}

// A declared is one application that the files declare, on its way.
type declared struct {
	app    model.AppID
	tenant *memory[tenantResult]
	commit string // that it is read from
	files  Files
	dir    memoryKey
	pinned bool

	result  applicationResult
	problem *model.Problem // why it cannot be evaluated at all
}

type memoryKey struct{ files, policy, layers string }

func (p *pass) evaluate() {
	p.evaluatePlatform()
	names, problems, err := directories(p.files, "tenants")
	p.report("", "", problems...)
	if err != nil {
		p.unreadable("", "tenants", err)
	}
	tenants := map[string]memory[tenantResult]{}
	var apps []*declared
	for _, name := range names {
		apps = append(apps, p.evaluateTenant(name, tenants)...)
	}
	p.e.tenants = tenants
	p.evaluateApplications(apps)
	p.across()
	byPlace(p.fleet.Problems)
}

// report adds problems of a tenant's or an application's files.
func (p *pass) report(tenant, app string, problems ...model.Problem) {
	for _, problem := range problems {
		problem.Tenant, problem.App = tenant, app
		p.fleet.Problems = append(p.fleet.Problems, problem)
	}
}

// unreadable reports that what dir declares is not known.
func (p *pass) unreadable(tenant, dir string, err error) model.Problem {
	p.unsure = true
	p.fleet.Incomplete = true
	problem := at(codeUnreadable, dir, "cannot be read: "+oneLine(err.Error()))
	p.report(tenant, "", problem)
	return problem
}

func (p *pass) evaluatePlatform() {
	r := func() platformResult {
		names, problems, err := cueFiles(p.files, ".")
		if err != nil {
			p.unsure = true
			return platformResult{problems: []model.Problem{at(codeUnreadable, "fleet.cue", "cannot be read: "+oneLine(err.Error()))}}
		}
		if len(problems) > 0 {
			return platformResult{problems: problems}
		}
		if len(names) == 0 {
			return platformResult{problems: []model.Problem{at(codeNoPlatform, "fleet.cue", "is missing; the platform is declared at the root of the repo")}}
		}
		key, err := digests(p.files, names)
		if err == nil && key == p.e.platform.key {
			return p.e.platform.result
		}
		blobs, problems, readErr := read(p.files, names)
		if err = cmp.Or(err, readErr); err != nil {
			p.unsure = true
			return platformResult{problems: []model.Problem{at(codeUnreadable, "fleet.cue", "cannot be read: "+oneLine(err.Error()))}}
		}
		result := platformResult{problems: problems}
		if len(problems) == 0 {
			result, err = p.e.platformOf(key, blobs)
		}
		if err != nil {
			p.unsure = true
			return platformResult{problems: []model.Problem{unanswered("fleet.cue", err)}}
		}
		p.e.platform = memory[platformResult]{key, result}
		return result
	}()
	p.platform = &r
	p.fleet.Platform = r.platform
	p.report("", "", r.problems...)
}

// evaluateTenant evaluates a tenant and returns the applications that it
// declares. A directory that declares neither is none.
func (p *pass) evaluateTenant(name string, tenants map[string]memory[tenantResult]) []*declared {
	dir := tenantDir(name)
	apps, problems, err := p.declaredIn(name)
	p.report(name, "", problems...)
	if err != nil {
		p.unreadable(name, path.Join(dir, "apps"), err)
	}
	names, problems, err := cueFiles(p.files, dir)
	if err == nil && len(names)+len(problems)+len(apps) == 0 {
		return nil
	}
	m := p.tenantLayer(name, names, problems, err)
	tenants[name] = m
	for _, a := range apps {
		a.tenant = &m
	}
	p.report(name, "", m.result.problems...)
	if m.result.tenant == nil {
		p.fleet.UnusableTenants = append(p.fleet.UnusableTenants, name)
		return apps
	}
	t := *m.result.tenant
	p.report(name, "", p.pins(&t, apps)...)
	p.fleet.Tenants = append(p.fleet.Tenants, t)
	return apps
}

func (p *pass) tenantLayer(name string, names []string, problems []model.Problem, err error) memory[tenantResult] {
	dir := tenantDir(name)
	switch {
	case err != nil:
		p.unsure = true
		problems = append(problems, at(codeUnreadable, dir, "cannot be read: "+oneLine(err.Error())))
	case len(problems) == 0 && len(names) == 0:
		problems = append(problems, at(codeNoTenant, path.Join(dir, "tenant.cue"), "is missing; the directory has applications and declares no tenant"))
	case p.platform.platform == nil:
		return memory[tenantResult]{} // the platform's problems stand for it
	}
	if len(problems) > 0 {
		return memory[tenantResult]{result: tenantResult{problems: problems}}
	}
	key, err := digests(p.files, names)
	key += p.e.platform.key
	if m := p.e.tenants[name]; err == nil && m.key == key {
		return m
	}
	blobs, problems, readErr := read(p.files, names)
	if err = cmp.Or(err, readErr); err != nil {
		p.unsure = true
		problems = append(problems, at(codeUnreadable, dir, "cannot be read: "+oneLine(err.Error())))
	}
	if len(problems) > 0 {
		return memory[tenantResult]{result: tenantResult{problems: problems}}
	}
	result, err := p.e.tenantOf(name, key, blobs, &p.platform.layer)
	if err != nil {
		p.unsure = true
		return memory[tenantResult]{result: tenantResult{problems: []model.Problem{unanswered(dir, err)}}}
	}
	return memory[tenantResult]{key, result}
}

// declaredIn lists the applications that a tenant's directory declares.
func (p *pass) declaredIn(tenant string) (apps []*declared, problems []model.Problem, err error) {
	names, problems, err := directories(p.files, path.Join(tenantDir(tenant), "apps"))
	for _, name := range names {
		app := model.AppID{Tenant: tenant, Name: name}
		if digest, err := p.files.Digest(applicationDir(app)); err == nil && digest == p.e.instances[app].files {
			apps = append(apps, &declared{app: app, files: p.files, commit: p.commit})
			continue // known to be one
		}
		cue, bad, readErr := cueFiles(p.files, applicationDir(app))
		switch {
		case readErr != nil:
			problem := at(codeUnreadable, applicationDir(app), "cannot be read: "+oneLine(readErr.Error()))
			p.unsure = true
			apps = append(apps, &declared{app: app, problem: &problem})
		case len(cue)+len(bad) > 0:
			apps = append(apps, &declared{app: app, files: p.files, commit: p.commit})
		}
	}
	return apps, problems, err
}

// pins points pinned applications to the files of their commit.
func (p *pass) pins(t *model.Tenant, apps []*declared) (problems []model.Problem) {
	for _, name := range slices.Sorted(maps.Keys(t.Pins)) {
		commit := t.Pins[name]
		where := model.Place{At: t.At["releases."+name+".commit"], Note: commit}
		blame := func(code, message string) model.Problem {
			return model.Problem{Code: code, Path: "tenant.releases." + name + ".commit", Message: message, Places: []model.Place{where}}
		}
		i := slices.IndexFunc(apps, func(a *declared) bool { return a.app.Name == name })
		if i < 0 {
			problems = append(problems, blame(codeNothingPin, "pins "+name+", and the tenant has no such application"))
			continue
		}
		a := apps[i]
		files, err := p.at(commit)
		if err != nil {
			p.unsure = true
			problem := blame(codeNoCommit, "pins "+name+" to a commit that cannot be read: "+oneLine(err.Error()))
			a.problem = &problem
			continue
		}
		names, bad, err := cueFiles(files, applicationDir(a.app))
		switch {
		case err != nil:
			p.unsure = true
			problem := blame(codeNoCommit, "pins "+name+" to a commit that cannot be read: "+oneLine(err.Error()))
			a.problem = &problem
		case len(names)+len(bad) == 0:
			problem := blame(codeNotInPin, "pins "+name+" to a commit in which it does not exist")
			a.problem = &problem
		default:
			a.files, a.commit, a.pinned = files, commit, true
		}
	}
	return problems
}
