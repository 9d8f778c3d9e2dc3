package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// patience is how many passes a fleet may take to come to rest.
const patience = 120

// comeToRest mends all faults and demands that passes come to an end of changes,
// and then that everything is as Git declares and the ledger says.
func (w *World) comeToRest() {
	w.sourceDown, w.cutShort, w.apiDown, w.apiLoses = false, 0, false, 0
	clear(w.apiRefuses)
	clear(w.refusals)
	clear(w.cluster.behaviour)
	w.origin.down, w.origin.refuse, w.origin.lose, w.origin.deaf = false, 0, 0, 0
	w.restoreBranch()
	if w.signed {
		w.tick(time.Hour) // nobody saves over many foreign commits of one hour
	}
	var alive []*process
	for _, p := range w.processes {
		p.skew = 0
		if p.loop != nil {
			p.carrier.stalled = time.Time{}
			alive = append(alive, p)
		}
	}
	if len(alive) == 0 {
		alive = w.processes[:1]
	}
	w.allGoesOn(alive)
	for _, app := range w.damagedApps() {
		w.revert(app)
		w.tell("the record of %s is brought back", app)
		w.allGoesOn(alive)
	}
	w.nobodyChangesWhatWasRead()
	w.everythingWasTold(alive)
}

// allGoesOn demands that all applications whose records can be read come to what Git declares.
func (w *World) allGoesOn(alive []*process) {
	w.quieten(alive)
	w.letThemThrough(func() { w.quieten(alive) })
	if w.held() {
		w.repo.commit(func(t *tree) { t.removals = w.instances(len(apps)) })
		w.tell("the removals are confirmed")
		w.quieten(alive)
	}
	w.everythingIsAsDeclared()
	w.everythingRunsAsSaved()
	w.nothingIsRefused()
}

// quieten makes passes until none of them changes anything, nor hours later.
func (w *World) quieten(alive []*process) {
	later := []time.Duration{15 * time.Second, 15 * time.Second, time.Minute, time.Minute, startDeadline, startDeadline, 2 * time.Hour, 2 * time.Hour}
	quiet := 0
	for n := 0; quiet < len(later); n++ {
		if n == patience {
			w.violate("the fleet comes to rest", "after %d passes without any fault, passes still change something", patience)
		}
		w.tick(later[quiet])
		r, err := alive[n%len(alive)].pass(0, nil)
		if err == nil && !r.Changed() {
			quiet += 3 - len(alive)
		} else {
			quiet = 0
		}
	}
}

// instances names the present instances of the first n applications.
func (w *World) instances(n int) (ids []model.InstanceID) {
	ledger := w.origin.now()
	for _, app := range apps[:n] {
		if inst, known := ledger.Find(app); known {
			ids = append(ids, inst.ID())
		}
	}
	return ids
}

// held reports whether the branch reports removals that await a confirmation.
func (w *World) held() bool {
	return slices.ContainsFunc(w.origin.now().Problems, func(p model.Problem) bool { return p.Code == model.CodeRemovalHeld })
}

// everythingIsAsDeclared: what is valid runs, or waits for a reason that is true.
func (w *World) everythingIsAsDeclared() {
	git, ledger := w.repo.now(), w.origin.now()
	roomy := w.roomForAll()
	for i, id := range apps {
		inst, known := ledger.Find(id)
		phase := model.PhaseTerminated
		if known {
			phase = inst.Phase
		}
		switch {
		case ledger.DamagedOf(id) != nil:
			continue
		case git.broken || git.declares(i) && !git.usable(i):
			if phase == model.PhaseCreated || phase == model.PhaseScheduled {
				w.violate("what is declared comes to something", "%s cannot be used as declared and is %s for ever", id, phase)
			}
			continue
		case !git.declares(i) || git.spec(i).halted():
			if phase != model.PhaseTerminated && !w.waitsForMove(inst) {
				w.violate("what is not declared ends", "%s is not to run and is %s", id, phase)
			}
			continue
		}
		want := application(i, git.spec(i), git.rules, "")
		if phase == model.PhaseTerminated {
			if !known || !inst.Rests(want.Release, w.now) {
				w.violate("what is declared comes to something", "%s is declared and nothing is done about it", id)
			}
			continue
		}
		if phase == model.PhaseCreated || phase == model.PhaseScheduled {
			w.violate("what is declared comes to something", "%s is %s for ever", id, phase)
		}
		if !phase.Active() {
			if roomy {
				w.violate("what fits runs", "%s is %s (%s), and there is room for everything", id, phase, inst.Message)
			}
			continue
		}
		if inst.SpecDigest() != want.Digest && (inst.Refused == nil || inst.Refused.Spec != want.Release) {
			w.violate("an update is carried out or refused", "%s runs another spec than Git declares, and nothing says why", id)
		}
		if inst.SpecDigest() != want.Digest && roomy && inst.Refused.Reason != model.ReasonRolledBackSpec {
			w.violate("what fits runs", "the update of %s is refused (%s), and there is room for everything", id, inst.Refused.Message)
		}
		if unbrought(inst) {
			continue
		}
		if phase == model.PhaseDegraded && w.lacksSecret(inst) {
			continue
		}
		if phase == model.PhaseDegraded && len(ledger.Damaged) > 0 && !roomy {
			continue // what has a damaged record gives no room, though it may take more than there is
		}
		if phase == model.PhaseDegraded && !reduced(inst) {
			w.violate("Degraded is said of what is degraded", "%s is Degraded (%s) and runs in full", id, inst.Message)
		}
		if phase == model.PhaseDegraded && roomy {
			w.violate("what fits runs", "%s is Degraded (%s), and there is room for everything", id, inst.Message)
		}
	}
}

