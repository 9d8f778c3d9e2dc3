//go:build linux

package nodeagent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/nodeagent/process"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/pkg/qos/network"
)

// Config configures an agent.
type Config struct {
	Plan     string // file with the plan; may be a link that is swapped; "": promises to processes only
	Root     string // of the cgroups
	Kubelet  qos.Kubelet
	System   model.Resources // kept for the host where the plan says nothing of it
	StateDir string          // for the journal, the last good plan and the report
	Interval time.Duration   // between two checks of all settings
	Listen   string          // address for metrics and health, "" for none
	Log      *slog.Logger
	Network  network.Config // what is shaped of what the host sends
	DiskRate int64          // bytes in a second that each disk can read and write, 0 if nobody said

	DiskCosts []qos.DiskCost // of the disks for which iocost is to be on, none: it stays as it is

	NRI string // socket at which the runtime asks what a container is to start with, "" for none

	Processes *process.Host // what this host runs of the plain processes of its pool; nil: nothing
}

// agent is one run.
type agent struct {
	cfg      Config
	state    *state // nil in a dry run
	tree     *cgroup.Tree
	journal  *cgroup.Journal
	shaper   *network.Shaper // nil: nothing is shaped, and nothing was
	bundle   *bundle         // nil while there is no plan
	report   Report
	registry *prometheus.Registry
	metrics  *metrics
	verifier verifier
	meter    meter
	follower follower
	squeezer squeezer
	arrivals arrivals
	decided  decided
	contests contests
	said     string      // error of the last turn
	follows  atomic.Bool // whether anything of the plan follows the load
	quiet    string      // why nothing follows the load for a while, "" if it does

	processes *process.Supervisor // nil: the host runs none

	known atomic.Pointer[qos.Known] // nil before the first turn with a plan
}

