//go:build linux

package nodeagent

import (
	"time"

	"github.com/d-aros/d-aros/pkg/qos"
)

// sinceWhen adds to each workload without a group since when this agent has seen none.
func (a *agent) sinceWhen(unplaced []qos.Unplaced, now time.Time) (all []Unplaced) {
	since := map[qos.Unplaced]time.Time{}
	for _, u := range a.report.Unplaced {
		since[u.Unplaced] = u.Since
	}
	for _, u := range unplaced {
		at, known := since[u]
		if !known {
			at = now.UTC().Truncate(time.Second)
		}
		all = append(all, Unplaced{u, at})
	}
	return all
}

// logUnplaced logs once that a group is refused, or that a unit is waited for. The pods of
// most workloads are on other nodes.
func (a *agent) logUnplaced(next Report) {
	known := map[qos.Unplaced]bool{}
	for _, u := range a.report.Unplaced {
		known[u.Unplaced] = true
	}
	for _, u := range next.Unplaced {
		switch {
		case known[u.Unplaced]:
		case u.Refused:
			a.cfg.Log.Warn("workload refused", "workload", u.Workload, "reason", u.Reason)
		default:
			a.cfg.Log.Debug("workload is not here", "workload", u.Workload, "reason", u.Reason)
		}
	}
	if next.Omitted > 0 && next.Omitted != a.report.Omitted {
		a.cfg.Log.Warn("the plan has no room for all workloads of the pool", "omitted", next.Omitted)
	}
}
