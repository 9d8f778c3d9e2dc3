package evaluate

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/check"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// A pass evaluates one commit.
type pass struct {
	e      *Evaluator
	commit string
	files  Files
	at     func(commit string) (Files, error)

	fleet  model.Fleet
	unsure bool // a file could not be read: the next pass must try again
	insist bool // on layers: everybody waits for them, so no tenant's budget counts

	platform    *result
	platformKey string // "" while the result for the platform is not final
	module      string // digest of the file that names the repo's module
	parts       []*part
}

func (p *pass) evaluate() {
	p.evaluatePlatform()
	p.allot()
	p.module, _ = digestOrNone(p.files, layer.ModuleFile) // whoever needs the file reports the error
	p.unreadAtRoot()
	names, problems, err := directories(p.files, "tenants")
	p.report("", "", problems...)
	if err != nil {
		p.unreadable("tenants", err)
	}
	var changed []*declared
	for _, name := range names {
		t, apps := p.partOf(name)
		p.parts = append(p.parts, t)
		changed = append(changed, apps...)
	}
	p.evaluateApplications(changed)
	p.settle(changed)
	p.assemble()
	p.refuse(check.Namespaces(&p.fleet))
	p.fleet.Problems = append(p.fleet.Problems, check.Promises(&p.fleet, &p.platform.Layer)...)
	byPlace(p.fleet.Problems)
}

// allot tells the backend what the evaluations of tenants may take. While the platform is
// invalid the last budgets hold.
func (p *pass) allot() {
	if p.fleet.Platform == nil {
		return
	}
	work := map[string]time.Duration{}
	for i := range p.fleet.Platform.Allotments {
		if a := &p.fleet.Platform.Allotments[i]; a.Work > 0 {
			work[a.Name] = a.Work
		}
	}
	p.e.backend.Allot(work)
}

// refuse takes applications out of the fleet.
func (p *pass) refuse(refused map[model.AppID]model.Problem) {
	if len(refused) == 0 {
		return
	}
	p.fleet.Applications = slices.DeleteFunc(p.fleet.Applications, func(a *model.Application) bool {
		problem, bad := refused[a.ID]
		if bad {
			p.report(a.ID.Tenant, a.ID.Name, problem)
			p.fleet.Unusable = append(p.fleet.Unusable, unusable(a.ID, problem))
		}
		return bad
	})
	slices.SortFunc(p.fleet.Unusable, func(a, b model.Unusable) int { return a.App.Compare(b.App) })
}

// report adds problems of the files of a tenant or an application.
func (p *pass) report(tenant, app string, problems ...model.Problem) {
	for _, problem := range problems {
		problem.Tenant, problem.App = tenant, app
		p.fleet.Problems = append(p.fleet.Problems, problem)
	}
}

// unreadable reports a directory that cannot be read: its applications are unknown.
func (p *pass) unreadable(dir string, err error) {
	p.unsure = true
	p.fleet.Incomplete = true
	p.report("", "", unreadable(dir, err))
}

func (p *pass) evaluatePlatform() {
	const file = "fleet.cue"
	names, problems, err := layer.ListLayer(p.files, ".", "tenants")
	now := cached{result: &result{Problems: problems}}
	switch {
	case err != nil:
		p.unsure = true
		now.result.Problems = []model.Problem{unreadable(file, err)}
	case len(problems) > 0:
	case len(names) == 0:
		now.result.Problems = []model.Problem{layer.WholeFile(catalogue.NoPlatform, file, "is missing; the platform is declared at the root of the repo")}
	default:
		now = p.layer("", file, names, p.e.platform, "", func() request { return request{Layer: "platform"} })
		if p.platformKey = now.key; now.key != "" {
			p.e.platform = now
		} else {
			p.unsure = true
		}
	}
	p.platform = now.result
	p.fleet.Platform = now.result.Platform
	p.report("", "", now.result.Problems...)
}

// layer evaluates the files of a layer, for a tenant, unless they are known and so is what is above them. What has no key is
// not final. The place is where problems of all of it are reported.
func (p *pass) layer(tenant, place string, names []string, known cached, above string, ask func() request) cached {
	key, err := digests(p.files, names)
	if key += above; err == nil && key == known.key {
		return known
	}
	files, problems, readErr := layer.Read(p.files, names)
	if err = cmp.Or(err, readErr); err != nil {
		return cached{result: &result{Problems: append(problems, unreadable(place, err))}}
	}
	if len(problems) > 0 {
		return cached{key, &result{Problems: problems}}
	}
	r := ask()
	r.Files = files
	answer, err := p.e.evaluate(tenant, keyOf(r.Layer, r.Tenant, key), r)
	if err != nil {
		return cached{result: &result{Problems: []model.Problem{unanswered(place, err)}}}
	}
	return cached{key, answer}
}

// settle sorts the evaluated applications into usable and unusable ones, and caches
// the parts that they belong to.
func (p *pass) settle(apps []*declared) {
	for _, a := range apps {
		if a.part.instances == nil {
			a.part.instances = map[string]cachedApplication{}
		}
		p.settleOne(a)
		if a.problem == nil && a.key.files != "" {
			a.part.instances[a.app.Name] = cachedApplication{a.key, a.result}
		}
	}
	parts := make(map[string]*part, len(p.parts))
	tenants := make(map[string]cached, len(p.parts))
	for _, t := range p.parts {
		parts[t.name], tenants[t.name] = t, t.layer
		if t.unsure {
			p.unsure, t.key = true, partKey{}
		}
	}
	p.e.parts, p.e.tenants = parts, tenants
}

// assemble puts the fleet together from its parts.
func (p *pass) assemble() {
	n := 0
	for _, t := range p.parts {
		n += len(t.says.applications)
	}
	p.fleet.Applications = make([]*model.Application, 0, n)
	for _, t := range p.parts {
		p.fleet.Problems = append(p.fleet.Problems, t.says.problems...)
		p.fleet.Incomplete = p.fleet.Incomplete || t.says.incomplete
		switch {
		case !t.says.declared:
		case t.layer.result.Tenant == nil:
			p.fleet.UnusableTenants = append(p.fleet.UnusableTenants, t.name)
		default:
			p.fleet.Tenants = append(p.fleet.Tenants, *t.layer.result.Tenant)
		}
		p.fleet.Unusable = append(p.fleet.Unusable, t.says.unusable...)
		p.fleet.Applications = append(p.fleet.Applications, t.says.applications...)
	}
	slices.SortFunc(p.fleet.Unusable, func(a, b model.Unusable) int { return a.App.Compare(b.App) })
}
