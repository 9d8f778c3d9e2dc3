package lifecycle_test

import (
	"cmp"
	"encoding/json"
	"fmt"
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
	"github.com/d-aros/d-aros/pkg/workflow"
)

// TestExploreRuns goes through every state that two applications of one tenant with
// workflows of three steps can get into, as far as so many changes lead: whatever Git
// says and people ask, however components and jobs fare, and wherever the reconciler
// crashes. It checks every ledger that is saved on the way.
//
// Application a migrates, waits for an approval and brings web; b brings web, waits,
// and loads what another job takes back. Their jobs have one lock.
func TestExploreRuns(t *testing.T) {
	rows, ends, ran := map[row]bool{}, map[model.RunPhase]bool{}, 0
	for _, e := range runExplorations {
		if testing.Short() && e.name != "a asked" { // as in TestExplore
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			x := &runExploration{exploration: newExploration(t, [2]string{}), actions: e.actions, ends: ends}
			x.rows, x.phases, x.longest = rows, map[model.Phase]bool{}, 24*tick
			x.declared, x.git = twoWorkflows(t), e.git
			s := runState{state: state{cores: e.cores, now: start, left: e.left}}
			for app := range s.git {
				s.git[app] = e.git[app][0]
			}
			x.visit(s)
			for len(x.queue) > 0 {
				s := x.queue[0]
				x.queue[0] = runState{}
				x.queue = x.queue[1:]
				x.next(s)
			}
			ran++
			t.Logf("%d states, %d ways between them", len(x.known), x.steps)
		})
	}
	if ran < len(runExplorations) {
		return
	}
	for _, end := range []model.RunPhase{model.RunSucceeded, model.RunFailed, model.RunRolledBack, model.RunStopped, model.RunSuperseded} {
		require.True(t, ends[end], "no run is ever %s", end)
	}
	for _, reason := range []model.Reason{model.ReasonWorkflowBegun, model.ReasonWorkflowFailed, model.ReasonWorkflowStopped, model.ReasonRolledBack, model.ReasonUnrecoverable} {
		require.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(rows)), func(r row) bool { return r.reason == reason }), "nothing is ever %s", reason)
	}
}

var runExplorations = []struct {
	name    string
	git     [2][]int // what Git may say, from the first on
	cores   int
	left    changes
	actions []string
}{
	{"a alone", [2][]int{{1, 0, 2, 3, 4}, {0}}, 4, changes{Git: 2, Faults: 1, Crashes: 1, Waits: 1, Asks: 1}, []string{"approve", "stop"}},
	{"a asked", [2][]int{{1}, {0}}, 4, changes{Faults: 1, Crashes: 1, Waits: 1, Asks: 2}, []string{"approve", "reject", "stop", "restart", "pause", "resume"}},
	{"b alone", [2][]int{{0}, {1, 0, 2}}, 4, changes{Git: 1, Faults: 1, Crashes: 1, Waits: 2, Asks: 1}, []string{"stop", "restart"}},
	{"one lock", [2][]int{{1, 2}, {1}}, 8, changes{Git: 1, Faults: 1, Crashes: 1, Waits: 1, Asks: 1}, []string{"approve", "stop"}},
	{"too little room", [2][]int{{1, 2}, {1, 0}}, 4, changes{Git: 1, Faults: 1, Crashes: 1, Waits: 1, Asks: 1}, []string{"approve", "restart"}},
}

// twoWorkflows are what Git may say: of a nothing, two versions, that it is suspended,
// and a version without a workflow; of b nothing and two versions.
func twoWorkflows(t *testing.T) [2][]model.Application {
	spec := func(name, components, version string, steps ...model.Step) model.Application {
		words := strings.Fields(components)
		for _, word := range words {
			component, _, _ := strings.Cut(strings.TrimPrefix(word, "job."), "=")
			words = append(words, component+".image="+version)
		}
		app := application(t, name, words)
		app.Workflow = &model.Workflow{Timeout: 4 * tick, Steps: steps}
		for i := range steps {
			s := &app.Workflow.Steps[i]
			s.Timeout, s.Retry.Attempts = cmp.Or(s.Timeout, tick), max(1, s.Retry.Attempts)
			s.Retry.Backoff = model.Backoff{Initial: tick, Factor: 1, Max: tick}
			if i > 0 {
				s.DependsOn = []string{steps[i-1].Name}
			}
		}
		return app.Seal()
	}
	a := func(version string) model.Application {
		return spec("a", "job.migrate=1x1 web=1x1", version,
			model.Step{Name: "migrate", Type: "job", Component: "migrate", OnFailure: "stop", Lock: "data", Retry: model.Retry{Attempts: 2}},
			model.Step{Name: "agree", Type: "approval", OnFailure: "stop", Timeout: 2 * tick},
			model.Step{Name: "bring", Type: "deploy", Components: []string{"web"}, OnFailure: "rollback"})
	}
	b := func(version string) model.Application {
		return spec("b", "job.load=1x1 job.unload=1x1 web=1x1", version,
			model.Step{Name: "bring", Type: "deploy", Components: []string{"web"}, OnFailure: "stop"},
			model.Step{Name: "settle", Type: "wait", OnFailure: "stop", Properties: json.RawMessage(`{"for":"10m"}`)},
			model.Step{Name: "load", Type: "job", Component: "load", Undo: "unload", OnFailure: "rollback", Lock: "data"})
	}
	suspended := a("v1")
	suspended.Desired = "suspended"
	plain := application(t, "a", []string{"web=1x1", "web.image=v3"})
	return [2][]model.Application{{{}, a("v1"), a("v2"), suspended.Seal(), plain}, {{}, b("v1"), b("v2")}}
}

