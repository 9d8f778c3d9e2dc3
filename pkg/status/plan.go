package status

import (
	"cmp"
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
	if len(p.edits.below) == 0 && s.ledger.Identity.ID == next.Identity.ID {
		return nil, nil
	}
	if err := p.identity(next.Identity); err != nil {
		return nil, err
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
	return !s.stale && l.Identity.ID == next.Identity.ID && l.Commit == next.Commit && reflect.DeepEqual(s.given, givenBy(next)) &&
		slices.EqualFunc(l.Instances, next.Instances, func(a, b model.Instance) bool { return sameInstance(&a, &b) }) &&
		slices.EqualFunc(l.Decisions, next.Decisions, func(a, b model.Decision) bool { return sameDecision(&a, &b) })
}

// write plans the file of a record, unless the branch has just these bytes. A record
// that is nil has no file. It returns v as it would be read back; before is what the
// branch says.
func write[T any](p *plan, file string, before, v *T) (*T, error) {
	name := p.format.name(file)
	if v == nil {
		if p.base.tree.blob(name) != git.ZeroHash {
			p.edits.remove(name)
			p.written++
		}
		return nil, nil
	}
	b, back, err := p.encode(file, v)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	if !p.base.stale && before != nil && p.base.tree.blob(name) == git.BlobHash(b) {
		return before, nil
	}
	p.edits.write(name, b)
	p.written++
	return back.(*T), nil
}

// encode returns the bytes of a record, and the record as it would be read back.
func (p *plan) encode(file string, v any) (b []byte, back any, err error) {
	back = reflect.New(reflect.TypeOf(v).Elem()).Interface()
	if p.format.Major == 1 {
		if b, err = encodeFormat1(v); err == nil {
			err = decodeFormat1(b, back)
		}
	} else {
		if b, err = encode(v, p.more[file]); err == nil && exact(reflect.ValueOf(v)) {
			return b, v, nil
		}
		if err == nil {
			_, err = decode(b, back, len(p.more[file]) > 0)
		}
	}
	if err == nil && inUTC(reflect.ValueOf(back)) {
		return p.encode(file, back)
	}
	return b, back, err
}

// inputs plans the files that are about the fleet as a whole.
func (p *plan) inputs(next *model.Ledger) (err error) {
	before := &p.base.ledger
	var commit *source
	if next.Commit != "" {
		commit = &source{next.Commit}
	}
	if commit, err = write(p, sourceFile, &source{before.Commit}, commit); err != nil {
		return err
	}
	if commit != nil {
		p.ledger.Commit = commit.Commit
	}
	if p.ledger.Platform, err = write(p, platformFile, before.Platform, next.Platform); err != nil {
		return err
	}
	var seen *capacity
	if len(next.Pools) > 0 {
		seen = &capacity{next.Pools}
	}
	if seen, err = write(p, capacityFile, &capacity{before.Pools}, seen); err != nil {
		return err
	}
	if seen != nil {
		p.ledger.Pools = seen.Pools
	}
	var listed *problems
	if n := min(len(next.Problems), maxProblems); n > 0 {
		listed = &problems{next.Problems[:n]}
	}
	if listed, err = write(p, problemsFile, &problems{before.Problems}, listed); err != nil {
		return err
	}
	if listed != nil {
		p.ledger.Problems = listed.Problems
	}
	return nil
}

func (p *plan) tenantLayers(next *model.Ledger) error {
	for i := range next.Tenants {
		t := &next.Tenants[i]
		dir, err := tenantDir(t.Name)
		if err != nil {
			return err
		}
		before, _ := model.Find(p.base.ledger.Tenants, t.Name)
		written := p.written
		back, err := write(p, dir+"/"+tenantFile, before, t)
		if err != nil {
			return err
		}
		if p.written > written {
			p.tenants[t.Name] = true
		}
		p.ledger.Tenants = append(p.ledger.Tenants, *back)
	}
	for i := range p.base.ledger.Tenants {
		name := p.base.ledger.Tenants[i].Name
		if _, kept := model.Find(next.Tenants, name); !kept {
			_, _ = write[model.Tenant](p, tenantsDir+"/"+name+"/"+tenantFile, nil, nil)
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
func (p *plan) application(dir string, before, now record) (back record, err error) {
	written := p.written
	old, next := cmp.Or(before.instance, &model.Instance{}), cmp.Or(now.instance, &model.Instance{})
	if back.instance, err = p.instance(dir, before.instance, now.instance); err != nil {
		return back, err
	}
	if back.decision = before.decision; p.base.stale || !sameDecision(before.decision, now.decision) {
		if back.decision, err = write(p, dir+"/"+decisionFile, before.decision, now.decision); err != nil {
			return back, err
		}
	}
	if p.written == written {
		return before, nil // it only looked different
	}
	p.tenants[now.app.Tenant] = true
	p.apps = append(p.apps, change{now.app, news(old.History, next.History), next.Run.Changes(old.Run)})
	return back, nil
}

// instance plans the files of an instance.
func (p *plan) instance(dir string, before, now *model.Instance) (_ *model.Instance, err error) {
	var alone *model.Instance // without what has files of its own
	if now != nil {
		alone = new(*now)
		alone.Spec, alone.Previous, alone.Run, alone.Revision = nil, nil, nil, model.Revision{}
	}
	written, err := write(p, dir+"/"+instanceFile, before, alone)
	if err != nil {
		return nil, err
	}
	before, now = cmp.Or(before, &model.Instance{}), cmp.Or(now, &model.Instance{})
	var in model.Instance
	if in.Spec, err = p.spec(dir+"/"+specFile, before.Spec, now.Spec); err != nil {
		return nil, err
	}
	if in.Previous, err = p.spec(dir+"/"+previousFile, before.Previous, now.Previous); err != nil {
		return nil, err
	}
	if in.Run = before.Run; p.base.stale || now.Run == nil || !reflect.DeepEqual(before.Run, now.Run) {
		if in.Run, err = write(p, dir+"/"+workflowFile, before.Run, now.Run); err != nil {
			return nil, err
		}
	}
	if written == nil {
		return nil, nil
	}
	made := *written
	made.Spec, made.Previous, made.Run, made.Revision = in.Spec, in.Previous, in.Run, model.Revision{}
	return &made, nil
}

// spec plans the file of a spec, unless the branch holds the same one. What is kept of
// it is fit for people to read, and does not say where in the fleet repo it came from.
func (p *plan) spec(file string, before, a *model.Application) (*model.Application, error) {
	switch {
	case a == nil:
		return write(p, file, before, nil)
	case !p.base.stale && identity(before) == identity(a):
		return before, nil
	}
	kept := a.Redact()
	kept.At, kept.Policy.InForce = nil, nil
	return write(p, file, before, &kept)
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
