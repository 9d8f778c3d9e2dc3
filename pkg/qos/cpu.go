package qos

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/d-aros/d-aros/pkg/model"
)

const (
	period       = 100_000 // microseconds
	leastQuota   = 1_000   // the kernel refuses less than a millisecond
	quotaPerCore = period / 1000
)

// processorsController decides weights and quotas.
//
// A burst may never exceed its quota, so it goes down first and up last.
var processorsController = Controller{name: "cpu", knobs: map[string]Knob{
	"cpu.weight":        {Version: V2, Default: "100"},
	"cpu.max.burst":     {Version: V2, Default: "0", turn: 1},
	"cpu.max":           {Version: V2, Default: "max 100000", turn: 2},
	"cpu.shares":        {Version: V1, Default: "1024"},
	"cpu.cfs_burst_us":  {Version: V1, Default: "0", turn: 1},
	"cpu.cfs_period_us": {Version: V1, Default: "100000", turn: 2},
	"cpu.cfs_quota_us":  {Version: V1, Default: "-1", turn: 3},
}, decide: (*decision).cpu}

func (r *decision) cpu() {
	version := r.Host.Controllers["cpu"]
	if version == Absent {
		for _, w := range r.Plan.Workloads {
			if w.Profile.CPU.Suppress > 0 {
				r.degrade(w.Name, "cpu.suppress", "none", "the cpu controller is not available")
			}
			r.reduce(w.Name, "cpu", "none", "the cpu controller is not available", model.Resources{CPU: w.Reserved.CPU}, model.Resources{})
		}
		return
	}
	for _, w := range r.Plan.Workloads {
		r.quota(w, version)
	}
	root := r.tree()
	s := scaleOf(version)
	root.gather(s, r.Host.Groups)
	root.cpu = r.Host.CPU * micro
	r.weigh(root, s)
}

// quota bounds a workload to its limit and its ceiling. It always sets a burst as well, because an
// older burst could exceed the quota. A burst that an ancestor takes away again would be of no use, and while it stands the kernel
// refuses a smaller quota to a kubelet that resizes the pod.
func (r *decision) quota(w Workload, version Version) {
	most := r.Ceilings[w.Name].CPU.under(w.Profile.CPU.Quota.Of(w.Limit.CPU))
	if most == 0 && (w.Profile.CPU.Quota == 0 || w.Limit.CPU == 0) {
		return
	}
	quota := max(leastQuota, most*quotaPerCore)
	around, has := r.Host.narrowest(w.Cgroup)
	if version == V1 && has && around.quota < quota {
		r.degrade(w.Name, "cpu.quota", "quota of "+around.path, "cgroup v1 refuses a quota above that of an ancestor")
		quota = max(leastQuota, around.quota)
	}
	burst := w.Profile.CPU.Burst.Of(quota)
	if has && burst > around.quota-quota {
		r.degrade(w.Name, "cpu.burst", "quota of "+around.path, "no burst goes beyond the quota of an ancestor")
		burst = max(0, around.quota-quota)
	}
	if version == V1 {
		r.set(w.Name, w.Cgroup, "cpu.cfs_period_us", strconv.Itoa(period))
		r.set(w.Name, w.Cgroup, "cpu.cfs_quota_us", strconv.FormatInt(quota, 10))
		r.set(w.Name, w.Cgroup, "cpu.cfs_burst_us", strconv.FormatInt(burst, 10))
		return
	}
	r.set(w.Name, w.Cgroup, "cpu.max", fmt.Sprintf("%d %d", quota, period))
	r.set(w.Name, w.Cgroup, "cpu.max.burst", strconv.FormatInt(burst, 10))
}

// bound is a quota around a workload.
type bound struct {
	path  string
	quota int64
}

// narrowest returns the smallest quota of the ancestors of a group, and whether any has one.
func (h Host) narrowest(cgroup string) (b bound, has bool) {
	for _, dir := range ancestors(cgroup) {
		if q := h.Groups[dir].Quota * quotaPerCore; q > 0 && (!has || q < b.quota) {
			b, has = bound{dir, q}, true
		}
	}
	return b, has
}

// micro is the precision of the calculation: micro-CPU in a milli-CPU.
const micro = 1000

