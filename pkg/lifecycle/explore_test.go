package lifecycle_test

import (
	"encoding/json"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/tier"
)

// TestExplore goes through every state that an application of two components can
// get into, whatever Git says next, whatever the runtime does, however long it
// takes, and wherever the reconciler crashes, and through those of two such
// applications that compete for three cores, as far as so many changes lead. It
// checks every ledger that is saved on the way.
//
// Times are counted in steps of ten minutes, which is what every deadline, window
// and pause is, so that what is longer ago than that makes no difference, and the
// number of states is finite.
func TestExplore(t *testing.T) {
	rows, phases := map[row]bool{}, map[model.Phase]bool{}
	for _, e := range explorations {
		if testing.Short() && e.left != endless {
			continue // make test goes through all of them
		}
		t.Run(e.name, func(t *testing.T) {
			if tier.Soak() && e.left != competing {
				e.left = endless
			}
			x := newExploration(t, e.own)
			x.rows, x.phases = rows, phases
			x.git, x.nodes = e.git, e.nodes
			x.visit(state{cores: 3, now: start, left: e.left})
			for len(x.queue) > 0 {
				s := x.queue[0]
				x.queue = x.queue[1:]
				x.next(s)
			}
			t.Logf("%d states, %d ways between them", len(x.known), x.steps)
		})
	}
	for _, r := range lifecycle.Rules {
		taken := slices.ContainsFunc(slices.Collect(maps.Keys(rows)), func(x row) bool {
			return slices.Contains(r.From, x.from) && (r.To == x.to || r.To == "" && x.from == x.to) && (r.Reason == x.reason || r.Reason == "")
		})
		if !taken {
			t.Logf("never: %s: %s (%s)", r.From, r.If, r.Reason)
		}
	}
	for _, p := range model.Phases {
		if p != model.PhaseRejected && !testing.Short() { // nothing refuses them
			require.True(t, phases[p], "%s is never reached", p)
		}
	}
}

var explorations = []struct {
	name  string
	own   [2]string // lifecycle
	git   [2][]int  // what Git may say
	nodes bool      // one may be lost and come back
	left  changes   // so many of each may happen
}{
	{"one restarts", [2]string{"on.failure=restart on.quarantine=2 on.update=hold", ""}, [2][]int{{0, 1, 3}, {0}}, false, few},
	{"one rolls back", [2]string{"on.failure=rollback on.quarantine=2", ""}, [2][]int{{0, 1, 2}, {0}}, false, few},
	{"one degrades", [2]string{"on.failure=degrade", ""}, [2][]int{{0, 1}, {0}}, true, few},
	{"one ends", [2]string{"", "on.failure=terminate"}, [2][]int{{0}, {0, 1}}, true, endless},
	{"two", [2]string{"on.failure=rollback on.quarantine=1", "on.failure=terminate"}, [2][]int{{0, 1, 2}, {0, 1}}, false, competing},
}

// changes are how many changes of each sort may still happen in a history, and how often people may ask.
type changes struct{ Git, Nodes, Faults, Crashes, Waits, Asks int }

var (
	endless   = changes{-1, -1, -1, -1, -1, -1}
	few       = changes{Git: 2, Nodes: 1, Faults: 2, Crashes: 1, Waits: 3}
	competing = changes{Git: 2, Faults: 1, Crashes: 1, Waits: 2}
)

// spend takes one of n, if there is one; less than none are without end.
func spend(n *int) bool {
	if *n > 0 {
		*n--
		return true
	}
	return *n < 0
}

// covers reports whether whatever may happen with less may happen.
func (c changes) covers(less changes) bool {
	enough := func(has, needs int) bool { return has < 0 || needs >= 0 && has >= needs }
	return enough(c.Git, less.Git) && enough(c.Nodes, less.Nodes) && enough(c.Faults, less.Faults) &&
		enough(c.Crashes, less.Crashes) && enough(c.Waits, less.Waits) && enough(c.Asks, less.Asks)
}

const tick = 10 * time.Minute

// exploration is a search through all states, the nearest to the beginning first.
type exploration struct {
	*testing.T
	declared [2][]model.Application // what Git may say of each application; the first is nothing
	git      [2][]int               // which of them it says
	nodes    bool
	longest  time.Duration        // a start may take
	known    map[uint64][]changes // what was left of each state that was gone on from
	queue    []state
	steps    int
	rows     map[row]bool
	phases   map[model.Phase]bool
	seed     maphash.Seed
	fleet    model.Fleet
}

