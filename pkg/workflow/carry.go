package workflow

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Reports are what the edges know about runs.
type Reports struct {
	Commands map[model.AppID][]model.Command // in the order of their commits
	Results  []Result                        // of probes and notices
	Tallies  Tallies                         // that the last turn handed on
	Seen     *model.Observation              // jobs among the workloads carry the keys of their intents
}

// Carry returns the runs that follow from next and are to be saved, in the order of
// their applications: runs that begin and runs that changed. Before is the ledger
// that next follows from: it has the spec of a run whose application has another
// spec by now. The components of next say how the versions of a run are doing. The
// tallies are those of the next turn, once the runs are saved.
func Carry(before, next *model.Ledger, reports Reports, limits Limits, now time.Time) (changed []model.Run, tallies Tallies) {
	tallies = Tallies{}
	c := carrier{before: before, ledger: next.Identity.ID, reports: reports, now: now}
	for i := 0; i < len(next.Instances); {
		tenant := next.Instances[i].App.Tenant
		for c.turns, c.begun = c.turns[:0], c.begun[:0]; i < len(next.Instances) && next.Instances[i].App.Tenant == tenant; i++ {
			c.take(&next.Instances[i])
		}
		if limits.Jobs = nil; len(c.turns) > 0 {
			limits.Jobs = runningJobs(reports.Seen, tenant)
		}
		runs, counted := Advance(c.turns, limits, now)
		maps.Copy(tallies, counted)
		for k, run := range runs {
			if c.begun[k] || !reflect.DeepEqual(run, c.turns[k].Run) {
				changed = append(changed, run)
			}
		}
	}
	return changed, tallies
}

// carrier gathers the turns of a tenant.
type carrier struct {
	before  *model.Ledger
	ledger  string // id, for the names of the runs that begin
	reports Reports
	now     time.Time
	results map[model.Digest][]Result // of probes and notices, by run

	turns []Turn
	begun []bool // by turn: its run is new, or was ended on the way here
}

// take adds the turn of an instance, if there is one.
func (c *carrier) take(inst *model.Instance) {
	run, commands := inst.Run, c.reports.Commands[inst.App]
	begun := false
	if c.before.DamagedOf(inst.App) != nil {
		if run != nil && !run.Phase.Ended() {
			c.turns, c.begun = append(c.turns, Turn{Run: *run, Spec: c.spec(inst, run), Still: true, Tallies: c.reports.Tallies}), append(c.begun, false)
		}
		return
	}
	if begins(inst) {
		next := c.start(inst, commands)
		begun, run = next != nil, cmp.Or(next, run)
	}
	if run == nil {
		return
	}
	turn := Turn{Run: *run, Spec: c.spec(inst, run), Gone: !inst.Phase.Active() || run.Instance != inst.Number, Commands: commands, Tallies: c.reports.Tallies}
	if !turn.Gone {
		turn.Wanted = inst.Release()
	}
	if run.Phase.Ended() {
		left := run.Superseded == "" && turn.Wanted != "" && turn.Wanted != run.Spec && !run.WentBackTo(turn.Wanted)
		if !left && !slices.ContainsFunc(commands, func(m model.Command) bool { return !isHandled(run, m) }) {
			return
		}
	}
	turn.Results, turn.Seen = append(c.resultsOf(run), refusedJobs(inst, run)...), seenOf(inst, c.reports.Seen)
	c.turns, c.begun = append(c.turns, turn), append(c.begun, begun)
}

// begins reports whether the accepted spec has a workflow that no run has carried
// out yet.
func begins(inst *model.Instance) bool {
	if !inst.Phase.Active() || inst.Spec == nil || inst.Spec.Workflow == nil {
		return false
	}
	run := inst.Run
	return run == nil || run.Instance != inst.Number || !run.Settles(inst.Spec.Release)
}

// start begins the run of the accepted spec, once the run before it has ended. It
// returns nil while that run is still rolling back.
func (c *carrier) start(inst *model.Instance, commands []model.Command) *model.Run {
	last := inst.Run
	if last != nil && !last.Phase.Ended() {
		ended, _ := Advance([]Turn{{
			Run: *last, Spec: c.spec(inst, last), Wanted: inst.Spec.Release, Gone: last.Instance != inst.Number, Commands: commands,
		}}, Limits{}, c.now)
		if !ended[0].Phase.Ended() {
			return nil
		}
		last = &ended[0]
	}
	var handled []model.Handled // as long as their files are there
	if last != nil {
		for _, h := range last.Commands {
			if slices.ContainsFunc(commands, func(m model.Command) bool { return m.ID() == h.ID }) {
				handled = append(handled, h)
			}
		}
	}
	if p := inst.Previous; p != nil && p.Workflow == nil && (last == nil || last.Instance != inst.Number || len(last.Good) == 0 || last.Good[0] != p.Release) {
		ran := Ran(c.ledger, p, inst.Number, last, c.now)
		last = &ran
	}
	run := Start(c.ledger, inst.Spec, inst.Number, last, c.now)
	run.Commands = handled
	return &run
}

