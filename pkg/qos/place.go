package qos

import (
	"cmp"
	"fmt"
	"slices"
)

// Unplaced is a workload of the plan that has no group here, or none that it may have.
type Unplaced struct {
	Workload string `json:"workload"`
	Refused  bool   `json:"refused,omitempty"` // false: it waits for its group
	Reason   string `json:"reason"`
}

// Place turns the selectors of a plan into the cgroups of one node. A workload of pods
// becomes one for each of its containers there, which is named for the pod. A group that
// two workloads select belongs to neither, and one around the groups of others is not
// taken: both are refused.
func Place(plan Plan, found Found) (Plan, []Unplaced) {
	p := placing{found: found, claims: map[string][]string{}, inside: map[string]string{}}
	placed := plan
	placed.Workloads = make([]Workload, 0, len(plan.Workloads))
	for _, w := range plan.Workloads {
		placed.Workloads = append(placed.Workloads, p.groups(w)...)
	}
	for i := range placed.Workloads {
		w := &placed.Workloads[i]
		p.claims[w.Cgroup] = append(p.claims[w.Cgroup], w.Name)
		for _, dir := range ancestors(w.Cgroup) {
			if first, known := p.inside[dir]; !known || w.Name < first {
				p.inside[dir] = w.Name
			}
		}
	}
	placed.Workloads = slices.DeleteFunc(placed.Workloads, p.refused)
	slices.SortFunc(p.unplaced, func(a, b Unplaced) int { return cmp.Compare(a.Workload, b.Workload) })
	return placed, p.unplaced
}

// placing is the work of Place.
type placing struct {
	found    Found
	claims   map[string][]string // names of workloads, by cgroup
	inside   map[string]string   // the first workload in groups below, by cgroup
	unplaced []Unplaced
}

// groups returns the workload once for each group that it has.
func (p *placing) groups(w Workload) []Workload {
	if w.Selector == nil {
		return []Workload{w}
	}
	var placed []Workload
	for _, g := range p.found[w.Selector.Field()] {
		if !w.Selector.Selects(g) {
			continue
		}
		one := w
		if one.Cgroup = g.Cgroup; g.Pod != "" {
			one.Name += "@" + g.Pod
		}
		placed = append(placed, one)
	}
	if placed == nil {
		p.unplaced = append(p.unplaced, Unplaced{Workload: w.Name, Reason: w.Selector.Missing()})
	}
	return placed
}

// refused reports whether a workload may not have its group, and says why.
func (p *placing) refused(w Workload) bool {
	refuse := func(reason string) bool {
		p.unplaced = append(p.unplaced, Unplaced{w.Name, true, reason})
		return true
	}
	if err := checkCgroup(w.Cgroup); err != nil {
		return refuse(err.Error())
	}
	if all := p.claims[w.Cgroup]; len(all) > 1 {
		return refuse(fmt.Sprintf("%s is also what %s selects: a group belongs to one workload", w.Cgroup, other(all, w.Name)))
	}
	if inner, around := p.inside[w.Cgroup]; around {
		return refuse(fmt.Sprintf("%s has the group of %s in it: name the innermost groups", w.Cgroup, inner))
	}
	return false
}

func other(names []string, name string) string {
	for _, n := range names {
		if n != name {
			return n
		}
	}
	return "the same workload"
}