type row struct {
	from, to model.Phase
	reason   model.Reason
}

// state is all that matters: what Git says, what is saved, what runs, the time.
type state struct {
	git    [2]int
	cores  int
	ledger model.Ledger
	runs   [4]running // a/db, a/web, b/run, b/web
	now    time.Time
	left   changes
}

// running is what the runtime has of a component.
type running struct {
	workload model.Digest // "": nothing
	replicas int
	how      string // starting | ready | unready | crashed | done | lost
	crashes  int
}

var parts = [4]struct {
	app       int
	component string
}{{0, "db"}, {0, "web"}, {1, "run"}, {1, "web"}}

var explored = [2]string{"a", "b"}

func newExploration(t *testing.T, own [2]string) *exploration {
	x := &exploration{T: t, longest: tick, known: map[uint64][]changes{}, seed: maphash.MakeSeed()}
	w := newWorld()
	x.fleet = w.fleet
	spec := func(name, words, own string) model.Application {
		app := application(t, name, strings.Fields(words+" "+own))
		l := &app.Lifecycle
		l.Grace, l.Threshold, l.Window = 4*time.Minute+30*time.Second, 2, tick
		if own == "" {
			l.Threshold = 0
		}
		l.Backoff = model.Backoff{Initial: tick, Factor: 1, Max: tick}
		return app.Seal()
	}
	const store, batch = "db=1x1 web=1x1 web.after=db ", "job.run=1x1 web=1x1 web.min=0 web.after=run "
	suspended := spec("a", store+"web.image=v1", own[0])
	suspended.Desired = "suspended"
	x.declared = [2][]model.Application{
		{{}, spec("a", store+"web.image=v1", own[0]), spec("a", store+"web.image=v2 db.image=v2", own[0]), suspended.Seal()},
		{{}, spec("b", batch, own[1])},
	}
	return x
}

// visit notes a state to go on from, unless it is known.
func (x *exploration) visit(s state) {
	if x.leadsOn(x.key(&s), s.left) {
		x.queue = append(x.queue, s)
	}
}

// leadsOn notes a state, and reports whether to go on from it. From one with fewer changes left nothing follows that does not
// follow from the same with more; make soak goes on from it nevertheless.
func (x *exploration) leadsOn(key uint64, left changes) bool {
	x.steps++
	if slices.ContainsFunc(x.known[key], func(more changes) bool { return more == left || !tier.Soak() && more.covers(left) }) {
		return false
	}
	x.known[key] = append(x.known[key], left)
	return true
}

// next visits every state that can follow.
func (x *exploration) next(s state) {
	whole := s
	whole.ledger = x.pass(&s)
	if crashed := whole; spend(&crashed.left.Crashes) {
		crashed.ledger.Unsaved = nil
		x.visit(crashed) // after the push, before anything was done
		crashed.act(0)
		x.visit(crashed) // when the half was done
	}
	whole.act(0)
	whole.act(1)
	x.visit(whole)

	for i := range s.runs {
		for _, how := range s.runs[i].next(parts[i].component) {
			after := s
			fault := how != "ready" && how != "done"
			if fault && !spend(&after.left.Faults) {
				continue
			}
			if after.runs[i].how = how; how == "crashed" {
				after.runs[i].crashes++
			}
			x.visit(after)
		}
	}
	if later := s; spend(&later.left.Waits) {
		later.now = s.now.Add(tick)
		x.visit(later)
	}
	for app := range x.git {
		for _, n := range x.git[app] {
			if after := s; n != s.git[app] && spend(&after.left.Git) {
				after.git[app] = n
				x.visit(after)
			}
		}
	}
	if after := s; x.nodes && spend(&after.left.Nodes) {
		after.cores = 5 - s.cores
		x.visit(after)
	}
}

// next is what a workload may do next.
func (r *running) next(component string) []string {
	switch {
	case r.workload == "" || r.replicas == 0 || r.how == "done" || r.how == "lost":
		return nil
	case component == "run":
		return []string{"done", "lost"}
	case r.how == "ready":
		return []string{"crashed", "unready"}
	case r.how == "crashed" && r.crashes >= 2:
		return []string{"ready"}
	}
	return []string{"ready", "crashed"}
}

