package nomad

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// Reasons of failures that this runtime reports besides model.ContainerCrash.
const (
	NotStarted    = "TaskNotStarted" // its driver cannot start it
	OutOfMemory   = "OutOfMemory"
	JobFailed     = "JobFailed" // it used up its attempts
	NodeLost      = "NodeLost"
	Unschedulable = "Unschedulable"
)

// node is a client of Nomad in a list.
type node struct {
	NodePool              string
	Status                string
	SchedulingEligibility string
	NodeResources         amounts
	ReservedResources     amounts
}

type amounts struct {
	Cpu    struct{ CpuShares int64 } //nolint:revive // as Nomad names it
	Memory struct{ MemoryMB int64 }
}

// allocation is a running form of a job in a list.
type allocation struct {
	Namespace        string
	JobID            string
	JobVersion       uint64
	DesiredStatus    string
	ClientStatus     string
	DeploymentStatus *struct{ Healthy *bool }
	TaskStates       map[string]taskState
}

type taskState struct {
	State    string
	Failed   bool
	Restarts int
	Events   []event
}

type event struct {
	Type     string
	ExitCode int
	Signal   int
	Details  map[string]string
}

// Inspect returns what the nodes of each node pool offer, and how the jobs of the fleet do.
func (r *Runtime) Inspect(ctx context.Context, platform *model.Platform) (seen model.Observation, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	nodes, err := list[node](ctx, r.c, "nodes", url.Values{"resources": {"true"}})
	if err != nil {
		return seen, err
	}
	seen.Pools = runtime.PoolsOf(platform, "nomad", func(o *model.Pool, _ *model.PoolSpec) bool {
		for i := range nodes {
			if n := &nodes[i]; n.NodePool == o.Name && n.Status == "ready" && n.SchedulingEligibility == "eligible" {
				o.AddNode(model.Resources{
					CPU:    max(n.NodeResources.Cpu.CpuShares-n.ReservedResources.Cpu.CpuShares, 0),
					Memory: max(n.NodeResources.Memory.MemoryMB-n.ReservedResources.Memory.MemoryMB, 0) << 20,
				}, nil, "")
			}
		}
		return true
	})
	jobs, err := r.jobs(ctx)
	if err != nil {
		return seen, err
	}
	allocations, err := list[allocation](ctx, r.c, "allocations", url.Values{"namespace": {"*"}})
	if err != nil {
		return seen, err
	}
	of := map[string][]*allocation{}
	for i := range allocations {
		name := allocations[i].Namespace + "/" + allocations[i].JobID
		of[name] = append(of[name], &allocations[i])
	}
	for i := range jobs {
		s := &jobs[i]
		now, err := r.registered(ctx, s, new(runtime.Requests))
		if errors.Is(err, errNone) {
			continue // it is gone by now
		}
		if err != nil {
			return seen, err
		}
		w := judge(s, &now, of[s.name()])
		if mine, ok := r.wrote[s.name()]; ok && mine.index != now.index {
			w.Current = false
		}
		seen.Workloads = append(seen.Workloads, w)
	}
	return seen, ctx.Err()
}

// judge judges a job by its allocations.
func judge(s *listed, now *registration, allocations []*allocation) model.Workload {
	k := keyOf(s.Meta)
	w := model.Workload{
		App: k.App, Component: k.Component, Beside: k.Beside, Intent: k.Job, Lock: s.Meta[metaLock], Digest: model.Digest(s.Meta[metaWorkload]),
		Replicas: now.count, Current: !s.Stop,
	}
	complete, restarts := 0, 0
	for _, a := range allocations {
		state, ended := a.TaskStates[task], a.ClientStatus == "complete" || a.ClientStatus == "failed" || a.ClientStatus == "lost"
		if a.JobVersion != now.version || a.DesiredStatus != "run" {
			if !ended {
				w.Rolling, w.Current = true, false
			}
			continue
		}
		restarts += state.Restarts
		healthy := a.DeploymentStatus == nil || a.DeploymentStatus.Healthy != nil && *a.DeploymentStatus.Healthy
		switch {
		case a.ClientStatus == "running" && state.State == "running" && healthy:
			w.Ready++
		case s.Type == "batch" && a.ClientStatus == "complete":
			complete++
		default:
			w.Failure = runtime.Worse(w.Failure, failure(a, &state, s.Type == "batch"))
		}
	}
	w.Done = s.Type == "batch" && w.Replicas > 0 && complete >= w.Replicas
	if queued := s.JobSummary.Summary[task].Queued; queued > 0 {
		w.Why = fmt.Sprintf("no node of Nomad has room for %d of %d replicas", queued, w.Replicas)
		w.Failure = runtime.Worse(w.Failure, &model.Failure{Class: model.ClassInfrastructure, Reason: Unschedulable, Message: w.Why})
	}
	if w.Failure != nil && !w.Failure.Final && (w.Done || w.Ready >= w.Replicas) {
		w.Failure = nil // it has recovered
	}
	if w.Failure != nil && w.Failure.Blames() {
		w.Failure.Restarts = restarts
	}
	return w
}

// failure returns why an allocation does not run, nil if it is yet to.
func failure(a *allocation, state *taskState, finite bool) *model.Failure {
	if a.ClientStatus == "lost" || a.ClientStatus == "unknown" {
		return &model.Failure{Class: model.ClassInfrastructure, Reason: NodeLost, Message: "the node of a replica gives no sign of life"}
	}
	for i := len(state.Events) - 1; i >= 0; i-- {
		f := &model.Failure{Class: model.ClassRuntime}
		switch e := &state.Events[i]; e.Type {
		case "Terminated":
			f.Reason, f.ExitCode, f.Signal, f.Message = model.ContainerCrash, e.ExitCode, e.Signal, fmt.Sprintf("a task ended with exit code %d", e.ExitCode)
			if e.Details["oom_killed"] == "true" {
				f.Reason, f.Message = OutOfMemory, "a task exceeded its memory limit"
			}
		case "Driver Failure", "Setup Failure", "Failed Validation", "Failed Artifact Download":
			f.Reason, f.Message = NotStarted, "Nomad says "+e.Type+" of a task" // what it says more may have values of the task
		default:
			continue
		}
		if finite && a.ClientStatus == "failed" {
			f.Class, f.Reason, f.Final = model.ClassApplication, JobFailed, true
		}
		return f
	}
	return nil
}