// waitsForMove reports whether an application that Git does not declare stays, because
// another one of its tenant came in its place and has none yet.
func (w *World) waitsForMove(inst *model.Instance) bool {
	git, ledger := w.repo.now(), w.origin.now()
	return inst.Refused != nil && inst.Refused.Reason == model.ReasonMoveWaits && slices.ContainsFunc(apps, func(other model.AppID) bool {
		to, known := ledger.Find(other)
		if ledger.DamagedOf(other) != nil && inst.Refused.MovesTo == other {
			return true // until the record can be read
		}
		return other.Tenant == inst.App.Tenant && git.declares(slices.Index(apps, other)) && known && !to.Phase.Active()
	})
}

// roomForAll reports whether all that Git declares would fit at once, even beside
// what was accepted before it.
func (w *World) roomForAll() bool {
	git, ledger := w.repo.now(), w.origin.now()
	if git.broken {
		return false
	}
	var asked [2]int
	for i := range apps {
		spec, held := 0, 0
		if declared := git.spec(i); git.declares(i) && declared.shape != "" && !declared.halted() {
			a := application(i, declared, git.rules, "")
			spec = replicas(&a)
		}
		if inst, ok := ledger.Find(apps[i]); ok && inst.Phase.Active() {
			held = replicas(inst.Spec)
		}
		asked[tenantOf(i)] += max(spec, held)
	}
	for i, n := range asked {
		if q := git.quota[i]; git.tenantBroken[i] || q > 0 && n > q {
			return false
		}
	}
	return asked[0]+asked[1] <= w.cluster.slots()
}

func replicas(a *model.Application) (n int) {
	for i := range a.Components {
		if a.Components[i].Requests.CPU > 0 {
			n += a.Components[i].Replicas
		}
	}
	return n
}

// lacksSecret reports whether an application runs without a secret that nobody can
// make again before Git holds its spec.
func (w *World) lacksSecret(inst *model.Instance) bool {
	return !w.holds(inst) && slices.ContainsFunc(inst.Spec.Components, func(c model.Component) bool {
		s, ok := inst.Component(c.Name)
		return ok && c.Type == "secret" && s.State == model.StateFailed
	})
}

func reduced(inst *model.Instance) bool {
	return slices.ContainsFunc(inst.Components, func(s model.ComponentState) bool {
		c, ok := inst.Spec.Component(s.Grant.Component)
		return ok && (s.Grant.Replicas < c.Replicas || s.Grant.QoS != c.QoS)
	})
}

// everythingRunsAsSaved: the cluster holds what the ledger says and nothing else,
// and every volume that it ever held.
func (w *World) everythingRunsAsSaved() {
	runs := map[part]int{}
	for _, o := range w.cluster.objects {
		if o.told.scales {
			runs[o.part] += o.ready
		}
	}
	for _, o := range slices.SortedFunc(maps.Keys(w.wrong()), func(x, y *object) int { return x.ref.Compare(y.ref) }) {
		w.violate("nothing runs that the ledger does not say", "%s of %s", o.ref, o.part.app)
	}
	for _, inst := range active(w.origin.now()) {
		for i := range inst.Components {
			s := &inst.Components[i]
			c, _ := inst.Spec.Component(s.Grant.Component)
			if c == nil || w.origin.now().DamagedOf(inst.App) != nil || c.Finite() || c.Requests.CPU == 0 {
				continue
			}
			if n := runs[part{inst.App, c.Name}]; n != s.Run && inst.Phase == model.PhaseRunning {
				w.violate("what the ledger says runs", "%d of %d replicas of %s of %s run", n, s.Run, c.Name, inst.App)
			}
		}
	}
}

// nobodyChangesWhatWasRead: ledgers are shared between the branch, its cache and
// the loop, so whoever changes one in place changes the past.
func (w *World) nobodyChangesWhatWasRead() {
	if tip := w.origin.tip(); tip > 0 {
		if model.DigestOf(decode(w.origin.versions[tip-1].files)) != model.DigestOf(w.origin.now()) {
			w.violate("nobody changes what was read", "the ledger in memory is not what the branch holds")
		}
	}
}