// spec returns the spec of a run, nil if it is not known any more.
func (c *carrier) spec(inst *model.Instance, run *model.Run) *model.Application {
	spec := inst.Released(run.Spec)
	if was, ok := c.before.Find(inst.App); ok && spec == nil {
		spec = was.Released(run.Spec)
	}
	return spec
}

// resultsOf returns the results for the intents of a run, whose keys begin with its
// name.
func (c *carrier) resultsOf(run *model.Run) (results []Result) {
	if run.Phase.Ended() {
		return nil
	}
	if c.results == nil {
		c.results = map[model.Digest][]Result{}
		for _, r := range c.reports.Results {
			id, _, _ := strings.Cut(r.Key, "/")
			c.results[model.Digest(id)] = append(c.results[model.Digest(id)], r)
		}
	}
	results = slices.Clip(c.results[run.ID])
	jobs := workloads(c.reports.Seen, run.App)
	for i := range jobs {
		if !strings.HasPrefix(jobs[i].Intent, string(run.ID)+"/") {
			continue
		}
		if r := ofJob(&jobs[i]); r != nil {
			results = append(results, *r)
		}
	}
	return results
}

// workloads returns the workloads of an application.
func workloads(seen *model.Observation, app model.AppID) []model.Workload {
	if seen == nil {
		return nil
	}
	from, _ := slices.BinarySearchFunc(seen.Workloads, app, func(w model.Workload, app model.AppID) int { return w.App.Compare(app) })
	to := from
	for to < len(seen.Workloads) && seen.Workloads[to].App == app {
		to++
	}
	return seen.Workloads[from:to]
}

// runningJobs returns the jobs of steps of a tenant that are running.
func runningJobs(seen *model.Observation, tenant string) (jobs []RunningJob) {
	if seen == nil {
		return nil
	}
	from, _ := slices.BinarySearchFunc(seen.Workloads, tenant, func(w model.Workload, tenant string) int { return cmp.Compare(w.App.Tenant, tenant) })
	for i := from; i < len(seen.Workloads) && seen.Workloads[i].App.Tenant == tenant; i++ {
		if w := &seen.Workloads[i]; w.Intent != "" && !w.Done && (w.Failure == nil || !w.Failure.Final) {
			jobs = append(jobs, RunningJob{w.Intent, w.Lock})
		}
	}
	return jobs
}

// seenOf describes the versions of the components: the stable version as the
// lifecycle judges it, the next version as the runtime shows it.
func seenOf(inst *model.Instance, observed *model.Observation) (seen []Seen) {
	running := workloads(observed, inst.App)
	for _, s := range inst.Components {
		refused := refusedFor(inst, s.Grant.Component)
		one := Seen{Component: s.Grant.Component, Granted: s.Grant.Replicas}
		stable := SeenVersion{Content: s.Spec, Replicas: s.Run, Done: s.Finished()}
		if s.State == model.StateReady {
			stable.Ready = s.Run
		}
		for _, w := range running {
			switch {
			case w.Component != s.Grant.Component || w.Intent != "":
			case !w.Beside && w.Digest == s.Workload && s.State == model.StateFailed && !s.Ended:
				stable.Failure = w.Failure
			case w.Beside && s.Beside != nil && w.Digest == s.Beside.Workload:
				next := SeenVersion{Content: s.Beside.Spec, Replicas: s.Beside.Run, Beside: true, Failure: w.Failure}
				if w.Current {
					next.Ready = w.Ready
				}
				one.Versions = append(one.Versions, next)
			}
		}
		if refused != nil && stable.Failure == nil {
			stable.Failure, stable.Ready = refused, 0
			if b := s.Beside; b != nil && len(one.Versions) == 0 {
				one.Versions = append(one.Versions, SeenVersion{Content: b.Spec, Replicas: b.Run, Beside: true, Failure: refused})
			}
		}
		one.Versions = append(one.Versions, stable)
		seen = append(seen, one)
	}
	return seen
}
