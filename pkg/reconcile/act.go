package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// act carries out what a saved ledger says: it renders and applies what changed
// since it was last carried out, what drifted, and what failed and is due again.
func (l *Loop) act(ctx context.Context, fleet model.Fleet, ledger model.Ledger, r *Report) error {
	l.acted = ledger
	for _, id := range l.o.Runtime.Drifted() {
		l.done.forget(id)
	}
	l.begin(r, StageRender)
	l.dispatch(&fleet, ledger)
	sets, revisions, err := l.due(fleet, ledger)
	if len(sets) == 0 {
		return err
	}
	l.begin(r, StageAct)
	report := l.o.Runtime.Act(ctx, sets)
	r.Applied = report
	now := l.o.Now()
	for i := range report.Sets {
		s := &report.Sets[i]
		if s.OK() && report.Err == nil {
			l.done.succeeded(s.App, revisions[s.App])
		} else {
			l.done.failed(s.App, now)
		}
	}
	return errors.Join(err, report.Err)
}

// due renders the sets that have to be applied, and returns the revision of each.
func (l *Loop) due(fleet model.Fleet, ledger model.Ledger) ([]render.Set, map[model.AppID]string, error) {
	var sets []render.Set
	var errs []error
	revisions := map[model.AppID]string{}
	now := l.o.Now()
	tenants := map[string]*model.Tenant{}
	running := ledger.WithObjects()
	for i := range fleet.Tenants {
		t := &fleet.Tenants[i]
		tenants[t.Name] = t
		id := model.AppID{Tenant: t.Name}
		if revision := tenantRevision(t, running[t.Name]); l.done.due(id, revision, now) {
			sets, revisions[id] = append(sets, render.Tenant(l.o.Fleet, l.o.Prefix, t, running[t.Name])), revision
		}
	}
	pools := model.DigestOf(fleet.Platform.Pools)
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		revision := l.revisions.of(inst, fleet.Platform, pools)
		if !l.done.due(inst.App, revision, now) {
			continue
		}
		set, err := l.render(inst, tenants[inst.App.Tenant], fleet.Platform)
		if err != nil {
			l.done.failed(inst.App, now)
			errs = append(errs, fmt.Errorf("render %s: %w; what runs is left as it is", inst.App, err))
			continue
		}
		sets, revisions[inst.App] = append(sets, set), revision
	}
	for i := range sets {
		sets[i].Ledger = ledger.Identity.ID
	}
	return sets, revisions, errors.Join(errs...)
}

// render makes the set of an instance: its objects while it is active, those that
// others still need while it is ending, and otherwise nothing at all.
func (l *Loop) render(inst *model.Instance, tenant *model.Tenant, platform *model.Platform) (render.Set, error) {
	if !inst.HasObjects() {
		return render.Ended(l.o.Prefix, inst), nil
	}
	if tenant == nil {
		return render.Set{}, fmt.Errorf("tenant %s has no valid layer", inst.App.Tenant)
	}
	built, err := l.declared.kustomizations(inst.Spec)
	if err != nil {
		return render.Set{}, err
	}
	in := render.Input{
		Fleet: l.o.Fleet, Prefix: l.o.Prefix, Instance: inst, Tenant: tenant, Pools: platform.Pools, Kustomizations: built,
		Jobs: jobs(inst),
	}
	if inst.Previous != nil {
		if before, err := l.declared.kustomizations(inst.Previous); err == nil { // else what needs them stays as it is
			in.Previous = before
		}
	}
	return render.Application(in)
}