// seen is what the runtime shows.
func (s *state) seen() (o model.Observation) {
	o.Pools = []model.Pool{{Name: "general", Nodes: s.cores, Capacity: model.Resources{CPU: int64(s.cores) * 1000, Memory: 1 << 40}}}
	for i := range s.runs {
		r := &s.runs[i]
		if r.workload == "" {
			continue
		}
		w := model.Workload{App: id(explored[parts[i].app]), Component: parts[i].component, Digest: r.workload, Replicas: r.replicas}
		switch {
		case r.replicas == 0:
			w.Current = true
		case r.how == "ready":
			w.Ready, w.Current = r.replicas, true
		case r.how == "done":
			w.Done = true
		case r.how == "crashed":
			w.Failure = &model.Failure{Class: model.ClassRuntime, Reason: model.ContainerCrash, Restarts: r.crashes}
		case r.how == "lost":
			w.Failure = &model.Failure{Class: model.ClassApplication, Reason: "JobFailed", Final: true}
		}
		o.Workloads = append(o.Workloads, w)
	}
	return o
}

// act carries out what is saved about an application.
func (s *state) act(app int) {
	inst, ok := s.ledger.Find(id(explored[app]))
	for i := range s.runs {
		if parts[i].app != app {
			continue
		}
		r := &s.runs[i]
		var c *model.ComponentState
		if ok && (inst.Phase.Active() || inst.Ending()) {
			c, _ = inst.Component(parts[i].component)
		}
		switch {
		case c == nil:
			*r = running{}
		case c.Hold || c.Finished() || c.Workload == r.workload:
		case c.Run == 0:
			*r = running{workload: c.Workload}
		default:
			*r = running{workload: c.Workload, replicas: c.Run, how: "starting"}
		}
	}
}

// confirmedAll names all instances, as a file that confirms whatever Git removes.
func confirmedAll(l *model.Ledger) (ids []model.InstanceID) {
	for i := range l.Instances {
		ids = append(ids, l.Instances[i].ID())
	}
	return ids
}

// pass decides, and checks what would be saved.
func (x *exploration) pass(s *state) model.Ledger {
	fleet := x.fleet
	fleet.Applications = nil
	for app, n := range s.git {
		if n > 0 {
			fleet.Applications = append(fleet.Applications, &x.declared[app][n])
		}
	}
	seen := s.seen()
	fleet, _ = lifecycle.KeepLastGood(fleet, s.ledger, confirmedAll(&s.ledger))
	next := lifecycle.Advance(s.ledger, fleet, arbitration.Rule(fleet, seen, s.ledger, s.now), seen, s.now)
	x.check(s, &next)
	return next
}

// check holds a new ledger to what must hold always.
func (x *exploration) check(s *state, next *model.Ledger) {
	taken := func(l *model.Ledger) (cpu int64) {
		for i := range l.Instances {
			for k := range l.Instances[i].Components {
				if c := &l.Instances[i].Components[k]; l.Instances[i].Phase.Active() {
					cpu += c.Takes().CPU
				}
			}
		}
		return cpu
	}
	if had, has := taken(&s.ledger), taken(next); has > had && has > int64(s.cores)*1000 {
		x.Fatalf("%d thousandths of %d cores are granted, %d before: %s", has, s.cores, had, text(x.T, *next))
	}
	for i := range next.Instances {
		inst := &next.Instances[i]
		x.phases[inst.Phase] = true
		x.checkRecord(s, inst)
		old, ok := s.ledger.Find(inst.App)
		if !ok {
			old = &model.Instance{App: inst.App}
		}
		x.checkWay(old, inst)
		x.checkOrder(old, inst)
	}
}