// runExploration is an exploration of applications with workflows.
type runExploration struct {
	*exploration
	actions []string
	queue   []runState
	ends    map[model.RunPhase]bool
}

// runState is a state, the jobs that the runtime has, and what was asked.
type runState struct {
	state
	jobs  []stepJob
	asked [2][]model.Command
	first [2]model.Digest // the first run of each
	trail *trail
}

// stepJob is what the runtime has of a job of a step.
type stepJob struct {
	app            int
	key, component string
	lock           string // of its step
	how            string // running | done | failed
}

// trail is how a state came about, the latest first.
type trail struct {
	what   string
	before *trail
}

func (s *runState) by(what string) runState {
	next := *s
	next.trail = &trail{what, s.trail}
	return next
}

func (x *runExploration) visit(s runState) {
	if x.leadsOn(x.key(&s), s.left) {
		x.queue = append(x.queue, s)
	}
}

// next visits every state that can follow.
func (x *runExploration) next(s runState) {
	defer func() {
		for at := s.trail; x.Failed() && at != nil; at = at.before {
			x.Log("after: " + at.what)
		}
	}()
	ledger := x.pass(&s)
	for app := range explored {
		if inst, ok := ledger.Find(id(explored[app])); ok && inst.Run != nil && s.first[app] == "" {
			s.first[app] = inst.Run.ID
		}
	}
	whole := s.by("pass")
	whole.ledger = ledger
	if crashed := whole.by("crash after the push"); spend(&crashed.left.Crashes) {
		x.visit(crashed)
		crashed = crashed.by("a was carried out before")
		crashed.act(0)
		x.visit(crashed)
	}
	whole.act(0)
	x.checkLock(&whole)
	whole.act(1)
	x.checkLock(&whole)
	x.checkJobs(&whole)
	x.visit(whole)

	for i := range s.runs {
		for _, how := range s.runs[i].next(parts[i].component) {
			after := s.by(explored[parts[i].app] + "/" + parts[i].component + " " + how)
			if (how == "crashed" || how == "unready") && !spend(&after.left.Faults) {
				continue
			}
			if after.runs[i].how = how; how == "crashed" {
				after.runs[i].crashes++
			}
			x.visit(after)
		}
	}
	for i := range s.jobs {
		for _, how := range []string{"done", "failed"} {
			after := s.by("job " + s.jobs[i].component + " " + how)
			if s.jobs[i].how != "running" || how == "failed" && !spend(&after.left.Faults) {
				continue
			}
			after.jobs = slices.Clone(s.jobs)
			after.jobs[i].how = how
			x.visit(after)
		}
	}
	for _, wait := range []time.Duration{tick, 20 * tick} {
		if later := s.by("wait " + wait.String()); spend(&later.left.Waits) {
			later.now = s.now.Add(wait)
			x.visit(later)
		}
	}
	for app := range x.git {
		for _, n := range x.git[app] {
			if after := s.by(fmt.Sprintf("git says %d of %s", n, explored[app])); n != s.git[app] && spend(&after.left.Git) {
				after.git[app] = n
				x.visit(after)
			}
		}
		x.ask(&s, app)
	}
}

// ask visits what follows when people ask something of the latest run, or, too
// late, of the first.
func (x *runExploration) ask(s *runState, app int) {
	inst, ok := s.ledger.Find(id(explored[app]))
	if !ok || inst.Run == nil {
		return
	}
	for _, action := range x.actions {
		for _, run := range slices.Compact([]model.Digest{inst.Run.ID, s.first[app]}) {
			c := model.Command{Action: action, Run: run, By: "ann", Commit: fmt.Sprint(len(s.asked[app]))}
			if action == model.CommandApprove || action == model.CommandReject {
				if c.Step = "agree"; app != 0 {
					continue
				}
			}
			after := s.by(fmt.Sprintf("ask %s of %s run %s (latest %d)", action, explored[app], run.Short(), inst.Run.Number))
			if spend(&after.left.Asks) {
				after.asked[app] = append(slices.Clip(s.asked[app]), c)
				x.visit(after)
			}
		}
	}
}

// seen is what the runtime shows.
func (s *runState) seen() model.Observation {
	o := s.state.seen()
	for _, j := range s.jobs {
		w := model.Workload{App: id(explored[j.app]), Component: j.component, Replicas: 1, Intent: j.key, Lock: j.lock, Done: j.how == "done"}
		if j.how == "failed" {
			w.Failure = &model.Failure{Class: model.ClassApplication, Reason: "JobFailed", Final: true}
		}
		o.Workloads = append(o.Workloads, w)
	}
	slices.SortStableFunc(o.Workloads, func(x, y model.Workload) int {
		return cmp.Or(x.App.Compare(y.App), cmp.Compare(x.Component, y.Component))
	})
	return o
}

