package qos

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

const (
	leastMemory = 16 << 20   // bytes that are left to each workload, whatever is free
	stepMemory  = 5 * second // between two steps
	stalled     = 500        // 5 % of the time: a host that is short, whatever it calls free
)

// reclaim bounds the memory of workloads that give way: together four fifths of the host, a
// tenth less while less than a twentieth is free or all wait for memory, a hundredth more
// while there is more than three twentieths, each five seconds: pressed fast and released
// slowly. Where nothing protects reservations, on v1, it is never more than they leave.
func (r Reaction) reclaim(plan Plan, host Host, load Load) (map[string]Bound, level) {
	var giving []*Workload
	var reserved int64
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		reserved += w.Reserved.Memory
		if w.Profile.Memory.Reclaim {
			giving = append(giving, w)
		}
	}
	if len(giving) == 0 || host.Memory == 0 {
		return nil, level{}
	}
	most := host.Memory / 5 * 4
	if host.Controllers["memory"] == V1 {
		most = min(most, host.Memory-host.Memory/20-plan.System.Memory-reserved)
	}
	least := leastMemory * int64(len(giving))
	most = max(most, least)
	l := r.memory
	if l.most == 0 {
		l = level{most, load.At}
	}
	bounds := map[string]Bound{}
	if load.At < l.next && r.memory.most > 0 { // between two steps
		for _, w := range giving {
			bounds[w.Name] = r.Ceilings[w.Name].Memory
		}
		return bounds, l
	}
	switch {
	case load.short(host):
		l.most -= host.Memory / 10
	case load.ample(host):
		l.most += host.Memory / 100
	}
	l.most = min(max(l.most, least), most)
	l.next = load.At + stepMemory
	for i, n := range among(giving, l.most, leastMemory, maxMemory, func(w *Workload) (used, bound int64) {
		return load.Used[w.Name].Memory, r.Ceilings[w.Name].Memory.Most
	}) {
		w := giving[i]
		if used := load.Used[w.Name].Memory; host.Controllers["memory"] == V1 {
			n = max(n, used-used/20) // the kernel refuses what it cannot reclaim at once
		}
		bounds[w.Name] = Bound{max(n, w.Reserved.Memory), fmt.Sprintf("%s of %s memory are free, and %d workloads that give way may have %s",
			mebibytes(load.Free), mebibytes(host.Memory), len(giving), mebibytes(l.most))}
	}
	return bounds, l
}

func mebibytes(n int64) string { return model.FormatAmount("memory", n>>20<<20) }
