package reconcile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// act carries out what a saved ledger says: it assigns to the runtimes what changed
// since it was last carried out, what drifted, and what failed and is due again. When
// the time of the slice is over it leaves the rest to the next pass, for which it stays
// due.
func (l *Loop) act(ctx context.Context, ledger model.Ledger, r *Report) error {
	if l.acted = ledger; ledger.Platform == nil {
		return nil // nothing was ever saved
	}
	for _, id := range l.o.Runtime.Drifted() {
		l.done.forget(id)
	}
	slice := l.o.Slice
	if r.Left > 0 { // applications wait for their records: these passes are short
		slice /= 4
	}
	l.begin(r, StageRender)
	l.done.planned.bring(ctx, &l.o, &ledger)
	dispatch(l.o.Outbound, &ledger, l.runs.tallies)
	began := l.o.Now()
	tasks := l.due(&ledger, began)
	inOrder(tasks, l.done.tenant)
	var errs []error
	for len(tasks) > 0 {
		n := min(atOnce, len(tasks))
		if err := l.carryOut(ctx, tasks[:n], &ledger, r); err != nil {
			errs = append(errs, err)
		}
		tasks = tasks[n:]
		if r.Applied.Err != nil { // the cluster does not answer: what was not tried stays due for the next pass, which comes after a pause
			return errors.Join(append(errs, r.Applied.Err)...)
		}
		if slice > 0 && l.o.Now().Sub(began) >= slice {
			break
		}
		if len(tasks) > 0 {
			l.begin(r, StageRender)
		}
	}
	r.Left += len(tasks)
	return errors.Join(errs...)
}

// asRecorded returns a time as it is recorded.
func asRecorded(t time.Time) time.Time { return t.UTC().Round(0) }

// carryOut has the runtimes carry out some of what is due.
func (l *Loop) carryOut(ctx context.Context, tasks []task, ledger *model.Ledger, r *Report) error {
	list := make([]runtime.Assignment, len(tasks))
	for i := range tasks {
		list[i] = l.declared.assign(tasks[i].Assignment, ledger)
		l.done.tenant = tasks[i].App.Tenant
	}
	l.begin(r, StageAct)
	report := l.o.Runtime.Act(ctx, list)
	now := l.o.Now()
	var errs []error
	for i := range report.Outcomes {
		o := &report.Outcomes[i]
		switch {
		case o.UnderWay:
			l.done.began(o.App)
			r.UnderWay++
		case o.OK() && report.Err == nil:
			l.done.succeeded(o.App, tasks[i].Revision)
		default:
			l.done.failed(o.App, now)
		}
		if o.Err != nil {
			errs = append(errs, fmt.Errorf("carry out %s: %w; what runs is left as it is", o.App, o.Err))
			continue
		}
		if inst, ok := ledger.Find(o.App); ok {
			l.done.news.note(o, inst, asRecorded(now), asRecorded(l.done.retry[o.App].next))
		}
	}
	r.Applied.Add(report)
	return errors.Join(errs...)
}

// due lists what has to be carried out at the time now. Of a ledger of which nothing was
// due nothing is due again before something is forgotten. What failed and is not asked for
// any more is not tried again.
func (l *Loop) due(ledger *model.Ledger, now time.Time) []task {
	var tasks []task
	for i := range ledger.Orphans { // the branch keeps some of them only
		o := &ledger.Orphans[i]
		if revision := fmt.Sprint("orphan ", o.Instance); o.Confirmed && l.done.due(o.App, revision, now) {
			tasks = append(tasks, task{Assignment: runtime.Assignment{App: o.App, Revision: revision, Orphan: o}, rank: rank{urgent: true}})
		}
	}
	if l.done.whole.Is(ledger.Revision) {
		return tasks
	}
	tenants := map[string]*model.Tenant{}
	running, access := ledger.WithObjects(), model.DigestOf(ledger.Platform.Access)
	for i := range ledger.Tenants {
		t := &ledger.Tenants[i]
		tenants[t.Name] = t
		id := model.AppID{Tenant: t.Name}
		revision := tenantRevision(t, running[t.Name], ledger.Platform) + readersRevision(access, t)
		if l.done.due(id, revision, now) {
			tasks = append(tasks, task{Assignment: runtime.Assignment{App: id, Revision: revision, Tenant: t, Shared: running[t.Name]},
				rank: rank{band: len(ledger.Platform.Bands), begins: l.done.begins(id)}})
		}
	}
	around := model.DigestOf([]any{ledger.Platform.Pools, ledger.Platform.Network, ledger.Platform.Policy.Egress})
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		if inst.SpecUnknown() {
			continue
		}
		if revision := l.revisions.of(inst, tenants[inst.App.Tenant], ledger.Platform, around); l.done.due(inst.App, revision, now) && l.declared.vouches(inst) {
			tasks = append(tasks, task{Assignment: runtime.Assignment{App: inst.App, Revision: revision, Tenant: tenants[inst.App.Tenant], Instance: inst},
				rank: rankOf(inst, ledger.Platform, l.done.begins(inst.App))})
		}
	}
	l.done.drop(tasks, now)
	if len(tasks)+len(l.done.retry) == 0 {
		l.done.whole = ledger.Revision
	}
	return tasks
}

