package qos

import (
	"cmp"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Usage is what the threads of a group have had since it was made, in microseconds.
type Usage struct {
	CPU    int64 // of processors
	Waited int64 // for a processor, although they could run
}

// Broken is a reservation that a workload does not get although it could use it. Amounts are in
// milli-CPU, bytes, and bytes or bits in a second.
type Broken struct {
	Workload string `json:"workload"`
	Promise  string `json:"promise"` // of a resource: cpu.reserved
	Reserved int64  `json:"reserved"`
	Got      int64  `json:"got"` // when it was found
	By       []Took `json:"by"`  // who took most, the largest part first
}

// Took is what others had meanwhile: processor time, or what they have above what is reserved for them.
type Took struct {
	Who    string `json:"who"` // a group or the processes directly in one, a workload, a class of the uplink
	Amount int64  `json:"amount"`
}

// The reservations that are watched.
const (
	ReservedCPU     = "cpu.reserved"
	ReservedMemory  = "memory.reserved"
	ReservedDisk    = "disk.reserved"
	ReservedNetwork = "network.reserved"
)

const (
	turnsToBreak = 3    // in a row in which a workload starves
	mostTakers   = 3    // of those that are named
	waitsEnough  = 1000 // 10 % of the time, from which on a workload is hungry
)

// Starved reports whether a workload waited for processors for a tenth of the time that
// passed, and got less than what is reserved for it, and how much it got in milli-CPU.
func Starved(before, after Usage, passed, reserved int64) (got int64, starved bool) {
	if passed <= 0 || after.CPU < before.CPU || after.Waited < before.Waited {
		return 0, false // another group by the same name, or threads that ended
	}
	got = wide(after.CPU-before.CPU, 1000).floor(passed)
	return got, below(got, reserved) && after.Waited-before.Waited >= passed/10
}

// below reports whether that is less than what is reserved. A twentieth less is no broken
// promise: kernels share time in slices, and memory in pages and batches.
func below(got, reserved int64) bool { return got < reserved-reserved/20 }

// Starving is a workload that starves of a resource: for how many turns in a row, and the promise once it is broken.
// Its zero value does not starve.
type Starving struct {
	Turns  int
	Broken *Broken
}

// Next counts a turn in which the workload starved. In the third the promise is broken. What is found then stays
// until the workload starves no more.
func (s Starving) Next(found func() *Broken) Starving {
	if s.Turns++; s.Turns >= turnsToBreak && s.Broken == nil {
		s.Broken = found()
	}
	return s
}

// Ends reports whether another turn in which the workload starves breaks the promise.
func (s Starving) Ends() bool { return s.Turns == turnsToBreak-1 }

// Holding is what was seen of one resource of a workload in a turn.
type Holding struct {
	Workload string
	Reserved int64 // that is in force: 0 for none
	Got      int64
	Hungry   bool // it waits for more of it
	Stale    bool // it was not measured in this turn, which counts for nothing
}

// Watch has the workloads that starve of a resource, by name.
type Watch map[string]Starving

// Next judges a turn: a workload that is hungry and below its reservation for three turns in a row is promised
// more than it gets, and who has more than is reserved for them took it. Where nobody does, the resource is
// slow, and no promise is broken. rest returns what those have who are not among the holdings; it is
// asked only when a promise may be broken.
func (w Watch) Next(promise string, seen []Holding, rest func() []Took) (next Watch, broken []Broken) {
	for i := range seen {
		h := &seen[i]
		if !h.Stale && (!h.Hungry || !below(h.Got, h.Reserved)) {
			continue
		}
		s := w[h.Workload]
		if !h.Stale {
			s = s.Next(func() *Broken { return h.brokenBy(promise, seen, rest()) })
		}
		if s.Turns == 0 {
			continue
		}
		if next == nil {
			next = Watch{}
		}
		if next[h.Workload] = s; s.Broken != nil {
			broken = append(broken, *s.Broken)
		}
	}
	return next, broken
}

// brokenBy returns the promise that is broken by who has more than is reserved for them, nil if nobody has.
func (h *Holding) brokenBy(promise string, seen []Holding, rest []Took) *Broken {
	by := slices.Clone(rest)
	for i := range seen {
		by = append(by, Took{seen[i].Workload, seen[i].Got - seen[i].Reserved})
	}
	if by = Takers(by, h.Reserved/20); len(by) == 0 {
		return nil
	}
	return &Broken{Workload: h.Workload, Promise: promise, Reserved: h.Reserved, Got: h.Got, By: by}
}

// Takers returns those who took most, of who took more than the least that counts.
func Takers(all []Took, least int64) []Took {
	all = slices.DeleteFunc(all, func(t Took) bool { return t.Amount <= least })
	slices.SortFunc(all, func(a, b Took) int { return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Who, b.Who)) })
	return all[:min(len(all), mostTakers)]
}

