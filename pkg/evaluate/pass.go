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
	p.across()
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

// across checks rules between tenants.
func (p *pass) across() {
	p.refuse(check.Namespaces(&p.fleet))
	p.fleet.Problems = append(p.fleet.Problems, check.Promises(&p.fleet, &p.platform.Layer)...)
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

// payer returns whose budget the evaluation of a tenant's layer counts for.
func (p *pass) payer(tenant string) string {
	if p.insist {
		return ""
	}
	return tenant
}

func (p *pass) evaluatePlatform() {
	r := func() *result {
		names, problems, err := layer.ListLayer(p.files, ".", "tenants")
		if err != nil {
			p.unsure = true
			return &result{Problems: []model.Problem{unreadable("fleet.cue", err)}}
		}
		if len(problems) > 0 {
			return &result{Problems: problems}
		}
		if len(names) == 0 {
			return &result{Problems: []model.Problem{layer.WholeFile(catalogue.NoPlatform, "fleet.cue", "is missing; the platform is declared at the root of the repo")}}
		}
		key, err := digests(p.files, names)
		if err == nil && key == p.e.platform.key {
			p.platformKey = key
			return p.e.platform.result
		}
		files, problems, readErr := layer.Read(p.files, names)
		if err = cmp.Or(err, readErr); err != nil {
			p.unsure = true
			return &result{Problems: []model.Problem{unreadable("fleet.cue", err)}}
		}
		r := &result{Problems: problems}
		if len(problems) == 0 {
			r, err = p.e.evaluate("", keyOf("platform", key), request{Layer: "platform", Files: files})
		}
		if err != nil {
			p.unsure = true
			return &result{Problems: []model.Problem{unanswered("fleet.cue", err)}}
		}
		p.platformKey = key
		p.e.platform = cached{key, r}
		return r
	}()
	p.platform = r
	p.fleet.Platform = r.Platform
	p.report("", "", r.Problems...)
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
