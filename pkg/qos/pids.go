package qos

import "strconv"

// tasksController bounds how many processes and threads a workload has.
var tasksController = Controller{name: "pids", knobs: map[string]Knob{"pids.max": {Default: "max"}}, decide: func(r *decision) {
	for _, w := range r.Plan.Workloads {
		switch n := w.Profile.Pids.Max; {
		case n == 0:
		case r.Host.Controllers["pids"] == Absent:
			r.degrade(w.Name, "pids.max", "none", "the pids controller is not available")
		default:
			r.set(w.Name, w.Cgroup, "pids.max", strconv.FormatInt(n, 10))
		}
	}
}}
