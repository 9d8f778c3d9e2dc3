package qos

import (
	"cmp"
	"fmt"
	"slices"
)

// Found is what there is on a node for the selectors of a plan.
type Found struct {
	Containers []Container       // that run in groups of the kubelet
	Units      map[string]string // groups of units of systemd, by the names that were looked for
}

// Container is a container of a pod, as the kubelet names it.
type Container struct {
	Namespace, Pod, UID, Name string
	Cgroup                    string // relative to the cgroup root
}

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
	p := placing{found: found, containers: map[string][]Container{}, claims: map[string][]string{}, inside: map[string]string{}}
	for _, c := range found.Containers {
		p.containers[c.key()] = append(p.containers[c.key()], c)
	}
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
	found      Found
	containers map[string][]Container // by key
	claims     map[string][]string    // names of workloads, by cgroup
	inside     map[string]string      // the first workload in groups below, by cgroup
	unplaced   []Unplaced
}

// key is what all containers of one component have in common.
func (c Container) key() string { return c.Namespace + "/" + c.Name }

// groups returns the workload once for each group that it has.
func (p *placing) groups(w Workload) []Workload {
	if w.Cgroup != "" {
		return []Workload{w}
	}
	if w.Unit != "" {
		if w.Cgroup = p.found.Units[w.Unit]; w.Cgroup != "" {
			return []Workload{w}
		}
		p.unplaced = append(p.unplaced, Unplaced{Workload: w.Name, Reason: "no group of unit " + w.Unit})
		return nil
	}
	var placed []Workload
	for _, c := range p.containers[w.Pods.Namespace+"/"+w.Pods.Container] {
		if w.Pods.selects(c) {
			one := w
			one.Name, one.Cgroup = w.Name+"@"+c.Pod, c.Cgroup
			placed = append(placed, one)
		}
	}
	if placed == nil {
		p.unplaced = append(p.unplaced, Unplaced{Workload: w.Name, Reason: "none of its pods is here"})
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

func sortContainers(all []Container) {
	slices.SortFunc(all, func(a, b Container) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Cgroup, b.Cgroup))
	})
}