// HoldingOfMemory is what was seen of the memory of a workload. One that did not run asks for nothing, and where the kernel
// does not tell who waits nobody is hungry.
func (s *Standing) HoldingOfMemory() Holding {
	h := Holding{Workload: s.Workload, Reserved: s.Effective.Memory}
	if s.Used != nil {
		h.Got = s.Used.Memory
		h.Hungry = s.Pressure != nil && s.Used.CPU > 0 && s.Pressure.Memory >= waitsEnough
	}
	return h
}

// HoldingOfDisks is what was seen of what a workload does with disks. It is hungry if it waits for a fifth of the time, and would do
// what is reserved for it if it never waited: who would not asks for less.
func (s *Standing) HoldingOfDisks(use DiskUse) Holding {
	h := Holding{Workload: s.Workload, Reserved: s.Effective.Disk, Got: use.Bytes}
	ran := 10_000 - use.Waited // of the time, in hundredths of a percent
	h.Hungry = use.Waited > waitsLong && (ran <= 0 || wide(use.Bytes, 10_000).floor(ran) >= h.Reserved)
	return h
}

// Sent is what a class of an uplink has sent so far, and what waits in it.
type Sent struct {
	Bytes   int64
	Dropped int64 // packets
	Waiting int64 // packets, now
}

// Holdings returns what was seen of the classes of an uplink between two looks, with so many microseconds between. The workload with a
// class of its own is hungry if packets waited in it at both looks, or were dropped. Others have a share, which is no reservation.
func (u *Uplink) Holdings(plan Plan, before, after map[uint16]Sent, passed int64) (seen []Holding) {
	own := map[string]string{} // groups of the workloads with a reservation
	for i := range plan.Workloads {
		if w := &plan.Workloads[i]; w.bits() > 0 {
			own[w.Name] = w.Cgroup
		}
	}
	for i := range u.Classes {
		c := &u.Classes[i]
		was, knew := before[c.Minor]
		is, knows := after[c.Minor]
		if !knew || !knows || is.Bytes < was.Bytes || is.Dropped < was.Dropped || passed <= 0 {
			continue // another class by the same number
		}
		h := Holding{Workload: c.Name, Reserved: c.Rate, Got: wide(is.Bytes-was.Bytes, 8_000_000).floor(passed)}
		if group, reserves := own[c.Name]; reserves && slices.Equal(c.Cgroups, []string{group}) {
			h.Hungry = was.Waiting > 0 && is.Waiting > 0 || is.Dropped > was.Dropped
		}
		seen = append(seen, h)
	}
	return seen
}

// Resource returns the resource that is reserved.
func (b *Broken) Resource() string {
	resource, _, _ := strings.Cut(b.Promise, ".")
	return resource
}

// Format writes an amount of what was promised, which is measured no finer than [Broken.whole] says.
func (b *Broken) Format(n int64) string {
	switch n = b.whole(n); b.Promise {
	case ReservedDisk:
		return model.FormatAmount("memory", n) + "/s"
	case ReservedNetwork:
		return model.FormatBitrate(n)
	}
	return model.FormatAmount(b.Resource(), n)
}

// whole rounds an amount down to mebibytes of memory, kibibytes of disks and thousands of bits.
func (b *Broken) whole(n int64) int64 {
	switch b.Promise {
	case ReservedMemory:
		return n >> 20 << 20
	case ReservedDisk:
		return n >> 10 << 10
	case ReservedNetwork:
		return n / 1000 * 1000
	}
	return n
}