// assign makes an assignment whole.
func (d *declared) assign(a runtime.Assignment, ledger *model.Ledger) runtime.Assignment {
	a.Ledger, a.Platform = ledger.Identity.ID, ledger.Platform
	a.Files = func(commit string) (fs.FS, error) { return d.directory(a.App, commit) }
	if a.Instance != nil {
		a.Components, a.Jobs = runtime.ComponentsOf(a.Instance), jobs(a.Instance)
	}
	return a
}

// objectsRevision identifies the objects of an instance: it is equal for two records
// if and only if the same objects follow from them. It is short, for each instance has one in memory.
func objectsRevision(inst *model.Instance, tenant *model.Tenant, platform *model.Platform) string {
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
		if s.Hold || s.Finished() {
			revision = append(revision, " kept"...)
		}
		if s.Beside != nil {
			revision = fmt.Appendf(revision, " beside %s %s", s.Beside.Workload, s.Beside.Traffic)
		}
		if pool, ok := model.Find(platform.Pools, s.Grant.Pool); ok {
			revision = fmt.Appendf(revision, "%v %s", pool.Selector, pool.TopologyKey)
			if pool.Cluster != "" {
				revision = fmt.Appendf(revision, " in %s", pool.Cluster)
			}
		}
	}
	if tenant != nil {
		revision = append(revision, tenant.PodSecurity...)
		if tenant.Isolation == model.IsolationLocked {
			revision = fmt.Appendf(revision, " locked %v", platform.Network)
		}
	}
	if tenant != nil && slices.ContainsFunc(inst.Spec.Components, func(c model.Component) bool { return c.Elsewhere() }) {
		revision = fmt.Appendf(revision, " calls %q of %q", tenant.Policy.Egress, platform.Policy.Egress)
	}
	for _, j := range jobs(inst) {
		revision = fmt.Appendf(revision, " job %s %t", j.Key, j.Keep)
	}
	return string(model.DigestOf(revision))
}

// phasePart is different where objects come and where they go.
func phasePart(inst *model.Instance) string {
	if inst.Ending() {
		return "ending"
	}
	return "active"
}

// tenantRevision identifies the objects of a tenant: it is equal for two layers and
// what applications have if and only if the same objects follow from them.
func tenantRevision(t *model.Tenant, held model.Occupancy, platform *model.Platform) string {
	if t.Policy.Namespace != "application" {
		held.Apps = nil // they have no namespaces of their own
	}
	revision := fmt.Sprint("tenant ", t.Policy.Namespace, t.Ceiling(held.Room), held.Apps, t.PodSecurity)
	if t.Policy.HostProcess {
		revision += " host-process"
	}
	if len(held.Reads) > 0 {
		revision += fmt.Sprint(" reads ", t.Policy.Reading, model.DigestOf(held.Reads))
		for _, r := range held.Reads {
			if pool, ok := model.Find(platform.Pools, r.Pool); ok && pool.Cluster != "" {
				revision += fmt.Sprint(" in ", pool.Cluster)
			}
		}
	}
	if t.Isolation == model.IsolationLocked {
		revision += fmt.Sprint(" locked ", held.Limits, t.Policy.Exits)
	}
	return revision
}

// readersRevision identifies who may read the objects of a tenant, given a digest of what the
// platform says of access.
func readersRevision(platform model.Digest, t *model.Tenant) string {
	if t.Access == nil {
		return ""
	}
	return fmt.Sprint(" readers ", platform, model.DigestOf(t.Access))
}

// carriedOut keeps what was applied, by application. It is a cache: after
// a restart everything is carried out once more, and finds nothing to change.
type carriedOut struct {
	applied map[model.AppID]string // the revision that was applied last, "" if it has to be applied again
	retry   map[model.AppID]attempt
	tenant  string // that had a turn last
	news    news

	whole  model.Revision // of the ledger of which nothing was due; zero: something may be
	unseen bool           // something was carried out without the values of secrets

	planned planned
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
	return carriedOut{applied: map[model.AppID]string{}, retry: map[model.AppID]attempt{}, news: news{}}
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

// began notes that a runtime is carrying out a set: it is asked again what came of it.
func (c *carriedOut) began(id model.AppID) { c.applied[id] = "" }

// begins reports whether a set has never been applied, or failed when it was last.
func (c *carriedOut) begins(id model.AppID) bool {
	_, known := c.applied[id]
	return !known
}

// forget lets a set be applied again.
func (c *carriedOut) forget(id model.AppID) {
	c.whole = model.Revision{}
	if !c.begins(id) {
		c.applied[id] = ""
	}
}

// asSaved returns the ledger to carry out in place of one as it was read, which lacks the
// values of secrets: the one that was carried out last, if it is the same.
func (c *carriedOut) asSaved(acted *model.Ledger, read model.Ledger) model.Ledger {
	if acted.Revision.Is(read.Revision) {
		return *acted
	}
	c.unseen = true
	return read
}

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
	c.whole = model.Revision{}
}

// drop forgets the retries that are due at the time now and are none of the tasks: nothing
// asks for them any more.
func (c *carriedOut) drop(tasks []task, now time.Time) {
	if len(c.retry) == 0 {
		return
	}
	asked := make(map[model.AppID]bool, len(tasks))
	for i := range tasks {
		asked[tasks[i].App] = true
	}
	maps.DeleteFunc(c.retry, func(id model.AppID, a attempt) bool { return !now.Before(a.next) && !asked[id] })
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
