package sim

import (
	"slices"
	"strconv"

	"github.com/d-aros/d-aros/pkg/model"
)

// pushes judges a new version of the status branch as it arrives.
func (w *World) pushes(p *process, before, after *model.Ledger) {
	w.ledgerIsRecognized(p)
	w.hearing.save(p, before, after, w.cluster.anchor != nil && !w.origin.lost())
	w.commitsGoForward(before, after)
	w.nothingIsForgotten(before, after)
	rolledBack := map[string]bool{}
	for i := range after.Instances {
		now := &after.Instances[i]
		was := &model.Instance{App: now.App}
		if known, ok := before.Find(now.App); ok {
			was = known
		}
		news := w.historyGrows(was, now)
		if slices.ContainsFunc(news, func(t model.Transition) bool { return t.Reason == model.ReasonRolledBack }) {
			rolledBack[now.App.Tenant] = true
		}
		w.transitionsAreInTheTable(was, news)
		w.removalIsDeclared(p, after.Commit, now, news)
		w.runningIsTrue(p, now, news)
		w.editsOfRulesReleaseNothing(was, now, news)
		w.startIsInOrder(was, now)
		w.noteEnd(p, was, now)
	}
	w.runsGoOn(before, after)
	w.workflows(before, after)
	w.refusalsEndUpdates(after)
	w.movesWait(before, after)
	w.removalsAreConfirmed(after.Commit, before, after)
	w.capacityIsGrantedOnce(p, before, after)
	w.quotaHolds(before, after, rolledBack)
}

// commitsGoForward: what was decided on a commit is not decided again on one before
// it, for as long as the fleet repo holds both.
func (w *World) commitsGoForward(before, after *model.Ledger) {
	if before.Commit != after.Commit && w.repo.follows(w.repo.tip, before.Commit) && w.repo.follows(before.Commit, after.Commit) {
		w.violate("commits go forward", "the branch was decided on commit %s, and is again on %s before it", before.Commit, after.Commit)
	}
}

// nothingIsForgotten: a record that is dropped is work that nobody finishes: what
// it said may still run, and nobody would end it.
func (w *World) nothingIsForgotten(before, after *model.Ledger) {
	for i := range before.Instances {
		if id := before.Instances[i].App; w.options.Plant == nil { // with a bug planted, let it show in what runs
			if _, ok := after.Find(id); !ok {
				w.violate("no record is dropped", "%s was on the branch and is not any more", id)
			}
		}
	}
}

// historyGrows: the past is not rewritten; returns what is new.
func (w *World) historyGrows(was, now *model.Instance) []model.Transition {
	if n := len(now.History); n == 0 || now.History[n-1].To != now.Phase || now.History[n-1].Instance != now.Number {
		w.violate("history leads to the phase", "%s#%d is %s, and its history ends otherwise", now.App, now.Number, now.Phase)
	}
	if len(was.History) == 0 {
		return now.History
	}
	last := was.History[len(was.History)-1]
	for i := len(now.History) - 1; i >= 0; i-- {
		if t := now.History[i]; t.At.Equal(last.At) && t.To == last.To && t.Instance == last.Instance && t.Reason == last.Reason {
			return now.History[i+1:]
		}
	}
	w.violate("history only grows", "%s: %s of instance %d is not in the history any more", now.App, last.Reason, last.Instance)
	return nil
}

// ledgerIsRecognized: a branch that holds something else than the ledger is not written. To go on from it would end all
// that runs, or do again what was done.
func (w *World) ledgerIsRecognized(p *process) {
	if w.origin.lost() && p.branch.head != w.adopts && w.cluster.anchor != nil && w.origin.says(p.branch.head).Identity.Sequence < w.cluster.anchor.Sequence {
		w.violate("a branch that is not the ledger is not written", "%s saves to it", p.name)
	}
}

