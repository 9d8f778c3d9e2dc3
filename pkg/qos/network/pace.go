//go:build linux

package network

import (
	"fmt"

	"github.com/cilium/ebpf/asm"
	"github.com/vishvananda/netlink"

	"github.com/d-aros/d-aros/pkg/qos"
)

const (
	departures = "fq" // lets packets leave at their time
	several    = "mq" // has a discipline for each queue of the card
)

// horizon is how far ahead a packet may be told to leave. What would have to wait for longer is dropped, as by a full queue.
const horizon = 2_000_000_000 // nanoseconds

// kindFor returns the discipline at the root of an interface that shapes an uplink.
func kindFor(link netlink.Link, u *qos.Uplink) string {
	switch {
	case !u.Paces:
		return "htb"
	case link.Attrs().NumTxQueues > 1:
		return several
	}
	return departures
}

// wantQueues wants packets to wait for their time in each queue of a card that has several, so that no lock is common to
// all processors.
func (w *work) wantQueues(link netlink.Link, root discipline) error {
	n := link.Attrs().NumTxQueues
	if n <= 1 {
		return nil
	}
	have := map[uint32]bool{}
	if root.ours() && root.kind == several {
		all, err := w.net.QdiscList(link)
		if err != nil {
			return fmt.Errorf("list queueing disciplines: %w", err)
		}
		for _, q := range all {
			if parent := q.Attrs().Parent; parent>>16 == Major && q.Type() == departures {
				have[parent&0xffff] = true
			}
		}
	}
	w.want(change{device: link.Attrs().Name, part: "queues", from: fmt.Sprintf("%d %s", len(have), departures), to: fmt.Sprintf("%d %s", n, departures), ability: true, make: func() error {
		for i := range n {
			if minor := uint16(i + 1); !have[uint32(minor)] {
				at := netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Parent: netlink.MakeHandle(Major, minor)}
				if err := w.net.QdiscReplace(&netlink.GenericQdisc{QdiscAttrs: at, QdiscType: departures}); err != nil {
					return fmt.Errorf("set the discipline of queue %d: %w", minor, err)
				}
			}
		}
		return nil
	}})
	return nil
}

// pace is the value of a class in the map of the program.
type pace struct {
	Rate uint64 // bytes in a second
	Next uint64 // nanoseconds of the monotonic clock, from which on the next packet may leave
}

// wantPaces wants the rates at which packets of classes leave.
func (w *work) wantPaces(u *qos.Uplink) {
	if !u.Paces {
		return
	}
	rates := map[uint32]uint64{}
	for i := range u.Classes {
		rates[uint32(u.Classes[i].Minor)] = uint64(max(1, u.Classes[i].Ceil/8))
	}
	w.want(change{device: u.Device, part: "paces", from: paced(w.marker.rates), to: paced(rates), make: func() error {
		return bring(w.marker.paces, w.marker.rates, rates, func(rate uint64) any { return pace{Rate: rate} }, "tell how fast a class sends", "forget how fast a class sends")
	}})
}

// paced says which class has which rate.
func paced(rates map[uint32]uint64) string {
	return listed(rates, func(minor uint32, rate uint64) string { return fmt.Sprintf("%x:%d", minor, rate*8) })
}

// depart says when the packet in R6 leaves, of the class in R7: when those of its class before it have left at its rate, which
// several processors count together. A class that has been quiet begins anew.
func depart(paces int) asm.Instructions {
	add := asm.Instruction{OpCode: asm.StoreXAddOp(asm.DWord), Dst: asm.R7, Src: asm.R2, Offset: 8}
	fetchAdd := add
	fetchAdd.Constant = 1 // BPF_FETCH: R2 then has what was there
	return asm.Instructions{
		asm.StoreMem(asm.RFP, -8, asm.R7, asm.Word),
		asm.LoadMapPtr(asm.R1, paces), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, -8), asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, "end"),
		asm.Mov.Reg(asm.R7, asm.R0),
		asm.FnKtimeGetNs.Call(),
		asm.Mov.Reg(asm.R8, asm.R0), // now
		asm.LoadMem(asm.R2, asm.R6, skbLength, asm.Word),
		asm.LoadImm(asm.R3, 1_000_000_000, asm.DWord), asm.Mul.Reg(asm.R2, asm.R3),
		asm.LoadMem(asm.R3, asm.R7, 0, asm.DWord),
		asm.JEq.Imm(asm.R3, 0, "end"),
		asm.Div.Reg(asm.R2, asm.R3),
		asm.Mov.Reg(asm.R9, asm.R2), // how long it takes
		fetchAdd,
		asm.JGT.Reg(asm.R2, asm.R8, "waits"),
		asm.Add.Reg(asm.R8, asm.R9),
		asm.StoreMem(asm.R7, 8, asm.R8, asm.DWord),
		asm.Ja.Label("end"),
		asm.Mov.Reg(asm.R3, asm.R2).WithSymbol("waits"),
		asm.Sub.Reg(asm.R3, asm.R8),
		asm.LoadImm(asm.R4, horizon, asm.DWord),
		asm.JGT.Reg(asm.R3, asm.R4, "late"),
		asm.StoreMem(asm.R6, skbLeaves, asm.R2, asm.DWord),
		asm.Ja.Label("end"),
		asm.Mov.Imm(asm.R2, 0).WithSymbol("late"), // it takes nothing
		asm.Sub.Reg(asm.R2, asm.R9),
		add,
		asm.Mov.Imm(asm.R0, 2), // TC_ACT_SHOT
		asm.Return(),
	}
}
