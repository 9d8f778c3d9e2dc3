package process

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// Reasons of failures that this runtime reports besides model.ProcessExit.
const (
	NotStarted  = "ProcessNotStarted" // the host refuses the program, or cannot start it
	OutOfMemory = "OutOfMemory"       // it exceeded its memory limit
	JobFailed   = "JobFailed"         // it used up its attempts
	HostLost    = "HostLost"          // its host gives no sign of life
)

// Inspect returns what the living hosts of each pool offer, and how the workloads do.
func (r *Runtime) Inspect(ctx context.Context, platform *model.Platform) (seen model.Observation, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pools, err := r.read()
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return seen, err
	}
	seen.Pools = runtime.PoolsOf(platform, "process", func(o *model.Pool, spec *model.PoolSpec) bool {
		p, ok := find(pools, spec.Name)
		for i := 0; ok && i < len(p.hosts); i++ {
			if h := &p.hosts[i]; !h.away {
				o.AddNode(h.Capacity, h.Labels, spec.TopologyKey)
			}
		}
		return ok
	})
	for _, p := range pools {
		seen.Workloads = append(seen.Workloads, p.workloads()...)
	}
	slices.SortFunc(seen.Pools, func(x, y model.Pool) int { return cmp.Compare(x.Name, y.Name) })
	slices.SortStableFunc(seen.Workloads, func(x, y model.Workload) int { return x.Key().Compare(y.Key()) })
	return seen, nil
}

// process is a row of a report, and where it is from.
type process struct {
	hostplan.Process
	host *host
}

// workloads judges the workloads of a plan by the reports of its hosts, and those that are in
// no plan any more by what is left of them.
func (p *pool) workloads() (all []model.Workload) {
	rows := map[hostplan.Key][]process{}
	for i := range p.hosts {
		h := &p.hosts[i]
		for _, row := range h.Processes {
			rows[row.Key] = append(rows[row.Key], process{row, h})
		}
	}
	for i := range p.Workloads {
		w := &p.Workloads[i]
		all = append(all, p.judge(w, rows[w.Key]))
		delete(rows, w.Key)
	}
	for _, k := range slices.SortedFunc(maps.Keys(rows), hostplan.Key.Compare) {
		left := model.Workload{App: k.App, Component: k.Component, Beside: k.Beside, Intent: k.Job, Digest: rows[k][0].Digest, Why: "it is being stopped"}
		for _, row := range rows[k] {
			if row.State == hostplan.Running && !row.host.away {
				left.Ready++
			}
		}
		if slices.ContainsFunc(rows[k], func(row process) bool { return !row.host.away }) {
			all = append(all, left)
		}
	}
	return all
}

// judge judges one workload: it is current when each of its hosts has taken the plan up, and
// nothing older or superfluous runs.
func (p *pool) judge(w *hostplan.Workload, rows []process) model.Workload {
	out := model.Workload{
		App: w.App, Component: w.Component, Digest: w.Digest, Replicas: w.Replicas, Current: w.Placed() == w.Replicas, Beside: w.Beside, Intent: w.Job, Lock: w.Lock,
	}
	if w.Placed() < w.Replicas {
		out.Why = fmt.Sprintf("no host of pool %s has room for %d of %d replicas", p.Pool, w.Replicas-w.Placed(), w.Replicas)
		out.Failure = &model.Failure{Class: model.ClassInfrastructure, Reason: "Unschedulable", Message: out.Why}
	}
	of, done := map[string]int{}, 0
	for i := range rows {
		row := &rows[i]
		if row.host.away {
			continue
		}
		if row.Digest != w.Digest || row.Replica >= w.On(row.host.Host) || row.State == hostplan.Stopping {
			out.Current, out.Rolling = false, true
			continue
		}
		of[row.host.Host]++
		switch row.State {
		case hostplan.Running:
			out.Ready++
		case hostplan.Done:
			done++
		}
		out.Failure = runtime.Worse(out.Failure, failure(row))
	}
	for _, place := range w.Hosts {
		if of[place.Host] < place.Replicas {
			out.Current = false
			if i := slices.IndexFunc(p.hosts, func(h host) bool { return h.Host == place.Host }); i < 0 || p.hosts[i].away {
				out.Failure = runtime.Worse(out.Failure, &model.Failure{Class: model.ClassInfrastructure, Reason: HostLost, Message: "a host of its replicas gives no sign of life"})
			}
		}
	}
	out.Done = w.Program.Finite && w.Replicas > 0 && done == w.Replicas
	if out.Failure != nil && !out.Failure.Final && out.Current && (out.Ready >= out.Replicas || out.Done) {
		out.Failure = nil // it has recovered
	}
	for i := range rows {
		if out.Failure != nil && rows[i].Digest == w.Digest && out.Failure.Blames() {
			out.Failure.Restarts += rows[i].Restarts
		}
	}
	return out
}

// failure returns why a process does not run, nil if it does or is yet to.
func failure(row *process) *model.Failure {
	if row.State == hostplan.Running || row.State == hostplan.Done || row.State == hostplan.Starting && row.Restarts == 0 {
		return nil
	}
	f := &model.Failure{Class: model.ClassRuntime, Message: row.Message}
	if e := row.Exit; e != nil {
		f.ExitCode, f.Signal = e.Code, e.Signal
	}
	switch {
	case row.State == hostplan.Failed:
		f.Class, f.Reason, f.Final = model.ClassApplication, JobFailed, true
		f.Message = cmp.Or(f.Message, "it used up its attempts")
	case row.Message != "":
		f.Reason = NotStarted
	case row.Exit == nil:
		return nil
	case row.Exit.Memory:
		f.Reason, f.Message = OutOfMemory, "a process exceeded its memory limit"
	case row.Exit.Unknown:
		f.Reason, f.Message = model.ProcessExit, "a process ended while no agent was there to see how"
	case row.Exit.Signal != 0:
		f.Reason, f.Message = model.ProcessExit, fmt.Sprintf("a process was ended by signal %d", row.Exit.Signal)
	default:
		f.Reason, f.Message = model.ProcessExit, fmt.Sprintf("a process ended with exit code %d", row.Exit.Code)
	}
	return f
}