// removalIsDeclared: what Git is merely silent or broken about goes on.
func (w *World) removalIsDeclared(p *process, commit string, now *model.Instance, news []model.Transition) {
	for _, t := range news {
		if t.Reason == model.ReasonRemoved && w.repo.commits[commit].declares(slices.Index(apps, now.App)) {
			w.violate("only what Git removes is removed", "%s is ended as removed, and commit %s declares it", now.App, commit)
		}
	}
}

// removalsAreConfirmed: a commit that empties the fleet by accident ends nothing.
func (w *World) removalsAreConfirmed(commit string, before, after *model.Ledger) {
	ended := 0
	running := active(before)
	for _, was := range running {
		now, ok := after.Find(was.App)
		if ok && now.Phase == model.PhaseTerminated && now.Reason == model.ReasonRemoved && !slices.Contains(w.repo.commits[commit].removals, was.ID()) {
			ended++
		}
	}
	if ended >= 3 && ended*5 > len(running) {
		w.violate("mass removal is confirmed", "%d of %d applications are ended by commit %s, which confirms none of these", ended, len(running), commit)
	}
}

// runningIsTrue: an application is not called Running before all that is critical
// was seen to run just as the ledger says. What was seen may be a little old.
func (w *World) runningIsTrue(p *process, now *model.Instance, news []model.Transition) {
	if now.Phase != model.PhaseRunning || len(news) == 0 || news[len(news)-1].From == model.PhaseRunning {
		return
	}
	for i := range now.Components {
		s := &now.Components[i]
		c, _ := now.Spec.Component(s.Grant.Component)
		if !c.Critical || s.Grant.Replicas == 0 {
			continue
		}
		seen, ok := p.carrier.seen.Find(now.App, c.Name)
		switch {
		case c.Finite() && s.Finished(): // it may have ended long ago, and be gone
		case !ok, seen.Digest != s.Workload, !seen.Current, seen.Ready < s.Grant.Replicas:
			w.violate("Running is said of what runs", "%s#%d is called Running, and of %s was seen: %+v, told %s", now.App, now.Number, c.Name, seen, s.Workload)
		}
	}
}

// editsOfRulesReleaseNothing: an edit of policy or priority updates nothing, begins no
// run, and lifts no hold. Only another release does.
func (w *World) editsOfRulesReleaseNothing(was, now *model.Instance, news []model.Transition) {
	if was.Number != now.Number {
		return
	}
	only := func(reason model.Reason) bool {
		return slices.ContainsFunc(news, func(t model.Transition) bool { return t.Reason == reason })
	}
	if was.Release() == now.Release() && only(model.ReasonUpdateAdmitted) && !only(model.ReasonRolledBack) {
		w.violate("edits of rules release nothing", "%s#%d is updated to the release that it runs", now.App, now.Number)
	}
	if r, old := now.Run, was.Run; r != nil && old != nil && r.ID != old.ID && r.Spec == old.Spec && old.Instance == now.Number && old.Superseded == "" {
		w.violate("edits of rules release nothing", "%s#%d begins run %d for the release of run %d", now.App, now.Number, r.Number, old.Number)
	}
	for _, held := range was.Held {
		if !slices.Contains(now.Held, held) && len(now.Held) < 10 && !only(model.ReasonHoldLifted) {
			w.violate("edits of rules release nothing", "%s#%d does not hold release %s any more", now.App, now.Number, held.Short())
		}
	}
}

// capacityIsGrantedOnce: grants never grow beyond what was seen, whoever decides
// and whatever was granted before. They may be beyond it when capacity is lost.
func (w *World) capacityIsGrantedOnce(p *process, before, after *model.Ledger) {
	had, has := granted(before), granted(after)
	var seen model.Resources
	for _, pool := range p.carrier.seen.Pools {
		seen = seen.Add(pool.Capacity)
	}
	for _, name := range has.Exceeds(seen) {
		if has.Get(name) > had.Get(name) {
			w.violate("capacity is granted once", "%s is granted of %s %s, and %s was before", has, seen, name, had)
		}
	}
}

