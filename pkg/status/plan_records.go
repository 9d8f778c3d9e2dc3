package status

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
)

// inputs plans the files that are about the fleet as a whole.
func (p *plan) inputs(next *model.Ledger) (err error) {
	before, problem := &p.base.ledger, next.Problems[:min(len(next.Problems), maxProblems)]
	if p.ledger.Platform, err = write(p, platformFile, before.Platform, next.Platform); err != nil {
		return err
	}
	commit, err := write(p, sourceFile, &source{before.Commit, before.Source}, recordIf(next.Commit != "", source{next.Commit, next.Source}))
	if err != nil {
		return err
	}
	seen, err := write(p, capacityFile, &capacity{before.Pools}, recordIf(len(next.Pools) > 0, capacity{next.Pools}))
	if err != nil {
		return err
	}
	listed, err := write(p, problemsFile, &problems{before.Problems}, recordIf(len(problem) > 0, problems{problem}))
	if err != nil {
		return err
	}
	if p.format.Major > 1 { // the next pass finds them again
		found := next.Orphans[:min(len(next.Orphans), maxOrphans)]
		left, err := write(p, orphansFile, &orphans{before.Orphans}, recordIf(len(found) > 0, orphans{found}))
		if err != nil {
			return err
		}
		p.ledger.Orphans = cmp.Or(left, &orphans{}).Orphans
	}
	commit = cmp.Or(commit, &source{})
	p.ledger.Commit, p.ledger.Source = commit.Commit, commit.SourceState
	p.ledger.Pools = cmp.Or(seen, &capacity{}).Pools
	p.ledger.Problems = cmp.Or(listed, &problems{}).Problems
	return nil
}

// recordIf returns a record, or nil if it has no content and therefore no file.
func recordIf[T any](content bool, record T) *T {
	if !content {
		return nil
	}
	return &record
}

// tenantLayers plans the files of the tenants.
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

// applications plans the files of the applications, in their order.
func (p *plan) applications(next *model.Ledger) error {
	known, wanted := records(&p.base.ledger), records(next)
	p.damaged(known, wanted)
	p.ledger.Instances = slices.Grow(p.ledger.Instances, len(next.Instances))
	p.ledger.Decisions = slices.Grow(p.ledger.Decisions, len(next.Decisions))
	for _, app := range slices.SortedFunc(maps.Keys(wanted), model.AppID.Compare) {
		r, err := p.application(app, known[app], wanted[app])
		if err != nil {
			return err
		}
		if r.instance != nil {
			p.ledger.Instances = append(p.ledger.Instances, *r.instance)
		}
		if r.decision != nil {
			p.ledger.Decisions = append(p.ledger.Decisions, *r.decision)
		}
	}
	for app := range known {
		if _, kept := wanted[app]; !kept {
			p.edits.remove(tenantsDir + "/" + app.String())
			p.written++
			p.tenants[app.Tenant] = true
		}
	}
	return nil
}

// application plans the files of one record and returns it as it would be read
// back.
func (p *plan) application(app model.AppID, before, now record) (back record, err error) {
	same := !p.base.stale && sameInstance(before.instance, now.instance) && sameDecision(before.decision, now.decision)
	if same || p.ledger.DamagedOf(app) != nil {
		return before, nil
	}
	dir, err := appDir(app)
	if err != nil {
		return back, err
	}
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
		return before, nil // the bytes are the same
	}
	p.tenants[app.Tenant] = true
	told := slices.DeleteFunc(announce.Application(old, next, time.Time{}), func(a announce.Announcement) bool { return !a.Kind.Told() })
	p.apps = append(p.apps, change{app, told})
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
	kept.At, kept.InForce, kept.Release = nil, nil, ""
	back, err := write(p, file, before, &kept)
	if err == nil && back.Release != a.Release {
		back.Release = a.Release
	}
	return back, err
}
