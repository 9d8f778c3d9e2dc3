package qos

import "strconv"

// disks decides the weights on block devices.
type disks struct{}

func (disks) Name() string { return "io" }

func (disks) Knobs() map[string]Knob {
	return map[string]Knob{"io.weight": {Version: V2, Default: "default 100"}}
}

func (disks) Decide(s State) Enforcement {
	r := decision{State: s}
	for _, w := range r.Plan.Workloads {
		switch n := w.Profile.IO.Weight; {
		case n == 0:
		case r.Host.Controllers["io"] == V2:
			r.set(w.Name, w.Cgroup, "io.weight", "default "+strconv.FormatInt(n, 10))
		default:
			r.degrade(w.Name, "io.weight", "none", "no io controller of cgroup v2")
		}
	}
	return r.out
}