// granted sums what the ledger grants.
func granted(l *model.Ledger) (sum model.Resources) {
	for _, inst := range active(l) {
		for i := range inst.Components {
			sum = sum.Add(inst.Components[i].Takes())
		}
	}
	return sum
}

// quotaHolds: what a tenant's accepted applications declare stays within its quota,
// unless that was lowered below what was accepted before, or a spec came back that
// was accepted before.
func (w *World) quotaHolds(before, after *model.Ledger, rolledBack map[string]bool) {
	for i := range after.Tenants {
		t := &after.Tenants[i]
		if t.Quota == nil || rolledBack[t.Name] {
			continue
		}
		had, has := declaredBy(before, t.Name), declaredBy(after, t.Name)
		if has > t.Quota.CPU && has > had {
			w.violate("quota holds", "tenant %s has %s cpu, its quota is %s, and it had %s", t.Name,
				model.FormatCPU(has), model.FormatCPU(t.Quota.CPU), model.FormatCPU(had))
		}
	}
}

// declaredBy is the CPU that the accepted applications of a tenant ask for in full.
func declaredBy(l *model.Ledger, tenant string) (cpu int64) {
	for _, inst := range active(l) {
		if inst.App.Tenant != tenant {
			continue
		}
		for i := range inst.Spec.Components {
			c := &inst.Spec.Components[i]
			if s, ok := inst.Component(c.Name); ok && !s.Finished() {
				cpu += c.Requests.CPU * int64(c.Replicas)
			}
		}
	}
	return cpu
}

// writes judges a request to make something, as it arrives: the branch has said
// it, in the version that this process goes by. Else a crash, or a push that gets
// lost, leaves something running that nobody remembers having decided.
func (w *World) writes(p *process, part part, t told) {
	if part.app.Name == "" || t.workload == "" {
		return
	}
	w.losersRest(p)
	w.unexplainedStays(p, part.app)
	w.nothingRunsAgain(p, part.app, t)
	if p.acts != w.origin.tip() && !w.origin.lost() { // it cannot know that this is ending
		w.ends[part.app] = end{}
	}
	if inst := p.says(part.app); inst != nil && t.instance == strconv.Itoa(inst.Number) {
		if t.intent != "" && allows(inst, t.intent, true) {
			return
		}
		if s, ok := inst.Component(part.component); ok && t.beside && s.Beside != nil && t.digest() == s.Beside.Workload {
			return
		} else if ok && !t.beside && t.intent == "" && !s.Hold && t.digest() == s.Workload {
			if t.job && s.State == model.StateDone {
				w.violate("a job that ended well is not run again", "%s runs %s of %s again", p.name, part.component, part.app)
			}
			return
		}
	}
	w.violate("only what is saved is done", "%s makes %s of %s, and version %d of the branch, which it goes by, does not say so", p.name, part.component, part.app, p.acts)
}

// losersRest: who has just heard that the branch says something newer knows that
// what it would act on is not what holds.
func (w *World) losersRest(p *process) {
	if p.lost {
		w.violate("who loses the race does not act", "%s acts on version %d after it heard that the branch has moved on", p.name, p.acts)
	}
}

// deletes judges a request to delete something that runs.
func (w *World) deletes(p *process, o *object) {
	if o.part.app.Name == "" || o.told.workload == "" {
		return
	}
	w.losersRest(p)
	w.unexplainedStays(p, o.part.app)
	w.orphansStay(p, o)
	w.nothingStops(p, o)
	w.endIsInOrder(p, o)
	if p.acts != w.origin.tip() { // it cannot know that the job is due
		w.reference.Lost(o.part.app, o.told.intent)
	}
	inst := p.says(o.part.app)
	if inst == nil || o.told.instance != strconv.Itoa(inst.Number) {
		return
	}
	if !wants(inst, o) || o.told.intent != "" && !allows(inst, o.told.intent, true) {
		return
	}
	w.violate("only what is saved is undone", "%s deletes %s of %s, and version %d of the branch, which it goes by, wants it", p.name, o.ref, o.part.app, p.acts)
}

