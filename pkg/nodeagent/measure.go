//go:build linux

package nodeagent

import (
	"time"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// meter measures what the workloads of the plan use and wait for.
type meter struct {
	at    time.Time
	last  map[string]int64 // microseconds of processors, by workload and group
	known map[string]measurement
}

// measurement is what a workload uses and waits for.
type measurement struct {
	used     *qos.Used
	pressure *qos.Pressure
}

// measure adds to standings what their workloads use and wait for. Of the processors that needs two looks, which are
// not too soon one after the other.
func (m *meter) measure(tree *cgroup.Tree, plan qos.Plan, standings []qos.Standing, now time.Time) {
	passed := now.Sub(m.at)
	if m.last == nil || passed >= leastLook || passed < 0 {
		m.look(tree, plan, passed)
		m.at = now
	}
	for i := range standings {
		found := m.known[standings[i].Workload]
		standings[i].Used, standings[i].Pressure = found.used, found.pressure
	}
}

func (m *meter) look(tree *cgroup.Tree, plan qos.Plan, passed time.Duration) {
	last := m.last
	m.last, m.known = make(map[string]int64, len(plan.Workloads)), make(map[string]measurement, len(plan.Workloads))
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		processors, memory, known := tree.Used(w.Cgroup)
		found := measurement{pressure: tree.Pressure(w.Cgroup)}
		if key := w.Name + " " + w.Cgroup; known {
			m.last[key] = processors
			if before, known := last[key]; known && processors >= before && passed > 0 {
				found.used = &qos.Used{CPU: milli(processors-before, passed), Memory: memory}
			}
		}
		m.known[w.Name] = found
	}
}

// notInForce returns which values of files are not in force, whatever is the cause.
func notInForce(outcomes []cgroup.Outcome) func(group, file string) bool {
	not := map[[2]string]bool{}
	for _, o := range outcomes {
		if o.State != cgroup.InForce && o.State != cgroup.Written {
			not[[2]string{o.Cgroup, o.File}] = true
		}
	}
	return func(group, file string) bool { return not[[2]string{group, file}] }
}
