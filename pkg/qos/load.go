package qos

import "slices"

// Load is what a host and its workloads have used since the look before.
type Load struct {
	At      int64 // microseconds, of a clock that only goes forward
	CPU     int64 // milli-CPU that the whole host used
	Free    int64 // bytes of memory that can be had without swapping
	Stalled int64 // hundredths of a percent of the last ten seconds in which all waited for memory
	Used    map[string]Used
	Disks   map[string]DiskUse // of those that yield, and of those that they yield to
	Spared  map[string]bool    // of whom the kernel took less than the last [Squeeze] asked
}

// Used is what one workload used.
type Used struct {
	CPU    int64 `json:"cpu"`    // milli-CPU
	Memory int64 `json:"memory"` // bytes, now
}

// Second is the unit of the times below.
const second = 1_000_000

// Reaction is what was decided from the loads so far. Its zero value has seen none.
type Reaction struct {
	Ceilings map[string]Ceiling // by workload, those in force
	Squeezes []Squeeze          // of this load only
	paces    map[string]pace    // by workload
	at       int64              // of the last load
	cpu      level
	memory   level
	disks    throttle
	shortage shortage
}

// Evict returns the workload that is to end because bounds of memory do not help, zero if there is none.
func (r Reaction) Evict() Eviction { return r.shortage.asked }

// level is what the workloads that give way may take together.
type level struct {
	most int64
	next int64 // moment from which on it may rise; of memory, change
}

// Reacts reports whether any workload gives way to the load of the host.
func (p Plan) Reacts() bool {
	return slices.ContainsFunc(p.Workloads, func(w Workload) bool {
		return w.Profile.CPU.Suppress > 0 || w.Profile.Memory.Reclaim || w.Profile.IO.Yield
	})
}

// Next returns the reaction to a load. A workload gets one new bound at a time, that of its
// memory first, that of its disks last. Bounds that would hardly differ stay, and so does the reason of each.
func (r Reaction) Next(plan Plan, host Host, load Load) Reaction {
	passed := min(load.At-r.at, second)
	if r.at == 0 {
		passed = second
	}
	next := Reaction{Ceilings: map[string]Ceiling{}, at: load.At, shortage: r.shortage.evict(plan, host, load)}
	next.Squeezes, next.paces = r.squeeze(plan, host, load, next.shortage)
	var processors, memory, disks map[string]Bound
	processors, next.cpu = r.suppress(plan, host, load, passed)
	memory, next.memory = r.reclaim(plan, host, load)
	disks, next.disks = r.yield(plan, host, load)
	for i := range plan.Workloads {
		name := plan.Workloads[i].Name
		was := r.Ceilings[name]
		is := was
		is.Memory = was.Memory.follow(memory[name], host.Memory/100)
		if is.Memory == was.Memory {
			is.CPU = was.CPU.follow(processors[name], host.CPU/100)
		}
		if is == was {
			is.Disk = was.Disk.follow(disks[name], was.Disk.Most/10)
		}
		if is != (Ceiling{}) {
			next.Ceilings[name] = is
		}
	}
	return next
}

// follow returns the bound that follows another: itself, where the two hardly differ.
func (b Bound) follow(next Bound, least int64) Bound {
	if b.Most != 0 && next.Most != 0 && max(b.Most-next.Most, next.Most-b.Most) < max(least, 1) {
		return b
	}
	return next
}