func (t told) digest() model.Digest { return model.Digest(t.workload[:max(0, len(t.workload)-2)]) }

// says returns what the branch says of an application in the version that a
// process acts on, nil if nothing of it is to run.
func (p *process) says(app model.AppID) *model.Instance {
	inst, ok := p.world.origin.says(p.acts).Find(app)
	if !ok || !inst.HasObjects() {
		return nil
	}
	return inst
}

// replacedJob reports whether an object is a Job that a newer spec has replaced. Each version of a Job has a name of its
// own, so nobody holds an older one.
func replacedJob(o *object, now model.Digest) bool {
	return o.told.job && o.told.workload != "" && o.told.digest() != now
}

// wants reports whether a record wants what an object was told to be, or leaves it as
// it is.
func wants(inst *model.Instance, o *object) bool {
	s, ok := inst.Component(o.part.component)
	switch {
	case o.told.intent != "":
		return allows(inst, o.told.intent, false)
	case !ok:
		return false
	case replacedJob(o, s.Workload):
		return false
	case o.told.beside && s.Beside != nil:
		return s.Hold || o.told.digest() == s.Beside.Workload
	case o.told.beside:
		return false
	}
	return s.Hold || o.told.workload == "" || o.told.digest() == s.Workload
}

// holds reports whether Git holds the accepted spec of an application, secrets and all.
func (w *World) holds(inst *model.Instance) bool {
	git, n := w.repo.now(), slices.Index(apps, inst.App)
	if !git.usable(n) {
		return false
	}
	a := application(n, git.spec(n), git.rules, "")
	return a.Release == inst.Release()
}

// wrong lists what runs and should not, by what the branch says now.
func (w *World) wrong() map[*object]bool {
	now := w.origin.now()
	var list map[*object]bool
	for _, o := range w.cluster.objects {
		if o.part.app.Name == "" || o.permanent() || !o.leaving.IsZero() {
			continue
		}
		inst, ok := now.Find(o.part.app)
		if ok && inst.SpecUnknown() {
			continue
		}
		if ok && inst.HasObjects() {
			c, declared := inst.Spec.Component(o.part.component)
			if declared && inst.Ending() && !c.Runs() {
				continue // configuration stays until the end
			}
			_, recorded := inst.Component(o.part.component)
			if o.ref.Kind == "Secret" && (!w.holds(inst) || recorded && !declared) {
				continue // it stays as it is while its values are not known, as are those of an older spec that a run keeps
			}
			if wants(inst, o) {
				continue
			}
		} else if !ok && w.orphans[o.part.app] {
			continue
		}
		if list == nil {
			list = map[*object]bool{}
		}
		list[o] = true
	}
	return list
}

// lookedAway notes that a process went through a pass without any trouble, and
// left as they are objects that were wrong when it began. That every process which
// is alive does so must not happen: nobody is left to end them.
func (w *World) lookedAway(p *process, before map[*object]bool) {
	still := w.wrong()
	for o := range w.excess {
		if !still[o] {
			delete(w.excess, o)
		}
	}
	for o := range still {
		if !before[o] || w.apiDown || !p.carrier.stalled.IsZero() || p.carrier.unsound[o.part.app] {
			continue
		}
		if w.excess[o] == nil {
			w.excess[o] = map[string]bool{}
		}
		w.excess[o][p.name] = true
		if other := p.other(); other.loop == nil || w.excess[o][other.name] {
			w.violate("nothing runs that the ledger does not say, for longer than a pass", "%s of %s runs on, and nobody minds", o.ref, o.part.app)
		}
	}
}
