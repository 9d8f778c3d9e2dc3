package qos

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// processorSetsController keeps a workload on some processors of the host.
var processorSetsController = Controller{name: "cpuset", knobs: map[string]Knob{"cpuset.cpus": {}}, decide: func(r *decision) {
	for _, w := range r.Plan.Workloads {
		switch list := w.Profile.CPU.Set; {
		case list == "":
		case r.Host.Controllers["cpuset"] == Absent:
			r.degrade(w.Name, "cpu.set", "none", "the cpuset controller is not available")
		default:
			normal, n, _ := processorList(list)
			r.set(w.Name, w.Cgroup, "cpuset.cpus", normal)
			if n *= 1000; n < w.Reserved.CPU {
				r.reduce(w.Name, "cpu.reserved", "cpuset.cpus", "the processors of the set are fewer", model.Resources{CPU: w.Reserved.CPU}, model.Resources{CPU: n})
			}
		}
	}
}}

// CountProcessors counts a list of processors, false if it is none.
func CountProcessors(list string) (n int64, ok bool) {
	_, n, ok = processorList(strings.TrimSpace(list))
	return n, ok
}

const maxProcessor = 9999 // more than any kernel has

// stretch of processors, both ends included.
type stretch struct{ first, last int }

// processorList reads a list of processors such as "0-2,7", writes it as kernels do, and
// counts it. false: it is no such list.
func processorList(list string) (normal string, n int64, ok bool) {
	var all []stretch
	for part := range strings.SplitSeq(list, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		a, err := strconv.Atoi(first)
		b, err2 := strconv.Atoi(last)
		if cmp.Or(err, err2) != nil || min(a, b) < 0 || max(a, b) > maxProcessor {
			return "", 0, false
		}
		all = append(all, stretch{min(a, b), max(a, b)})
	}
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.first, b.first) })
	var parts []string
	for i := 0; i < len(all); {
		s := all[i]
		for i++; i < len(all) && all[i].first <= s.last+1; i++ {
			s.last = max(s.last, all[i].last)
		}
		n += int64(s.last - s.first + 1)
		part := strconv.Itoa(s.first)
		if s.last > s.first {
			part += "-" + strconv.Itoa(s.last)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ","), n, true
}