// objectsRevision identifies the objects of an instance: it is equal for two records
// if and only if the same objects follow from them.
func objectsRevision(inst *model.Instance, platform *model.Platform) string {
	if !inst.HasObjects() {
		return fmt.Sprint("nothing ", inst.DeletesData())
	}
	revision := fmt.Appendf(nil, "%s %d %s %s", phasePart(inst), inst.Number, inst.Spec.Digest, inst.Spec.Commit)
	if inst.Previous != nil { // what it refers to is there until the update has ended
		revision = fmt.Appendf(revision, " after %s %s", inst.Previous.Digest, inst.Previous.Commit)
	}
	for i := range inst.Components {
		s := &inst.Components[i]
		revision = fmt.Appendf(revision, " %s", s.Workload)
		if s.Hold || s.State == model.StateDone {
			revision = append(revision, " kept"...)
		}
		if s.Beside != nil {
			revision = fmt.Appendf(revision, " beside %s %s", s.Beside.Workload, s.Beside.Traffic)
		}
		if pool, ok := model.Find(platform.Pools, s.Grant.Pool); ok {
			revision = fmt.Appendf(revision, "%v %s", pool.Selector, pool.TopologyKey)
		}
	}
	for _, j := range jobs(inst) {
		revision = fmt.Appendf(revision, " job %s %t", j.Key, j.Keep)
	}
	return string(revision)
}

// phasePart is different where objects come and where they go.
func phasePart(inst *model.Instance) string {
	if inst.Ending() {
		return "ending"
	}
	return "active"
}

// tenantRevision identifies the objects of a tenant: it is equal for two layers and
// lists of applications if and only if the same objects follow from them.
func tenantRevision(t *model.Tenant, apps []model.AppID) string {
	if t.Policy.Namespace != "application" {
		apps = nil // they have no namespaces of their own
	}
	return fmt.Sprint("tenant ", t.Policy.Namespace, model.DigestOf(t.Quota), apps)
}

// carriedOut keeps what was applied, by application. It is a cache: after
// a restart everything is carried out once more, and finds nothing to change.
type carriedOut struct {
	applied map[model.AppID]string // the revision that was applied last
	retry   map[model.AppID]attempt
}

type attempt struct {
	next time.Time
	wait time.Duration
}

// Waits between attempts at a set that fails.
const (
	firstWait = time.Second
	maxWait   = 5 * time.Minute
)

func newCarriedOut() carriedOut {
	return carriedOut{applied: map[model.AppID]string{}, retry: map[model.AppID]attempt{}}
}

// due reports whether a set of this revision is to be applied now.
func (c *carriedOut) due(id model.AppID, revision string, now time.Time) bool {
	if a, failed := c.retry[id]; failed && now.Before(a.next) {
		return false
	}
	return c.applied[id] != revision
}

func (c *carriedOut) succeeded(id model.AppID, revision string) {
	c.applied[id] = revision
	delete(c.retry, id)
}

func (c *carriedOut) forget(id model.AppID) { delete(c.applied, id) }

// forgetWhatOthersDid drops what is remembered of applications whose records are
// not as this loop saved them: another reconciler has written since, and may have
// acted on it. The arbiter starts anew if others have decided, as a decision that it
// repeats keeps the words with which it was made.
func (l *Loop) forgetWhatOthersDid(ledger model.Ledger) {
	if ledger.Revision.Is(l.saved.Revision) {
		return
	}
	if !model.SameDecisions(ledger.Decisions, l.saved.Decisions) {
		l.arbiter.Forget()
	}
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		if saved, known := l.saved.Find(inst.App); !known || !saved.Revision.Is(inst.Revision) {
			l.done.forget(inst.App)
			l.done.forget(model.AppID{Tenant: inst.App.Tenant})
		}
	}
}

func (c *carriedOut) failed(id model.AppID, now time.Time) {
	wait := min(max(firstWait, 2*c.retry[id].wait), maxWait)
	c.retry[id] = attempt{now.Add(wait), wait}
	delete(c.applied, id)
}

// next returns when the earliest retry is due.
func (c *carriedOut) next() (t time.Time, ok bool) {
	for _, a := range c.retry {
		if !ok || a.next.Before(t) {
			t, ok = a.next, true
		}
	}
	return t, ok
}