// checkRecord: what a record refers to is there, and whatever waits has a time at
// which that ends.
func (x *exploration) checkRecord(s *state, inst *model.Instance) {
	wrong := ""
	names := map[string]bool{}
	for i := range inst.Components {
		c := &inst.Components[i]
		_, declared := inst.Spec.Component(c.Grant.Component)
		if names[c.Grant.Component] || !declared {
			wrong = "names a component twice, or one that is not declared"
		}
		names[c.Grant.Component] = true
		if !c.Pause.IsZero() && c.Pause.After(s.now.Add(tick)) {
			wrong = "pauses for ever"
		}
	}
	switch {
	case inst.Phase == model.PhaseCreated:
		wrong = "is Created after a pass"
	case inst.Phase.Active() && (inst.Spec == nil || len(names) != len(inst.Spec.Components)):
		wrong = "does not know all of its components"
	case inst.Phase == model.PhaseScheduled && (inst.Deadline.IsZero() || inst.Deadline.After(s.now.Add(x.longest))):
		wrong = "starts without a deadline"
	case inst.Phase == model.PhaseScheduled && !s.now.Before(inst.Deadline):
		wrong = "starts beyond its deadline"
	case inst.Phase == model.PhaseTerminated && inst.Reason == model.ReasonQuarantined && inst.Returns.IsZero():
		wrong = "is set aside for ever"
	case inst.Phase == model.PhaseRunning && unreadyFor(s, inst) >= model.UnreadyAfter:
		wrong = "is called Running"
	case inst.Ending() && !s.now.Before(inst.EndBy):
		wrong = "ends beyond its deadline"
	case !inst.Phase.Active() && inst.Previous != nil:
		wrong = "keeps a spec to go back to"
	case inst.Phase.Active() && inst.Previous != nil && inst.Deadline.IsZero() && inst.Trial.IsZero() && (inst.Run == nil || inst.Run.Phase == model.RunSucceeded):
		wrong = "keeps a spec to go back to for ever"
	case len(inst.Failures) > model.FailureLimit || len(inst.History) > model.HistoryLimit:
		wrong = "grows for ever"
	}
	if wrong != "" {
		x.Fatalf("%s#%d %s: %s", inst.App, inst.Number, wrong, text(x.T, model.Ledger{Instances: []model.Instance{*inst}}))
	}
}

// unreadyFor is for how long the components that an instance needs were seen unready.
func unreadyFor(s *state, inst *model.Instance) (longest time.Duration) {
	for i := range inst.Components {
		name := inst.Components[i].Grant.Component
		spec, _ := inst.Spec.Component(name)
		if seen := inst.Shown.Of(name); seen != nil && spec.Critical && !seen.Unready.IsZero() {
			longest = max(longest, s.now.Sub(seen.Unready))
		}
	}
	return longest
}

// checkWay: what is new in the history is a way through the table.
func (x *exploration) checkWay(old, inst *model.Instance) {
	phase := old.Phase
	news := inst.History
	if n := len(old.History); n > 0 {
		last := old.History[n-1]
		at := -1
		for i := range news {
			if news[i].Equal(&last) {
				at = i
			}
		}
		news = news[at+1:]
	}
	for _, t := range news {
		from := t.From
		if t.To == model.PhaseCreated && t.From == "" {
			if phase != "" && phase != model.PhaseTerminated || inst.Number != old.Number+1 {
				x.Fatalf("%s begins after %s", inst.App, phase)
			}
		} else if from != phase || !slices.ContainsFunc(lifecycle.Rules, func(r lifecycle.Rule) bool {
			return slices.Contains(r.From, from) && (r.To == t.To || r.To == "" && t.To == from) && (r.Reason == t.Reason || r.Reason == "")
		}) {
			x.Fatalf("%s: after %s, %s → %s %s is in no row of the table", inst.App, phase, from, t.To, t.Reason)
		}
		x.rows[row{from, t.To, t.Reason}] = true
		x.phases[t.To] = true
		phase = t.To
	}
	if phase != inst.Phase {
		x.Fatalf("%s is %s, and its history leads to %s", inst.App, inst.Phase, phase)
	}
}

// checkOrder: nothing starts before what it depends on is ready.
func (x *exploration) checkOrder(old, inst *model.Instance) {
	if !inst.Phase.Active() {
		return
	}
	for i := range inst.Components {
		c := &inst.Components[i]
		before, ok := old.Component(c.Grant.Component)
		if ok && old.Number == inst.Number && c.Run <= before.Run {
			continue
		}
		spec, _ := inst.Spec.Component(c.Grant.Component)
		for _, name := range spec.DependsOn {
			dep, _ := inst.Component(name)
			if c.Run > 0 && (dep.Hold || dep.State != model.StateReady && !dep.Finished() && dep.State != model.StateOff) {
				x.Fatalf("%s starts %s, and %s is %s", inst.App, c.Grant.Component, name, dep.State)
			}
		}
	}
}

