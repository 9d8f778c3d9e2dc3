//go:build linux

package nodeagent

import (
	"time"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// accesses are what a workload has done with disks so far, and how many microseconds it waited for them.
type accesses struct {
	cgroup.Accesses
	waited int64
}

// accessesOf asks for the workloads that leave disks to others, and for those others, by workload and group. What the kernel
// does not tell of is left out.
func accessesOf(tree *cgroup.Tree, plan qos.Plan) map[string]accesses {
	if !plan.Yields() {
		return nil
	}
	all := map[string]accesses{}
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		waits := w.Waits()
		if !waits && !w.Profile.IO.Yield {
			continue
		}
		did, known := tree.Accessed(w.Cgroup)
		a := accesses{Accesses: did}
		if waits && known {
			a.waited, known = tree.WaitedForDisks(w.Cgroup)
		}
		if known {
			all[placeOf(w)] = a
		}
	}
	return all
}

// diskUses compares two looks, between which some time passed.
func diskUses(plan qos.Plan, before, after map[string]accesses, passed time.Duration) map[string]qos.DiskUse {
	uses := map[string]qos.DiskUse{}
	each := max(1, passed.Microseconds())
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		a, known := after[placeOf(w)]
		b, knew := before[placeOf(w)]
		if known && knew {
			uses[w.Name] = qos.DiskUse{
				Bytes: max(0, a.Bytes-b.Bytes) * 1_000_000 / each, Accesses: max(0, a.Count-b.Count) * 1_000_000 / each,
				Waited: max(0, a.waited-b.waited) * 10_000 / each,
			}
		}
	}
	return uses
}
