//go:build linux

package nodeagent

import (
	"time"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// So many workloads are measured in a turn, each in its own, and those that ran besides, of so many that are asked. Who
// does not run has the memory and the pressure that it had, or is told some seconds later.
const (
	mostMeasured = 128
	mostAsked    = 512
)

// meter measures what the workloads of the plan use and wait for.
type meter struct {
	at   time.Time
	next int                    // place in the plan of the one that is measured next
	seen map[string]measurement // by workload and group
}

// measurement is what a workload uses and waits for, and from which its next one begins.
type measurement struct {
	at         time.Time
	processors int64 // microseconds that its group has had
	known      bool  // the kernel tells
	used       *qos.Used
	pressure   *qos.Pressure
}

// measure adds to standings, which are in the order of the plan, what their workloads use and wait for. Of the processors
// that needs two looks, which are not too soon one after the other. It returns which of them it has measured now.
func (m *meter) measure(tree *cgroup.Tree, plan qos.Plan, standings []qos.Standing, now time.Time) (fresh []bool) {
	if passed := now.Sub(m.at); passed >= leastLook || passed < 0 {
		m.at = now
		m.look(tree, plan, now)
	}
	fresh = make([]bool, len(standings))
	for i := range standings {
		found := m.seen[placeOf(&plan.Workloads[i])]
		standings[i].Used, standings[i].Pressure = found.used, found.pressure
		fresh[i] = found.at.Equal(now)
	}
	return fresh
}

func placeOf(w *qos.Workload) string { return w.Name + " " + w.Cgroup }

func (m *meter) look(tree *cgroup.Tree, plan qos.Plan, now time.Time) {
	n := len(plan.Workloads)
	if len(m.seen) > n || m.seen == nil { // some have left the plan
		before := m.seen
		m.seen = make(map[string]measurement, n)
		for i := range plan.Workloads {
			if found, known := before[placeOf(&plan.Workloads[i])]; known {
				m.seen[placeOf(&plan.Workloads[i])] = found
			}
		}
	}
	for i := range min(n, mostAsked) {
		w := &plan.Workloads[(m.next+i)%n]
		key := placeOf(w)
		m.seen[key] = m.seen[key].following(tree, w.Cgroup, now, i < mostMeasured)
	}
	if n > 0 {
		m.next = (m.next + min(n, mostMeasured)) % n
	}
}

// following measures a group after an earlier time, if there was one. Unless it has its turn, of one that has not run
// since only that is asked.
func (m measurement) following(tree *cgroup.Tree, group string, now time.Time, turn bool) measurement {
	if !turn && m.used != nil {
		if ran, known := tree.Ran(group); known && ran == m.processors {
			return m.idle(now)
		}
	}
	processors, memory, known := tree.Used(group)
	next := measurement{at: now, processors: processors, known: known, pressure: tree.Pressure(group)}
	if passed := now.Sub(m.at); m.known && known && processors >= m.processors && passed > 0 {
		next.used = &qos.Used{CPU: milli(processors-m.processors, passed), Memory: memory}
	}
	return next
}

// idle is the measurement of a group that has not run since.
func (m measurement) idle(now time.Time) measurement {
	m.at, m.used = now, &qos.Used{Memory: m.used.Memory}
	return m
}

// notInForce returns which values of files are not in force, whatever is the cause.
func notInForce(outcomes []cgroup.Outcome) func(group, file string) bool {
	not := map[[2]string]bool{} // of most passes empty
	for _, o := range outcomes {
		if o.State != cgroup.InForce && o.State != cgroup.Written {
			not[[2]string{o.Cgroup, o.File}] = true
		}
	}
	return func(group, file string) bool { return len(not) > 0 && not[[2]string{group, file}] }
}
