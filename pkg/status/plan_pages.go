package status

import (
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/page"
)

// problems marks the pages on which problems appear or disappear.
func (p *plan) problems() {
	if reflect.DeepEqual(p.base.ledger.Problems, p.ledger.Problems) {
		return
	}
	for _, list := range [][]model.Problem{p.base.ledger.Problems, p.ledger.Problems} {
		for _, problem := range list {
			if label.MatchString(problem.Tenant) {
				p.tenants[problem.Tenant] = true
				p.redraw[model.AppID{Tenant: problem.Tenant, Name: problem.App}] = true
			}
		}
	}
}

// pages plans the pages for people of everything that changed.
func (p *plan) pages() {
	used, links := model.UsageByTenant(&p.ledger), p.ledger.LinksOr(p.base.shown.Links)
	p.edits.write(readmeFile, page.Fleet(&p.ledger, used, p.base.shown))
	for tenant := range p.tenants {
		dir, _ := tenantDir(tenant)
		if b := page.Tenant(&p.ledger, tenant, used[tenant], links); b != nil {
			p.edits.write(dir+"/"+readmeFile, b)
		} else if !slices.ContainsFunc(p.ledger.Damaged, func(d model.DamagedRecord) bool { return d.App.Tenant == tenant }) {
			p.edits.remove(dir)
		}
	}
	for _, c := range p.apps {
		p.redraw[c.app] = true
	}
	problems := map[model.AppID][]model.Problem{}
	for _, problem := range p.ledger.Problems {
		id := model.AppID{Tenant: problem.Tenant, Name: problem.App}
		problems[id] = append(problems[id], problem)
	}
	for app := range p.redraw {
		in, _ := p.ledger.Find(app)
		d, _ := p.ledger.Decision(app)
		if dir, err := appDir(app); err == nil && (in != nil || d != nil) {
			p.edits.write(dir+"/"+readmeFile, page.Application(app, in, d, problems[app], p.ledger.Commit, links))
		}
	}
}
