package status

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/page"
)

// plan is what has to change on the branch so that it says the next ledger.
type plan struct {
	base    *state
	format  Format            // in which it is written
	more    map[string]fields // by file: what a newer program has written besides
	ledger  model.Ledger      // next, exactly as it would be read back
	edits   edit
	given   given
	written int // files that are written or removed

	apps    []change             // records that changed
	tenants map[string]bool      // whose page changes …
	redraw  map[model.AppID]bool // … or that of an application whose record does not
}

// change is one application whose record changed, and how.
type change struct {
	app         model.AppID
	transitions []model.Transition
	steps       []model.RunChange // of its workflow
}

// plan compares next with what the branch says. It returns nil if there is
// nothing to write. Only records that changed are encoded.
func (s *state) plan(next *model.Ledger) (*plan, error) {
	if s.says(next) {
		return nil, nil
	}
	format := Current
	if s.format.newer(format) {
		format = s.format // it is never lowered
	}
	p := s.newPlan(format)
	p.given = givenBy(next)
	if err := p.records(next); err != nil {
		return nil, err
	}
	if len(p.edits.below) == 0 {
		return nil, nil
	}
	return p, p.finish()
}

func (s *state) newPlan(format Format) *plan {
	return &plan{base: s, format: format, more: s.more, tenants: map[string]bool{}, redraw: map[model.AppID]bool{}}
}

// records plans the files that hold the ledger.
func (p *plan) records(next *model.Ledger) error {
	if err := p.inputs(next); err != nil {
		return err
	}
	if err := p.tenantLayers(next); err != nil {
		return err
	}
	return p.applications(next)
}

// finish plans the files that follow from the records.
func (p *plan) finish() error {
	p.problems()
	p.pages()
	if p.format.Major == 1 || p.base.format == p.format && p.base.tree.blob(formatFile) != git.ZeroHash {
		return nil
	}
	b, err := encode(p.format, nil)
	p.edits.write(formatFile, b)
	p.edits.write(guardFile, []byte(guard))
	return err
}

// says reports, without making anything, whether the branch surely says all of next.
func (s *state) says(next *model.Ledger) bool {
	l := &s.ledger
	return !s.stale && l.Commit == next.Commit && reflect.DeepEqual(s.given, givenBy(next)) &&
		slices.EqualFunc(l.Instances, next.Instances, func(a, b model.Instance) bool { return sameInstance(&a, &b) }) &&
		slices.EqualFunc(l.Decisions, next.Decisions, func(a, b model.Decision) bool { return sameDecision(&a, &b) })
}

// write plans one file that holds v, unless the branch has just these bytes, and
// returns v as it would be read back. Before is what the branch says, nil if nothing.
func write[T any](p *plan, file string, before *T, v T) (back T, err error) {
	name := p.format.name(file)
	var b []byte
	if p.format.Major == 1 {
		b, err = encodeFormat1(v)
	} else {
		b, err = encode(v, p.more[file])
	}
	if err == nil && !p.base.stale && before != nil && p.base.tree.blob(name) == git.BlobHash(b) {
		return *before, nil
	}
	if err == nil && p.format.Major == 1 {
		err = decodeFormat1(b, &back)
	} else if err == nil {
		_, err = decode(b, &back, len(p.more[file]) > 0)
	}
	if err != nil {
		return back, fmt.Errorf("write %s: %w", name, err)
	}
	if inUTC(reflect.ValueOf(&back)) {
		return write(p, file, before, back)
	}
	p.edits.write(name, b)
	p.written++
	return back, nil
}

// remove plans that a record is not there.
func (p *plan) remove(file string) {
	if name := p.format.name(file); p.base.tree.blob(name) != git.ZeroHash {
		p.edits.remove(name)
		p.written++
	}
}

// inputs plans the files that are about the fleet as a whole.
func (p *plan) inputs(next *model.Ledger) (err error) {
	before := &p.base.ledger
	src, err := putIf(p, sourceFile, next.Commit != "", &source{before.Commit}, source{next.Commit})
	if err != nil {
		return err
	}
	if next.Platform != nil {
		platform, err := write(p, platformFile, before.Platform, *next.Platform)
		if err != nil {
			return err
		}
		p.ledger.Platform = &platform
	} else {
		p.remove(platformFile)
	}
	seen, err := putIf(p, capacityFile, len(next.Pools) > 0, &capacity{before.Pools}, capacity{next.Pools})
	if err != nil {
		return err
	}
	listed := problems{next.Problems[:min(len(next.Problems), maxProblems)]}
	wrong, err := putIf(p, problemsFile, len(listed.Problems) > 0, &problems{before.Problems}, listed)
	p.ledger.Commit, p.ledger.Pools, p.ledger.Problems = src.Commit, seen.Pools, wrong.Problems
	return err
}

// putIf plans a file if it has content, and otherwise that it is not there.
func putIf[T any](p *plan, file string, some bool, before *T, v T) (back T, err error) {
	if !some {
		p.remove(file)
		return back, nil
	}
	return write(p, file, before, v)
}

func (p *plan) tenantLayers(next *model.Ledger) error {
	for i := range next.Tenants {
		t := &next.Tenants[i]
		dir, err := tenantDir(t.Name)
		if err != nil {
			return err
		}
		before, _ := findTenant(&p.base.ledger, t.Name)
		written := p.written
		back, err := write(p, dir+"/"+tenantFile, before, *t)
		if err != nil {
			return err
		}
		if p.written > written {
			p.tenants[t.Name] = true
		}
		p.ledger.Tenants = append(p.ledger.Tenants, back)
	}
	for i := range p.base.ledger.Tenants {
		name := p.base.ledger.Tenants[i].Name
		if _, kept := findTenant(next, name); !kept {
			p.remove(tenantsDir + "/" + name + "/" + tenantFile)
			p.tenants[name] = true
		}
	}
	return nil
}