// group is a node of the tree that the plan's cgroups form below the root.
type group struct {
	path     string
	children []*group
	workload *Workload // of a leaf

	request  int64 // milli-CPU asked for in the subtree
	reserved int64 // micro-CPU that must reach the subtree
	floor    int64 // weight it has without a reservation
	others   int64 // weight of the children that are not ours, and of the threads beside them
	cpu      int64 // micro-CPU that reach it when all are busy
}

// tree arranges the workloads by their cgroups.
func (r *decision) tree() *group {
	groups := map[string]*group{"": {}}
	for i := range r.Plan.Workloads {
		w := &r.Plan.Workloads[i]
		for _, dir := range append(ancestors(w.Cgroup), w.Cgroup) {
			if groups[dir] == nil {
				groups[dir] = &group{path: dir}
			}
		}
		groups[w.Cgroup].workload = w
	}
	for _, path := range slices.Sorted(maps.Keys(groups)) {
		if path != "" {
			above := groups[parent(path)]
			above.children = append(above.children, groups[path])
		}
	}
	return groups[""]
}

// gather adds up the subtree of g: its requests, its reservations, and the weight
// with which it competes before any reservation is solved.
func (g *group) gather(s scale, found map[string]Group) {
	if w := g.workload; w != nil {
		g.request, g.reserved = w.Request.CPU, w.Reserved.CPU*micro
		g.floor = s.of(g.request)
		if fixed := w.Profile.CPU.Weight; fixed > 0 {
			g.floor = s.fromProfile(fixed)
		}
		return
	}
	g.others = found[g.path].Others + found[g.path].Tasks*s.unit
	var widest int64
	besides := g.others
	for _, child := range g.children {
		child.gather(s, found)
		g.request += child.request
		g.reserved += child.reserved
		widest = max(widest, child.reserved)
		if child.reserved == 0 {
			besides += child.floor
		}
	}
	if g.reserved == 0 {
		g.floor = found[g.path].Weight
		g.floor = cmp.Or(g.floor, s.unit)
		return
	}
	g.floor = s.of(g.request)
	// Weights are bounded, so siblings without a reservation always take a
	// little. The group needs that much more than the sum of its reservations.
	g.reserved += wide(besides, widest).ceil(s.max)
}

// weigh solves the weights of all groups below g, and records the share that every
// workload gets in the worst case. Ancestors without a reservation are left alone.
func (r *decision) weigh(g *group, s scale) {
	claims := make([]claim, len(g.children))
	for i, child := range g.children {
		claims[i] = claim{child.reserved, child.floor}
	}
	weights := solve(g.cpu, g.others, s.max, claims)
	total := g.others
	for _, w := range weights {
		total += w
	}
	for i, child := range g.children {
		child.cpu = wide(g.cpu, weights[i]).floor(total)
		value := strconv.FormatInt(weights[i], 10)
		w := child.workload
		if w == nil {
			if child.reserved > 0 {
				r.set("", child.path, s.file, value)
			}
			r.weigh(child, s)
			continue
		}
		r.set(w.Name, child.path, s.file, value)
		share := Share{Workload: w.Name, CPU: (child.cpu + micro/2) / micro, Reserved: w.Reserved.CPU}
		r.out.Shares = append(r.out.Shares, share)
		// Whole weights are a little coarse: a hundredth less is no broken promise.
		if share.CPU < share.Reserved-share.Reserved/100-1 {
			reason := fmt.Sprintf("weights reach only %s of %s cores while every sibling is busy%s",
				model.FormatCPU(share.CPU), model.FormatCPU(share.Reserved), r.besides(child.path))
			r.reduce(w.Name, "cpu.reserved", s.file, reason, model.Resources{CPU: share.Reserved}, model.Resources{CPU: share.CPU})
		}
	}
}

// besides names the most threads that compete beside the groups around a workload.
func (r *decision) besides(path string) string {
	var most int64
	in := ""
	for _, dir := range append([]string{""}, ancestors(path)...) {
		if n := r.Host.Groups[dir].Tasks; n > most {
			most, in = n, dir
		}
	}
	switch {
	case most == 0:
		return ""
	case in == "":
		in = "the root of the tree"
	}
	return fmt.Sprintf(", and so are %d threads directly in %s: put them into groups of their own", most, in)
}
