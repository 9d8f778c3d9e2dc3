package qos

const (
	squeezeAfter = 5 * second  // of a host that is short of memory, when the first bound had its effect
	squeezeAgain = 5 * second  // between two requests to one workload, doubled each time when the kernel finds too little
	squeezeLast  = 80 * second // the longest such time
	mostSqueezed = 1 << 30     // bytes at once: a kernel takes its time
)

// Squeeze asks the kernel to take so many bytes from a workload at once, where a bound only keeps it from having more.
type Squeeze struct {
	Workload, Cgroup string
	Bytes            int64
}

// pace is when a workload may be squeezed again, and after which time then.
type pace struct{ next, wait int64 }

// squeeze asks for a tenth of what each workload that gives memory back has beyond its reservation, while the host is short
// of memory. It waits longer for those of whom the kernel took less than was asked. Only v2 can.
func (r Reaction) squeeze(plan Plan, host Host, load Load, s shortage) (all []Squeeze, paces map[string]pace) {
	if host.Controllers["memory"] != V2 || s.since == 0 {
		return nil, nil
	}
	paces = map[string]pace{}
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		beyond := load.Used[w.Name].Memory - w.Reserved.Memory
		if !w.Profile.Memory.Reclaim {
			continue
		}
		p, known := r.paces[w.Name]
		switch {
		case !known:
			p = pace{s.since + squeezeAfter, squeezeAgain}
		case load.Spared[w.Name]:
			p.wait = min(2*p.wait, squeezeLast)
			p.next += p.wait - squeezeAgain
		}
		if load.At >= p.next && beyond >= leastMemory {
			all = append(all, Squeeze{w.Name, w.Cgroup, min(max(beyond/10, leastMemory), mostSqueezed) / host.Page * host.Page})
			p.next = load.At + squeezeAgain
		}
		paces[w.Name] = p
	}
	return all, paces
}
