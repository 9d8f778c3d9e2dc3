//go:build linux

package nodeagent

import (
	"maps"
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos"
)

// decided is the last decision. It stays while nothing changes from which it follows, which is nearly always.
type decided struct {
	placed   *placed
	host     qos.Host
	ceilings map[string]qos.Ceiling
	enforce  qos.Enforcement
}

// placed is a plan on this node.
type placed struct {
	from      *bundle
	found     qos.Found
	processes []qos.Workload
	wanted    qos.Plan // with its selectors
	plan      qos.Plan
	unplaced  []qos.Unplaced
}

// place turns the selectors of a plan into groups, and adds the processes that run to it, each with the group that it was
// started in. system is kept for the host where the plan says nothing of it.
func (d *decided) place(from *bundle, found qos.Found, processes []qos.Workload, system model.Resources) *placed {
	if p := d.placed; p != nil && p.from == from && maps.EqualFunc(p.found, found, slices.Equal) && reflect.DeepEqual(p.processes, processes) {
		return p
	}
	next := &placed{from: from, found: found, processes: processes, wanted: from.plan}
	next.wanted.Workloads = slices.Concat(next.wanted.Workloads, processes)
	if next.wanted.System.IsZero() {
		next.wanted.System = system
	}
	next.plan, next.unplaced = qos.Place(next.wanted, found)
	return next
}

// resolve decides every setting of a plan on the host.
func (d *decided) resolve(p *placed, ceilings map[string]qos.Ceiling, host qos.Host) qos.Enforcement {
	if d.placed != p || !maps.Equal(d.ceilings, ceilings) || !reflect.DeepEqual(d.host, host) {
		*d = decided{p, host, ceilings, qos.ResolveUnder(ceilings, p.plan, host)}
	}
	return d.enforce
}
