package status

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// plan is what has to change on the branch so that it says the next ledger.
type plan struct {
	base   *state
	ledger model.Ledger // next, exactly as it would be read back
	edits  edit
	prints map[string]model.Digest

	apps    []change             // records that changed
	tenants map[string]bool      // whose page changes …
	redraw  map[model.AppID]bool // … or that of an application whose record does not
}

// change is one application whose record changed, and how.
type change struct {
	app         model.AppID
	transitions []model.Transition
}

// plan compares next with what the branch says. It returns nil if there is
// nothing to write. Only records that changed are encoded.
func (s *state) plan(next *model.Ledger) (*plan, error) {
	p := &plan{base: s, prints: map[string]model.Digest{}, tenants: map[string]bool{}, redraw: map[model.AppID]bool{}}
	p.ledger.Commit = next.Commit
	if err := p.inputs(next); err != nil {
		return nil, err
	}
	if err := p.tenantLayers(next); err != nil {
		return nil, err
	}
	if err := p.applications(next); err != nil {
		return nil, err
	}
	p.forget()
	p.problems()
	if len(p.edits.below) == 0 {
		return nil, nil
	}
	p.pages()
	return p, nil
}

// put plans one file that holds v, unless the branch has it already, and
// returns v as it would be read back.
func put[T any](p *plan, path, what string, before, v T) (T, error) {
	print := model.DigestOf(v)
	p.prints[path] = print
	if p.base.prints[path] == print {
		return before, nil
	}
	return write(p, path, what, v)
}

func write[T any](p *plan, path, what string, v T) (back T, err error) {
	b, err := encode(what, v)
	if err != nil {
		return back, err
	}
	if err := decode(b, &back); err != nil {
		return back, fmt.Errorf("encode %s: %w", what, err)
	}
	p.edits.write(path, b)
	return back, nil
}

func (p *plan) inputs(next *model.Ledger) (err error) {
	before := &p.base.ledger
	if next.Commit != "" {
		_, err = put(p, sourceFile, "the source commit that this branch reflects", source{before.Commit}, source{next.Commit})
		if err != nil {
			return err
		}
	}
	if next.Platform != nil {
		p.ledger.Platform, err = put(p, platformFile, "the last good platform layer", before.Platform, next.Platform)
		if err != nil {
			return err
		}
	}
	if len(next.Pools) > 0 {
		p.ledger.Pools, err = put(p, capacityFile, "the capacity that the decisions were made on", before.Pools, next.Pools)
		if err != nil {
			return err
		}
	}
	if n := len(next.Problems); n > 0 {
		p.ledger.Problems, err = put(p, problemsFile, "what in the fleet repo cannot be used",
			before.Problems, next.Problems[:min(n, maxProblems)])
	}
	return err
}

func (p *plan) tenantLayers(next *model.Ledger) error {
	for i := range next.Tenants {
		t := next.Tenants[i]
		dir, err := tenantDir(t.Name)
		if err != nil {
			return err
		}
		var before model.Tenant
		if at, ok := findTenant(&p.base.ledger, t.Name); ok {
			before = *at
		}
		path := dir + "/" + tenantFile
		if t, err = put(p, path, "the last good layer of tenant "+t.Name, before, t); err != nil {
			return err
		}
		if p.base.prints[path] != p.prints[path] {
			p.tenants[t.Name] = true
		}
		p.ledger.Tenants = append(p.ledger.Tenants, t)
	}
	return nil
}

func (p *plan) applications(next *model.Ledger) error {
	for _, r := range records(next) {
		dir, err := appDir(r.app)
		if err != nil {
			return err
		}
		before := record{app: r.app}
		if in, ok := p.base.ledger.Find(r.app); ok {
			before.instance = in
		}
		if d, ok := findDecision(&p.base.ledger, r.app); ok {
			before.decision = d
		}
		print := p.base.prints[dir]
		if print == "" || !r.unchanged(before) {
			print = r.print()
		}
		p.prints[dir] = print
		if p.base.prints[dir] == print {
			r = before
		} else if r, err = p.application(dir, before, r); err != nil {
			return err
		}
		if r.instance != nil {
			p.ledger.Instances = append(p.ledger.Instances, *r.instance)
		}
		if r.decision != nil {
			p.ledger.Decisions = append(p.ledger.Decisions, *r.decision)
		}
	}
	return nil
}

