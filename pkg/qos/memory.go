package qos

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/d-aros/d-aros/pkg/model"
)

// memoryController decides protection and bounds. A group is protected only as far as
// each of its ancestors is, so ancestors get the sum of their children.
var memoryController = Controller{name: "memory", knobs: map[string]Knob{
	"memory.min":            {Version: V2, Default: "0"},
	"memory.low":            {Version: V2, Default: "0", turn: 1},
	"memory.high":           {Version: V2, Default: "max", turn: 2},
	"memory.max":            {Version: V2, Default: "max", turn: 3},
	"memory.oom.group":      {Version: V2, Default: "0", turn: 4},
	"memory.limit_in_bytes": {Version: V1, Default: "-1"},
}, decide: (*decision).memory}

func (r *decision) memory() {
	version := r.Host.Controllers["memory"]
	mins, lows := map[string]int64{}, map[string]int64{}
	for _, w := range r.Plan.Workloads {
		p := w.Profile.Memory
		// What is reserved for a workload of another profile is reserved whole.
		least := r.pages(cmp.Or(p.Min, 100).Of(w.Reserved.Memory))
		low := max(least, r.pages(p.Low.Of(w.Request.Memory)))
		limit := r.pages(w.Limit.Memory)
		high := r.high(w)
		if ceiling := r.Ceilings[w.Name].Memory; version == V1 {
			limit = r.pages(ceiling.under(limit))
		} else if limit == 0 || ceiling.Most < limit {
			high = r.pages(ceiling.under(high))
		}
		if version != V2 {
			reason := "cgroup v1 has no such knob"
			if version == Absent {
				reason = "the memory controller is not available"
			}
			if least > 0 {
				r.reduce(w.Name, "memory.min", "none", reason, model.Resources{Memory: w.Reserved.Memory}, model.Resources{})
			}
			if p.OOMGroup {
				r.degrade(w.Name, "memory.oomGroup", "none", reason)
			}
			if version == Absent && p.Reclaim {
				r.degrade(w.Name, "memory.reclaim", "none", reason)
			}
			r.lose(w.Name, "memory.low", low, reason)
			r.lose(w.Name, "memory.high", high, reason)
			if version == V1 {
				r.setAmount(w.Name, w.Cgroup, "memory.limit_in_bytes", limit)
			} else {
				r.lose(w.Name, "memory.max", limit, reason)
			}
			continue
		}
		if limit > 0 && least > limit/10*9 {
			r.degrade(w.Name, "memory.min", "memory.min", "more than 90 % of the limit is unreclaimable: the page cache may force an out-of-memory kill")
		}
		if least > 0 && slices.Contains(r.Host.Nested, w.Cgroup) {
			r.reduce(w.Name, "memory.min", "none", "its processes are in groups within its own, which protection does not reach: mount cgroup2 with memory_recursiveprot",
				model.Resources{Memory: w.Reserved.Memory}, model.Resources{})
		}
		if least > 0 && slices.Contains(r.Host.Lacks, "memory.pressure") {
			r.degrade(w.Name, ReservedMemory, ReservedMemory, "nobody looks whether it is kept: "+untoldWaits("memory"))
		}
		r.setAmount(w.Name, w.Cgroup, "memory.min", least)
		r.setAmount(w.Name, w.Cgroup, "memory.low", low)
		r.setAmount(w.Name, w.Cgroup, "memory.high", high)
		r.setAmount(w.Name, w.Cgroup, "memory.max", limit)
		if p.OOMGroup {
			r.set(w.Name, w.Cgroup, "memory.oom.group", "1")
		}
		for _, dir := range ancestors(w.Cgroup) {
			mins[dir] += least
			lows[dir] += low
		}
	}
	for dir := range lows {
		r.setAmount("", dir, "memory.min", mins[dir])
		r.setAmount("", dir, "memory.low", lows[dir])
	}
}

// high is the amount at which the workload is slowed down: part of the way
// from its request to its limit, or to all that workloads may use.
func (r *decision) high(w Workload) int64 {
	if w.Profile.Memory.High == 0 {
		return 0
	}
	return highBetween(w.Request.Memory, w.Limit.Memory, r.Host.Memory-r.Plan.System.Memory, w.Profile.Memory.High, r.Host.Page)
}

func highBetween(request, limit, allocatable int64, part model.Percent, page int64) int64 {
	limit = cmp.Or(limit, max(allocatable, request))
	return (request + part.Of(limit-request)) / page * page
}

// pages rounds down to whole pages, as the kernel would, so that what is read
// back is what was written.
func (r *decision) pages(n int64) int64 { return n / r.Host.Page * r.Host.Page }

func (r *decision) setAmount(w, cgroup, file string, n int64) {
	if n > 0 {
		r.set(w, cgroup, file, strconv.FormatInt(n, 10))
	}
}

func (r *decision) lose(w, promise string, n int64, reason string) {
	if n > 0 {
		r.degrade(w, promise, "none", reason)
	}
}

// ReservesMemory reports whether any workload has a reservation of memory.
func (p Plan) ReservesMemory() bool {
	return slices.ContainsFunc(p.Workloads, func(w Workload) bool { return w.Reserved.Memory > 0 })
}
