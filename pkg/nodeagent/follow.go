//go:build linux

package nodeagent

import (
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// follower lets workloads that give way follow the load of the host.
type follower struct {
	reaction qos.Reaction
	began    time.Time              // makes moments that only go forward, whatever is done to the clock
	last     *sample                // nil: none of this plan
	disks    map[string]qos.DiskUse // between the last two looks, by workload

	quietUntil time.Time // until then nothing follows the load
}

// leastLook is the shortest time of which a load is believed: processors are counted in
// hundredths of a second.
const leastLook = 200 * time.Millisecond

// sample is what had been used at a moment.
type sample struct {
	at      time.Time
	machine cgroup.Machine
	groups  map[string]int64 // microseconds of processors, by workload and group
	disks   map[string]accesses
}

// follow returns the ceilings of the workloads of a plan, none where nobody gives way. The
// first look finds only what to compare the next one with.
func (f *follower) follow(tree *cgroup.Tree, plan qos.Plan, host qos.Host, now time.Time, spared func() map[string]bool) (map[string]qos.Ceiling, error) {
	if !plan.Reacts() || now.Before(f.quietUntil) {
		*f = follower{quietUntil: f.quietUntil}
		return nil, nil
	}
	if f.last != nil && now.Sub(f.last.at) < leastLook { // too soon to tell
		return f.reaction.Ceilings, nil
	}
	machine, err := cgroup.ReadMachine()
	if err != nil {
		return nil, fmt.Errorf("follow the load: %w", err)
	}
	next := &sample{now, machine, map[string]int64{}, accessesOf(tree, plan)}
	used := map[string]qos.Used{}
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		processors, memory, _ := tree.Used(w.Cgroup)
		key := placeOf(w)
		next.groups[key] = processors
		u := qos.Used{Memory: memory}
		if f.last != nil {
			if before, known := f.last.groups[key]; known {
				u.CPU = milli(processors-before, now.Sub(f.last.at))
			}
		}
		used[w.Name] = u
	}
	last := f.last
	f.last = next
	if last == nil {
		f.began = now
		return nil, nil
	}
	f.disks = diskUses(plan, last.disks, next.disks, now.Sub(last.at))
	f.reaction = f.reaction.Next(plan, host, qos.Load{
		At: now.Sub(f.began).Microseconds(), CPU: milli(machine.CPU-last.machine.CPU, now.Sub(last.at)),
		Free: machine.Free, Stalled: machine.Stalled, Used: used, Disks: f.disks, Spared: spared(),
	})
	return f.reaction.Ceilings, nil
}

// squeezes returns of whom memory is to be taken back at once, if that was decided now.
func (f *follower) squeezes(now time.Time) []qos.Squeeze {
	if f.last == nil || !f.last.at.Equal(now) {
		return nil
	}
	return f.reaction.Squeezes
}

// evict returns the workload that is to end, nil if there is none.
func (f *follower) evict() *qos.Eviction {
	if e := f.reaction.Evict(); e != (qos.Eviction{}) {
		return &e
	}
	return nil
}

// logEvict logs once that a workload is to end.
func (a *agent) logEvict(next Report) {
	if e := next.Evict; e != nil && (a.report.Evict == nil || *a.report.Evict != *e) {
		a.cfg.Log.Warn("a workload that gives way is to end", "workload", e.Workload, "memory", e.Memory, "reason", e.Reason)
	}
}

// milli returns how many thousandths of a processor were used.
func milli(microseconds int64, passed time.Duration) int64 {
	return max(0, microseconds) * 1000 / max(1, passed.Microseconds())
}

// Rest gives every value that follows the load the one for when nobody does. It is for when
// the agent has ended without a word, and fails while one runs.
func Rest(cfg Config) ([]cgroup.Outcome, error) {
	a, err := open(cfg, false)
	if err != nil {
		return nil, err
	}
	defer a.close()
	return a.tree.Rest(a.journal)
}

// rest does the same for an agent that begins or ends.
func (a *agent) rest() error {
	outcomes, err := a.tree.Rest(a.journal)
	if err != nil {
		return fmt.Errorf("stop following the load: %w", err)
	}
	for _, o := range outcomes {
		a.cfg.Log.Info("setting follows the load no more", "cgroup", o.Cgroup, "file", o.File, "value", o.Value, "state", o.State, "reason", o.Reason)
	}
	return nil
}