// application plans the files of one record and returns it as it would be read
// back.
func (p *plan) application(dir string, before, now record) (record, error) {
	name := now.app.String()
	back := record{app: now.app}
	p.tenants[now.app.Tenant] = true
	made := change{app: now.app}
	if now.instance == nil {
		for _, file := range []string{instanceFile, specFile, previousFile} {
			p.edits.remove(dir + "/" + file)
		}
	} else {
		in, err := write(p, dir+"/"+instanceFile, "the ledger record of "+name, inUTC(*now.instance))
		if err != nil {
			return back, err
		}
		old := &model.Instance{}
		if before.instance != nil {
			old = before.instance
		}
		if in.Spec, err = p.spec(dir+"/"+specFile, "the accepted spec of "+name, old.Spec, now.instance.Spec); err != nil {
			return back, err
		}
		if in.Previous, err = p.spec(dir+"/"+previousFile, "the last spec of "+name+" that ran well", old.Previous, now.instance.Previous); err != nil {
			return back, err
		}
		known := old.History
		made.transitions = news(known, in.History)
		back.instance = &in
	}
	switch {
	case now.decision == nil:
		p.edits.remove(dir + "/" + decisionFile)
	case p.base.prints[dir] != "" && sameDecision(before.decision, now.decision):
		back.decision = before.decision
	default:
		d, err := write(p, dir+"/"+decisionFile, "the last decision about "+name, *now.decision)
		if err != nil {
			return back, err
		}
		back.decision = &d
	}
	p.apps = append(p.apps, made)
	return back, nil
}

// spec plans the file of a spec, unless the branch holds the same one.
func (p *plan) spec(path, what string, before, a *model.Application) (*model.Application, error) {
	switch {
	case a == nil:
		p.edits.remove(path)
		return nil, nil
	case identity(before) == identity(a):
		return before, nil
	}
	back, err := write(p, path, what, a.Redact())
	return &back, err
}

// forget removes what the next ledger does not have.
func (p *plan) forget() {
	for path := range p.base.prints {
		if _, kept := p.prints[path]; kept {
			continue
		}
		p.edits.remove(path)
		if tenant, below := cutTenant(path); below {
			p.tenants[tenant] = true
		}
	}
}

// problems marks the pages on which problems appear or disappear.
func (p *plan) problems() {
	if p.base.prints[problemsFile] == p.prints[problemsFile] {
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
	used := usageByTenant(&p.ledger)
	p.edits.write(readmeFile, fleetPage(&p.ledger, used))
	for tenant := range p.tenants {
		dir, _ := tenantDir(tenant)
		if page := tenantPage(&p.ledger, tenant, used[tenant]); page != nil {
			p.edits.write(dir+"/"+readmeFile, page)
		} else {
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
		r := record{app: app}
		r.instance, _ = p.ledger.Find(app)
		r.decision, _ = findDecision(&p.ledger, app)
		if dir, err := appDir(app); err == nil && (r.instance != nil || r.decision != nil) {
			p.edits.write(dir+"/"+readmeFile, applicationPage(r, problems[app]))
		}
	}
}

// apply makes the state that the plan leads to.
func (p *plan) apply(objects *git.Objects) *state {
	s := &state{head: p.base.head, ledger: p.ledger, prints: p.prints}
	if s.tree = p.base.tree.edited(&p.edits, objects); s.tree == nil {
		s.tree = &dir{hash: objects.AddTree(nil)}
	}
	return s
}

func findTenant(l *model.Ledger, name string) (*model.Tenant, bool) {
	i := slices.IndexFunc(l.Tenants, func(t model.Tenant) bool { return t.Name == name })
	if i < 0 {
		return nil, false
	}
	return &l.Tenants[i], true
}

func findDecision(l *model.Ledger, app model.AppID) (*model.Decision, bool) {
	i, ok := slices.BinarySearchFunc(l.Decisions, app, func(d model.Decision, id model.AppID) int { return d.App.Compare(id) })
	if !ok {
		return nil, false
	}
	return &l.Decisions[i], true
}