// open opens the cgroups and locks the state directory. A dry run takes no lock, so it
// works while an agent runs.
func open(cfg Config, dry bool) (*agent, error) {
	registry := prometheus.NewRegistry()
	a := &agent{cfg: cfg, registry: registry, metrics: newMetrics(registry), contests: contests{}}
	s := &state{dir: cfg.StateDir}
	if !dry {
		var err error
		if s, err = openState(cfg.StateDir); err != nil {
			return nil, err
		}
		a.state = s
	}
	var err error
	if a.journal, err = s.journal(); err == nil {
		a.tree, err = cgroup.Open(cfg.Root)
	}
	if err == nil {
		err = a.openNetwork(s)
	}
	if err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

func (a *agent) close() {
	a.squeezer.wait()
	if a.shaper != nil {
		a.shaper.Close()
	}
	if a.tree != nil {
		_ = a.tree.Close()
	}
	if a.state != nil {
		a.state.close()
	}
}

// Run enforces the plan until ctx is done. The settings stay as they are then, but for those
// that follow the load.
func Run(ctx context.Context, cfg Config) error {
	if cfg.Interval < leastInterval {
		return fmt.Errorf("interval %s: want at least %s", cfg.Interval, leastInterval)
	}
	a, err := open(cfg, false)
	if err != nil {
		return err
	}
	defer a.close()
	stop, err := a.serve()
	if err != nil {
		return err
	}
	defer stop()
	changed, stopWatching := a.watch()
	defer stopWatching()
	came, stopWaiting := a.arrivals.start(cfg.Log)
	defer stopWaiting()
	pressed, stopPolling := a.pressed()
	defer stopPolling()
	wait, err := a.supervise(ctx)
	if err != nil {
		return err
	}
	defer wait()
	defer a.welcome(ctx)()
	tick := time.NewTicker(cfg.Interval)
	defer tick.Stop()
	if err := a.rest(); err != nil { // after an agent that ended without a word
		a.cfg.Log.Error("values of the last load stay", "error", err)
	}
	a.afterCrashes(ctx)
	a.cfg.Log.Info("agent started", "mode", a.tree.Mode, "plan", cfg.Plan, "held", a.journal.Len())
	for {
		a.turn(ctx)
		select {
		case <-ctx.Done():
			err := errors.Join(a.rest(), a.state.ended())
			a.cfg.Log.Info("agent stopped, all settings of the plan stay in force", "held", a.journal.Len())
			return err
		case <-tick.C:
		case <-changed:
		case <-came:
			a.tree.LookAtAll()
		case <-pressed:
		}
	}
}

// leastInterval bounds the load of a mistyped interval.
const leastInterval = 100 * time.Millisecond

// turn makes a pass and logs its error if the last pass had another one.
func (a *agent) turn(ctx context.Context) {
	err := a.pass(ctx, false)
	if ctx.Err() != nil {
		return
	}
	said := ""
	if err != nil {
		a.metrics.errors.Inc()
		said = err.Error()
		if said != a.said {
			a.cfg.Log.Error("pass ended early", "error", err)
		}
	}
	a.said = said
}

// Once applies the plan once. With dry it only reports the settings that it would
// write, and changes nothing.
func Once(ctx context.Context, cfg Config, dry bool) (Report, error) {
	a, err := open(cfg, dry)
	if err != nil {
		return Report{}, err
	}
	defer a.close()
	err = a.pass(ctx, dry)
	return a.report, err
}

// Release restores the original value of every knob and what the agent shaped, and returns
// what came of it. It fails while an agent runs, because the agent would apply its plan again.
func Release(cfg Config) (Report, error) {
	a, err := open(cfg, false)
	if err != nil {
		return Report{}, err
	}
	defer a.close()
	r := Report{Changed: time.Now().UTC(), Mode: a.tree.Mode}
	r.Outcomes, err = a.tree.Apply(nil, a.journal, false)
	shaped, shapeErr := a.shape(nil, nil, r.Changed, false)
	r.Network = shaped
	if err = errors.Join(err, shapeErr); err == nil {
		err = a.state.keepReport(r)
	}
	return r, err
}

// pass is one turn of the loop: load, look, decide, write, report.
func (a *agent) pass(ctx context.Context, dry bool) error {
	started := time.Now()
	problem := a.loadPlan(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	next := Report{Mode: a.tree.Mode}
	if started.Before(a.follower.quietUntil) {
		next.Quiet = a.quiet
	}
	if problem != nil {
		next.Problem = problem.Error()
	}
	var outcomes []cgroup.Outcome
	var shaped []network.Outcome
	var shapeErr error
	if a.bundle != nil { // without a plan, settings of an earlier one stay as they are
		found, looked, err := a.tree.Find(a.bundle.plan, a.cfg.Kubelet)
		if err != nil {
			return err
		}
		placed := a.decided.place(a.bundle, found, a.running(), a.cfg.System)
		plan := placed.plan
		a.arrivals.watch(append(looked, a.tree.Around(plan)...))
		host, err := a.tree.Host(plan, a.journal)
		if err != nil {
			return err
		}
		var ids map[string]uint64
		host.DiskRate, host.DiskCosts = a.cfg.DiskRate, a.cfg.DiskCosts
		host.Link, ids = a.link(plan)
		a.follows.Store(plan.Reacts())
		ceilings, err := a.follower.follow(a.tree, plan, host, started, a.squeezer.looked)
		if err != nil {
			return err
		}
		if !dry {
			a.squeezer.squeeze(a.tree, a.follower.squeezes(started), a.cfg.Log)
		}
		next.Evict = a.follower.evict()
		a.known.Store(&qos.Known{Plan: placed.wanted, Found: found, Host: host, Kubelet: a.cfg.Kubelet})
		enforce := a.decided.resolve(placed, ceilings, host)
		if outcomes, err = a.tree.Apply(a.contests.hold(enforce.Settings, started), a.journal, dry); err != nil {
			return err
		}
		for _, o := range a.contests.see(outcomes, started) {
			a.cfg.Log.Warn("setting left to others", "cgroup", o.Cgroup, "file", o.File, "value", o.Value, "theirs", o.From, "reason", o.Hold)
		}
		shaped, shapeErr = a.shape(enforce.Uplink, ids, started, dry)
		next.Uplink = enforce.Uplink
		next.Digest, next.Source, next.Generation, next.Stale = a.bundle.digest, plan.Source, plan.Generation, a.bundle.stale
		next.Since = a.bundle.since.Truncate(time.Second)
		next.Unplaced, next.Omitted = a.sinceWhen(placed.unplaced, started), plan.Omitted
		next.Shares, next.Degradations = enforce.Shares, enforce.Degradations
		next.Broken = a.verifier.verify(a.tree, plan, enforce.Shares, started)
		next.Workloads = qos.Standings(plan, enforce, notInForce(outcomes))
		fresh := a.meter.measure(a.tree, plan, next.Workloads, started)
		next.Broken = append(next.Broken, a.verifier.verifyMemory(next.Workloads, host.Memory, plan.System.Memory, fresh)...)
		next.Broken = append(next.Broken, a.verifier.verifyDisks(next.Workloads, &a.follower, started)...)
		if a.shaper != nil {
			next.Broken = append(next.Broken, a.verifier.verifyNetwork(plan, enforce.Uplink, a.shaper.Sent, started)...)
		}
		a.metrics.standings.latest.Store(&next.Workloads)
		a.tree.EndTurn()
	}
	next.Outcomes, next.Network = outcomes, shaped
	if !dry {
		next.Outcomes, next.Network = lasting(outcomes), lastingNetwork(shaped)
		a.logChanges(next, outcomes)
		a.logNetwork(shaped)
	}
	err := a.keep(next, dry)
	a.metrics.pass(started, time.Now(), a, outcomes)
	a.metrics.shaped(shaped, a.report.Uplink)
	return errors.Join(shapeErr, err)
}

// lasting returns the outcomes after the pass: a written setting is in force, a
// restored one is not reported any more. Where all last it returns them as they are.
func lasting(outcomes []cgroup.Outcome) []cgroup.Outcome {
	if !slices.ContainsFunc(outcomes, func(o cgroup.Outcome) bool { return o.State != cgroup.InForce || o.Drift }) {
		return outcomes
	}
	kept := make([]cgroup.Outcome, 0, len(outcomes))
	for _, o := range outcomes {
		switch o.State {
		case cgroup.Restored, cgroup.Released:
			continue
		case cgroup.Written:
			o.State = cgroup.InForce
		}
		o.From, o.Drift = "", false
		kept = append(kept, o)
	}
	return kept
}

// logChanges logs each change between the last report and the next once.
func (a *agent) logChanges(next Report, outcomes []cgroup.Outcome) {
	log := a.cfg.Log
	if next.Problem != a.report.Problem && next.Problem != "" {
		log.Error("plan refused", "error", next.Problem)
	}
	if next.Digest != a.report.Digest || next.Stale != a.report.Stale {
		log.Info("plan in force", "digest", next.Digest, "source", next.Source, "generation", next.Generation, "lastGood", next.Stale, "degradations", len(next.Degradations))
	}
	a.logEvict(next)
	a.logUnplaced(next)
	a.logBroken(next)
	before, absent := map[string]string{}, map[string]bool{}
	for _, o := range a.report.Outcomes {
		if o.State != cgroup.InForce {
			before[o.Cgroup+"/"+o.File] = string(o.State) + o.Reason
		}
	}
	for _, o := range outcomes {
		if o.State == cgroup.InForce {
			continue
		}
		what := []any{"cgroup", o.Cgroup, "file", o.File, "value", o.Value, "workload", o.Workload}
		switch o.State {
		case cgroup.Written:
			if o.Drift {
				log.Warn("drift repaired", append(what, "from", o.From)...)
			} else {
				if o.Follows != "" {
					what = append(what, "follows", o.Follows)
				}
				log.Info("setting written", append(what, "from", o.From)...)
			}
		case cgroup.Restored:
			log.Info("setting restored", append(what, "from", o.From)...)
		case cgroup.Released:
			log.Info("setting released, because others changed it", append(what, "from", o.From)...)
		case cgroup.Waiting: // the same for all knobs of a group: once is enough
			if before[o.Cgroup+"/"+o.File] == "" && !absent[o.Cgroup] {
				absent[o.Cgroup] = true
				log.Info("waiting for the cgroup", "cgroup", o.Cgroup, "workload", o.Workload)
			}
		case cgroup.Missing, cgroup.Refused:
			if before[o.Cgroup+"/"+o.File] != string(o.State)+o.Reason {
				log.Warn("setting "+string(o.State), append(what, "reason", o.Reason)...)
			}
		}
	}
}