// act carries out what is saved about an application: its components, and the jobs
// that its run wants. Those that nobody waits for any more go.
func (s *runState) act(app int) {
	s.state.act(app)
	inst, _ := s.ledger.Find(id(explored[app]))
	wanted := jobIntents(inst)
	var kept []workflow.Intent
	if inst != nil && inst.Run != nil && inst.Run.Instance == inst.Number {
		kept = workflow.Finished(inst.Run)
	}
	named := func(list []workflow.Intent, key string) bool {
		return slices.ContainsFunc(list, func(i workflow.Intent) bool { return i.Key == key })
	}
	s.jobs = slices.DeleteFunc(slices.Clone(s.jobs), func(j stepJob) bool {
		return j.app == app && !named(wanted, j.key) && !named(kept, j.key)
	})
	for _, i := range wanted {
		if !slices.ContainsFunc(s.jobs, func(j stepJob) bool { return j.key == i.Key }) {
			s.jobs = append(s.jobs, stepJob{app, i.Key, i.Job.Component, i.Job.Lock, "running"})
		}
	}
	slices.SortFunc(s.jobs, func(x, y stepJob) int { return cmp.Compare(x.key, y.key) })
}

// jobIntents are the jobs that are to run because of an instance.
func jobIntents(inst *model.Instance) []workflow.Intent {
	if inst == nil || !inst.Phase.Active() || inst.Run == nil || inst.Run.Phase.Ended() || inst.Release() != inst.Run.Spec {
		return nil
	}
	return slices.DeleteFunc(workflow.Intents(inst.Run, inst.Spec, nil), func(i workflow.Intent) bool { return i.Job == nil })
}

// pass decides as a reconciler does, and checks what would be saved.
func (x *runExploration) pass(s *runState) model.Ledger {
	fleet := x.fleet
	fleet.Applications = nil
	asked := map[model.AppID][]model.Command{}
	for app, n := range s.git {
		asked[id(explored[app])] = s.asked[app]
		if n > 0 {
			fleet.Applications = append(fleet.Applications, &x.declared[app][n])
		}
	}
	seen := s.seen()
	fleet, _ = lifecycle.KeepLastGood(fleet, s.ledger, confirmedAll(&s.ledger))
	next := lifecycle.Advance(s.ledger, fleet, arbitration.Rule(fleet, seen, s.ledger, s.now), seen, s.now)
	runs, _ := workflow.Carry(&s.ledger, &next, workflow.Reports{Commands: asked, Seen: &seen}, workflow.Limits{}, s.now)
	next = lifecycle.Follow(next, runs, seen, s.now)
	x.check(&s.state, &next)
	x.checkRuns(s, &next)
	return next
}

// key is equal for states from which the same can follow, as long as enough changes are left.
func (x *runExploration) key(s *runState) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
	when := func(t time.Time) int { // not before it is due
		if t.IsZero() {
			return -9
		}
		return int(max(0, (t.Sub(s.now)+tick-1)/tick))
	}
	fmt.Fprintln(&h, x.exploration.key(&s.state))
	for app := range explored {
		inst, ok := s.ledger.Find(id(explored[app]))
		wanted := jobIntents(inst)
		for _, j := range s.jobs { // names of runs are no matter, nor what numbers attempts have
			if j.app == app {
				fmt.Fprintln(&h, j.component, j.how, slices.ContainsFunc(wanted, func(i workflow.Intent) bool { return i.Key == j.key }))
			}
		}
		if !ok || inst.Run == nil {
			continue
		}
		run := *inst.Run
		fmt.Fprintln(&h, run.Instance == inst.Number, s.left.Asks > 0 && run.ID == s.first[app], run.Spec, run.Phase, when(run.Deadline),
			run.Superseded, run.Targets, run.Base, run.Good[:min(1, len(run.Good))])
		if run.Phase == model.RunSucceeded {
			fmt.Fprintln(&h, when(run.Since.Add(tick)))
		}
		for i := range run.Steps {
			r := &run.Steps[i]
			class, _, _ := strings.Cut(r.Message, ":")
			fmt.Fprintln(&h, r.Phase, r.Reason, class, r.Attempt-r.First, r.Order, when(r.Deadline), when(r.Next), when(r.Until), r.Job, len(r.Actors))
			if r.Phase == model.StepQueued {
				fmt.Fprintln(&h, s.now.Sub(r.Since))
			}
			if u := r.Undo; u != nil {
				fmt.Fprintln(&h, u.Targets, u.Component, u.Phase, u.Attempt, when(u.Deadline), when(u.Next))
			}
		}
		for _, c := range s.asked[app] {
			if !slices.ContainsFunc(run.Commands, func(h model.Handled) bool { return h.Commit == c.Commit }) {
				fmt.Fprintln(&h, c.Action, c.Run == run.ID)
			}
		}
	}
	return h.Sum64()
}