// applications goes through the records of both ledgers side by side.
func (p *plan) applications(next *model.Ledger) error {
	known := records(&p.base.ledger)
	p.ledger.Instances = slices.Grow(p.ledger.Instances, len(next.Instances))
	p.ledger.Decisions = slices.Grow(p.ledger.Decisions, len(next.Decisions))
	for _, r := range records(next) {
		for len(known) > 0 && known[0].app.Compare(r.app) < 0 {
			p.forget(known[0].app)
			known = known[1:]
		}
		before := record{app: r.app}
		if len(known) > 0 && known[0].app == r.app {
			before, known = known[0], known[1:]
		}
		if !p.base.stale && r.unchanged(before) {
			r = before
		} else {
			dir, err := appDir(r.app)
			if err != nil {
				return err
			}
			if r, err = p.application(dir, before, r); err != nil {
				return err
			}
		}
		if r.instance != nil {
			p.ledger.Instances = append(p.ledger.Instances, *r.instance)
		}
		if r.decision != nil {
			p.ledger.Decisions = append(p.ledger.Decisions, *r.decision)
		}
	}
	for _, r := range known {
		p.forget(r.app)
	}
	return nil
}

// forget removes an application that the next ledger does not have.
func (p *plan) forget(app model.AppID) {
	p.edits.remove(tenantsDir + "/" + app.String())
	p.written++
	p.tenants[app.Tenant] = true
}

// application plans the files of one record and returns it as it would be read
// back.
func (p *plan) application(dir string, before, now record) (record, error) {
	back, written := record{app: now.app}, p.written
	made := change{app: now.app}
	if now.instance == nil {
		for _, file := range []string{instanceFile, specFile, previousFile, workflowFile} {
			p.remove(dir + "/" + file)
		}
	} else {
		in, err := write(p, dir+"/"+instanceFile, before.instance, *now.instance)
		if err != nil {
			return back, err
		}
		in.Revision = model.Revision{}
		old := &model.Instance{}
		if before.instance != nil {
			old = before.instance
		}
		if in.Spec, err = p.spec(dir+"/"+specFile, old.Spec, now.instance.Spec); err != nil {
			return back, err
		}
		if in.Previous, err = p.spec(dir+"/"+previousFile, old.Previous, now.instance.Previous); err != nil {
			return back, err
		}
		if in.Run, err = p.run(dir+"/"+workflowFile, old.Run, now.instance.Run); err != nil {
			return back, err
		}
		made.transitions, made.steps = news(old.History, in.History), in.Run.Changes(old.Run)
		back.instance = &in
	}
	switch {
	case now.decision == nil:
		p.remove(dir + "/" + decisionFile)
	case !p.base.stale && sameDecision(before.decision, now.decision):
		back.decision = before.decision
	default:
		d, err := write(p, dir+"/"+decisionFile, before.decision, *now.decision)
		if err != nil {
			return back, err
		}
		d.Revision = model.Revision{}
		back.decision = &d
	}
	if p.written == written {
		return before, nil // it only looked different
	}
	p.tenants[now.app.Tenant] = true
	p.apps = append(p.apps, made)
	return back, nil
}

// spec plans the file of a spec, unless the branch holds the same one.
func (p *plan) spec(file string, before, a *model.Application) (*model.Application, error) {
	switch {
	case a == nil:
		p.remove(file)
		return nil, nil
	case !p.base.stale && identity(before) == identity(a):
		return before, nil
	}
	back, err := write(p, file, before, a.Redact())
	return &back, err
}

// run plans the file of a run, unless the branch holds it as it is.
func (p *plan) run(file string, before, r *model.Run) (*model.Run, error) {
	switch {
	case r == nil:
		p.remove(file)
		return nil, nil
	case !p.base.stale && reflect.DeepEqual(before, r):
		return before, nil
	}
	back, err := write(p, file, before, *r)
	return &back, err
}

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
	used := page.UsageByTenant(&p.ledger)
	p.edits.write(readmeFile, page.Fleet(&p.ledger, used))
	for tenant := range p.tenants {
		dir, _ := tenantDir(tenant)
		if b := page.Tenant(&p.ledger, tenant, used[tenant]); b != nil {
			p.edits.write(dir+"/"+readmeFile, b)
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
		in, _ := p.ledger.Find(app)
		d, _ := p.ledger.Decision(app)
		if dir, err := appDir(app); err == nil && (in != nil || d != nil) {
			p.edits.write(dir+"/"+readmeFile, page.Application(app, in, d, problems[app]))
		}
	}
}

// apply makes the state that the plan leads to.
func (p *plan) apply(objects *git.Objects) *state {
	s := &state{head: p.base.head, ledger: p.ledger, format: p.format, more: p.more, given: p.given}
	if s.tree = p.base.tree.edited(&p.edits, objects); s.tree == nil {
		s.tree = &dir{hash: objects.AddTree(nil)}
	}
	s.revise()
	return s
}

func findTenant(l *model.Ledger, name string) (*model.Tenant, bool) {
	i := slices.IndexFunc(l.Tenants, func(t model.Tenant) bool { return t.Name == name })
	if i < 0 {
		return nil, false
	}
	return &l.Tenants[i], true
}
