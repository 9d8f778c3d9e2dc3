package qos

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

const (
	leastCPU = 50         // milli-CPU that is left to each workload, whatever the load
	calmCPU  = 5 * second // after the last fall, until processors are given back
)

// suppress bounds the processors of workloads that give way: others first have what they use,
// and the host what it uses or is kept for it; what is left up to a part of the host is
// theirs. It is taken at once, and given back a tenth of the host in a second. Of several
// parts the smallest holds for all.
func (r Reaction) suppress(plan Plan, host Host, load Load, passed int64) (map[string]Bound, level) {
	var giving []*Workload
	var others, all int64
	part := model.Percent(100)
	for i := range plan.Workloads {
		w := &plan.Workloads[i]
		used := load.Used[w.Name].CPU
		all += used
		if w.Profile.CPU.Suppress == 0 {
			others += used
			continue
		}
		giving = append(giving, w)
		part = min(part, w.Profile.CPU.Suppress)
	}
	if len(giving) == 0 {
		return nil, level{}
	}
	system := max(load.CPU-all, plan.System.CPU, 0)
	l := r.cpu.follow(max(0, part.Of(host.CPU)-others-system), host.CPU/10*passed/second, load.At)
	why := fmt.Sprintf("others use %s of %s cores, the host %s, and %d %% may be in use",
		model.FormatCPU(others), model.FormatCPU(host.CPU), model.FormatCPU(system), part)
	bounds := map[string]Bound{}
	for i, n := range among(giving, l.most, leastCPU, maxCPU, func(w *Workload) (used, bound int64) {
		return load.Used[w.Name].CPU, r.Ceilings[w.Name].CPU.Most
	}) {
		bounds[giving[i].Name] = Bound{max(n, giving[i].Reserved.CPU), why}
	}
	return bounds, l
}

// follow lets a level fall at once, and rise by a step when it has not fallen for a while.
func (l level) follow(to, step, now int64) level {
	switch {
	case l == level{}: // the first look
		return level{to, now}
	case to < l.most:
		return level{to, now + calmCPU}
	case now >= l.next:
		l.most = min(to, l.most+max(step, 1))
	}
	return l
}

// among divides a total among workloads by what each would use: a quarter more than it does, and all that there is where it
// uses nine tenths of its bound, which is 0 without one.
func among(giving []*Workload, total, least, all int64, use func(*Workload) (used, bound int64)) []int64 {
	asked := make([]int64, len(giving))
	for i, w := range giving {
		used, bound := use(w)
		if asked[i] = used + used/4 + least; bound > 0 && used >= bound/10*9 {
			asked[i] = all
		}
	}
	return divide(total, least, asked)
}
