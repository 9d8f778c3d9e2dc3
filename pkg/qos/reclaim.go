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
	var names []string
	var reserved int64
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		reserved += w.Reserved.Memory
		if w.Profile.Memory.Reclaim {
			names = append(names, w.Name)
		}
	}
	if len(names) == 0 || host.Memory == 0 {
		return nil, level{}
	}
	most := host.Memory / 5 * 4
	if host.Controllers["memory"] == V1 {
		most = min(most, host.Memory-host.Memory/20-plan.System.Memory-reserved)
	}
	least := leastMemory * int64(len(names))
	most = max(most, least)
	l := r.memory
	if l.most == 0 {
		l = level{most, load.At}
	}
	if load.At < l.next && r.memory.most > 0 {
		return r.kept(names), l
	}
	switch {
	case load.Free < host.Memory/20 || load.Stalled > stalled:
		l.most -= host.Memory / 10
	case load.Free > host.Memory/20*3:
		l.most += host.Memory / 100
	}
	l.most = min(max(l.most, least), most)
	l.next = load.At + stepMemory
	asked := make([]int64, len(names))
	for i, name := range names {
		used, bound := load.Used[name].Memory, r.Ceilings[name].Memory.Most
		asked[i] = used + used/4 + leastMemory
		if bound > 0 && used >= bound/10*9 {
			asked[i] = maxMemory
		}
	}
	bounds := map[string]Bound{}
	for i, n := range divide(l.most, leastMemory, asked) {
		if used := load.Used[names[i]].Memory; host.Controllers["memory"] == V1 {
			n = max(n, used-used/20) // the kernel refuses what it cannot reclaim at once
		}
		bounds[names[i]] = Bound{n, fmt.Sprintf("%s of %s memory are free, and %d workloads that give way may have %s",
			mebibytes(load.Free), mebibytes(host.Memory), len(names), mebibytes(l.most))}
	}
	return bounds, l
}

// kept are the bounds in force, between two steps.
func (r Reaction) kept(names []string) map[string]Bound {
	bounds := map[string]Bound{}
	for _, name := range names {
		bounds[name] = r.Ceilings[name].Memory
	}
	return bounds
}

func mebibytes(n int64) string { return model.FormatAmount("memory", n>>20<<20) }
