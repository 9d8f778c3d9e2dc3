package qos

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// admit removes the reservations that the host cannot keep. It goes by rank, then
// priority, then place in the plan, and keeps each reservation that fits whole: a
// kernel that has promised too much keeps no promise.
func (r *resolver) admit() {
	workloads := slices.Clone(r.plan.Workloads)
	r.plan.Workloads = workloads
	// A twentieth of the memory is never promised: kernel zones need their
	// watermarks, and a machine that can reclaim nothing kills processes.
	left := model.Resources{
		CPU:    r.host.CPU - max(r.plan.System.CPU, 1),
		Memory: r.host.Memory - r.host.Memory/20 - r.plan.System.Memory,
	}
	for _, i := range byImportance(workloads) {
		w := &workloads[i]
		if w.Reserved.IsZero() {
			continue
		}
		if over := w.Reserved.Exceeds(left); len(over) > 0 {
			name, free := over[0], max(0, left.Get(over[0]))
			if name == "memory" {
				free = free >> 20 << 20 // whole MiB are enough for people
			}
			r.degrade(w.Name, "reserved", "low and weight by request", fmt.Sprintf("ReservationReduced: asks for %s %s, the host has %s left to promise",
				model.FormatAmount(name, w.Reserved.Get(name)), name, model.FormatAmount(name, free)))
			w.Reserved = model.Resources{}
			continue
		}
		left = left.Sub(w.Reserved)
	}
}

// byImportance returns the places of workloads: higher rank first, then higher priority,
// then the order of the plan.
func byImportance(workloads []Workload) []int {
	order := make([]int, len(workloads))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &workloads[a], &workloads[b]
		return cmp.Or(cmp.Compare(y.Profile.Rank, x.Profile.Rank), cmp.Compare(y.Priority, x.Priority))
	})
	return order
}