// key is equal for states from which the same can follow, as long as enough changes are left.
func (x *exploration) key(s *state) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
	when := func(t time.Time) int {
		if t.IsZero() {
			return -9
		}
		return int(max(-1, t.Sub(s.now)/tick))
	}
	type component struct {
		Name, State          string
		Grant, Run           int
		Hold                 bool
		Spec, Workload       model.Digest
		Since, Pause, Pauses int
		Fresh, Recent        int
		Unready              int
	}
	type instance struct {
		Phase                        model.Phase
		Reason                       model.Reason
		Since, Deadline, Trial       int
		EndBy, Returns, FailedStarts int
		First                        bool
		Spec, Previous               model.Digest
		Grants                       []model.Grant
		Held                         []model.Digest
		Refused                      *model.Refusal
		Components                   []component
		Counted                      int
		EvictAt                      int
	}
	list := make([]instance, 0, len(s.ledger.Instances))
	for i := range s.ledger.Instances {
		in := &s.ledger.Instances[i]
		c := instance{
			Phase: in.Phase, Deadline: when(in.Deadline), Trial: when(in.Trial), EndBy: when(in.EndBy),
			Returns: when(in.Returns), FailedStarts: min(in.FailedStarts, 2), Spec: in.SpecDigest(), Grants: in.PreviousGrants, Refused: in.Refused,
			First: !in.Declared.After(s.ledger.Instances[0].Declared),
		}
		switch in.Phase {
		case model.PhaseDegraded, model.PhaseAdmitted: // when it is restored, or has waited for long
			c.Since = when(in.Since)
		case model.PhaseTerminated:
			c.Reason = in.Reason
		}
		c.Held = slices.Compact(slices.Sorted(slices.Values(in.Held)))
		if in.Previous != nil {
			c.Previous = in.Previous.Digest
		}
		if in.Shown != nil && (in.Phase == model.PhaseRunning || in.Phase == model.PhaseDegraded) {
			c.Counted = when(in.Shown.At)
		}
		for k := range in.Components {
			st := &in.Components[k]
			e := component{
				Name: st.Grant.Component, State: string(st.State), Grant: st.Grant.Replicas, Run: st.Run, Hold: st.Hold, Spec: st.Spec, Workload: st.Workload,
				Pause: when(st.Pause), Pauses: min(st.Pauses, 1),
			}
			if st.State == model.StateStarting || st.Pauses > 0 {
				e.Since = when(st.Since)
			}
			shown := in.Shown
			if since := s.ledger.Unsaved[in.App]; since != nil && shown != nil && since.At.Equal(shown.At) {
				shown = since
			}
			if seen := shown.Of(e.Name); seen != nil && (st.State == model.StateReady || st.State == model.StateUnready) {
				e.Unready = when(seen.Unready)
			}
			for _, f := range in.Failures {
				if f.Component == e.Name {
					for _, at := range f.Recent {
						if s.now.Sub(at) < tick {
							e.Recent++
						}
					}
					for p := range s.runs {
						if id(explored[parts[p].app]) == in.App && parts[p].component == e.Name && (f.Workload != s.runs[p].workload || f.Restarts != s.runs[p].crashes) {
							e.Fresh++
						}
					}
				}
			}
			c.Components = append(c.Components, e)
		}
		for k := range s.ledger.Decisions {
			if d := &s.ledger.Decisions[k]; d.App == in.App {
				c.EvictAt = when(d.EvictAt)
			}
		}
		list = append(list, c)
	}
	runs := s.runs
	for i := range runs {
		runs[i].crashes = min(runs[i].crashes, 2)
		h.WriteString(string(runs[i].workload) + runs[i].how)
		h.WriteByte(byte(runs[i].replicas))
		h.WriteByte(byte(runs[i].crashes))
	}
	b, err := json.Marshal(list)
	require.NoError(x, err)
	h.Write(b)
	h.WriteByte(byte(s.git[0]))
	h.WriteByte(byte(s.git[1]))
	h.WriteByte(byte(s.cores))
	return h.Sum64()
}
