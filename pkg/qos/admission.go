package qos

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Claim is a reservation that asks for a part of a capacity.
type Claim struct {
	Rank, Priority int
	Amount         model.Resources
}

// reduced begins the reason of a reservation that is refused.
const reduced = "ReservationReduced: "

// Admit says of each claim what refuses it, "" for those that are kept. It goes by rank, then
// priority, then the order given, and keeps each claim that fits whole: who has promised too
// much keeps no promise. where names the capacity in the sentences: "the host".
func Admit(claims []Claim, capacity model.Resources, where string) []string {
	refused := make([]string, len(claims))
	left := capacity
	for _, i := range inOrder(len(claims), func(i int) (rank, priority int) { return claims[i].Rank, claims[i].Priority }) {
		amount := claims[i].Amount
		over := amount.Exceeds(left)
		if len(over) == 0 {
			left = left.Sub(amount)
			continue
		}
		name, free := over[0], max(0, left.Get(over[0]))
		switch name { // whole MiB and thousands of bits are enough for people
		case "memory", model.DiskResource:
			free = free >> 20 << 20
		case model.NetworkResource:
			free -= free % 1000
		}
		refused[i] = fmt.Sprintf(reduced+"asks for %s %s, %s has %s left to promise",
			model.FormatAmount(name, amount.Get(name)), name, where, model.FormatAmount(name, free))
	}
	return refused
}

// admit removes the reservations that the host cannot keep.
func (r *decision) admit() {
	workloads := slices.Clone(r.Plan.Workloads)
	r.Plan.Workloads = workloads
	// A twentieth of the memory is never promised: kernel zones need their
	// watermarks, and a machine that can reclaim nothing kills processes.
	capacity := model.Resources{
		CPU:    r.Host.CPU - max(r.Plan.System.CPU, 1),
		Memory: r.Host.Memory - r.Host.Memory/20 - r.Plan.System.Memory,
	}
	for i, reason := range Admit(r.Plan.claims((*Workload).ofMachine), capacity, "the host") {
		if w := &workloads[i]; reason != "" && !w.ofMachine().IsZero() {
			r.reduce(w.Name, "reserved", "low and weight by request", reason, w.ofMachine(), model.Resources{})
			w.Reserved.CPU, w.Reserved.Memory = 0, 0
		}
	}
}

// claims are what workloads have reserved of something, by their places.
func (p Plan) claims(of func(*Workload) model.Resources) []Claim {
	claims := make([]Claim, len(p.Workloads))
	for i := range claims {
		w := &p.Workloads[i]
		claims[i] = Claim{w.Profile.Rank, w.Priority, of(w)}
	}
	return claims
}

// ofMachine is what is reserved of the machine itself; what is sent is counted apart.
func (w *Workload) ofMachine() model.Resources {
	return model.Resources{CPU: w.Reserved.CPU, Memory: w.Reserved.Memory}
}

// byImportance returns the places of workloads in the order of Admit.
func byImportance(workloads []Workload) []int {
	return inOrder(len(workloads), func(i int) (rank, priority int) { return workloads[i].Profile.Rank, workloads[i].Priority })
}

// inOrder returns the places of a list: higher rank first, then higher priority, then the
// order of the list.
func inOrder(n int, of func(i int) (rank, priority int)) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		rankA, priorityA := of(a)
		rankB, priorityB := of(b)
		return cmp.Or(cmp.Compare(rankB, rankA), cmp.Compare(priorityB, priorityA))
	})
	return order
}
