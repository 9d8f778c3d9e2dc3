package qos

import "strconv"

// io decides the weights on block devices.
func (r *resolver) io() {
	for _, w := range r.plan.Workloads {
		switch n := w.Profile.IO.Weight; {
		case n == 0:
		case r.host.Controllers["io"] == V2:
			r.set(w.Name, w.Cgroup, "io.weight", "default "+strconv.FormatInt(n, 10))
		default:
			r.degrade(w.Name, "io.weight", "none", "no io controller of cgroup v2")
		}
	}
}
