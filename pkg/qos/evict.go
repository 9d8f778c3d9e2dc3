package qos

import (
	"cmp"
	"fmt"
	"slices"
)

const (
	patience   = 30 * second // of a host that is short of memory, while bounds go down step by step
	evictAgain = 60 * second // between two requests: what ends takes a while to give its memory back
)

// Eviction asks whoever places workloads to end one that gives way. The agent ends none itself.
type Eviction struct {
	Workload string `json:"workload"`
	Memory   int64  `json:"memory"` // bytes that it had then
	Reason   string `json:"reason"`
}

// shortage is what is known of a host that is short of memory.
type shortage struct {
	since int64    // moment, 0: it is not short
	asked Eviction // zero: none
	next  int64    // moment from which on somebody else may be asked for
}

// short reports whether a host has less than a twentieth of its memory free, or all wait for memory.
func (l Load) short(host Host) bool { return l.Free < host.Memory/20 || l.Stalled > stalled }

// ample reports whether more than three twentieths are free.
func (l Load) ample(host Host) bool { return l.Free > host.Memory/20*3 }

// evict asks to end a workload when the host has been short for a while although bounds went down, and until memory is
// ample: that of the lowest rank, then the lowest priority, that has most beyond its reservation. It asks for one at a time.
func (s shortage) evict(plan Plan, host Host, load Load) shortage {
	giving := slices.DeleteFunc(slices.Clone(plan.Workloads), func(w Workload) bool {
		return !w.Profile.Memory.Reclaim || load.Used[w.Name].Memory-w.Reserved.Memory < leastMemory
	})
	if load.ample(host) || host.Memory == 0 {
		return shortage{next: s.next}
	}
	if !slices.ContainsFunc(giving, func(w Workload) bool { return w.Name == s.asked.Workload }) {
		s.asked = Eviction{} // it has ended, or has nothing left to give
	}
	if !load.short(host) {
		s.since = 0
		return s
	}
	s.since = cmp.Or(s.since, load.At)
	if s.asked != (Eviction{}) || load.At-s.since < patience || load.At < s.next || len(giving) == 0 {
		return s
	}
	w := slices.MinFunc(giving, func(a, b Workload) int {
		return cmp.Or(cmp.Compare(a.Profile.Rank, b.Profile.Rank), cmp.Compare(a.Priority, b.Priority),
			cmp.Compare(load.Used[b.Name].Memory-b.Reserved.Memory, load.Used[a.Name].Memory-a.Reserved.Memory), cmp.Compare(a.Name, b.Name))
	})
	s.next = load.At + evictAgain
	s.asked = Eviction{w.Name, load.Used[w.Name].Memory, fmt.Sprintf("%s of %s memory are free, and the host has been short for %d s although workloads give way",
		mebibytes(load.Free), mebibytes(host.Memory), (load.At-s.since)/second)}
	return s
}
