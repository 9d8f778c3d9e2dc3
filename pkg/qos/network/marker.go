//go:build linux

package network

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

const mostGroups = 8192 // more than a plan has

// Offsets in struct __sk_buff.
const (
	skbPriority = 32
	skbIndex    = 44  // tc_index: 16 bits that nobody changes on the way through the host
	skbLeaves   = 152 // when it is to leave, which fq goes by
	skbLength   = 160 // on the wire, also of what the card will cut into packets
)

// marker is the program that says whose packets they are, for each direction, and the numbers
// of classes by the ids of cgroups.
type marker struct {
	classes *ebpf.Map
	out     program // on the way out of the uplink: class of HTB
	in      program // on the way in from a pod: mark for that, none without pods
	members map[uint64]uint32
	paces   *ebpf.Map // rates and next times by the numbers of classes, nil where queues shape
	rates   map[uint32]uint64
}

// program is one that the kernel has, with its number there.
type program struct {
	*ebpf.Program
	id int
}

// refusedProgram says that the kernel does not take the program.
type refusedProgram struct{ err error }

func (e *refusedProgram) Error() string {
	return "this kernel does not take the program that tells whose traffic it is: " + e.err.Error()
}

func newMarker(cfg Config) (*marker, error) {
	pods := len(cfg.Pods) > 0
	m := &marker{members: map[uint64]uint32{}, rates: map[uint32]uint64{}}
	var err error
	m.classes, err = ebpf.NewMap(&ebpf.MapSpec{Name: "daros_classes", Type: ebpf.Hash, KeySize: 8, ValueSize: 4, MaxEntries: mostGroups})
	if err == nil && cfg.Pace {
		m.paces, err = ebpf.NewMap(&ebpf.MapSpec{Name: "daros_paces", Type: ebpf.Hash, KeySize: 4, ValueSize: 16, MaxEntries: mostGroups})
	}
	if err == nil {
		m.out, err = load("daros_out", leave(m.classes.FD(), pods, m.paces))
	}
	if err == nil && pods {
		m.in, err = load("daros_in", enter(m.classes.FD()))
	}
	if err != nil {
		m.close()
		if !errors.Is(err, unix.EPERM) {
			err = &refusedProgram{err}
		}
		return nil, err
	}
	return m, nil
}

func load(name string, all asm.Instructions) (p program, err error) {
	if p.Program, err = ebpf.NewProgram(&ebpf.ProgramSpec{Name: name, Type: ebpf.SchedCLS, Instructions: all, License: "Apache-2.0"}); err != nil {
		return p, err
	}
	info, err := p.Info()
	if err != nil {
		return p, err
	}
	id, _ := info.ID()
	p.id = int(id)
	return p, nil
}

func (m *marker) close() {
	if m == nil {
		return
	}
	_ = m.in.Close()
	_ = m.out.Close()
	_ = m.paces.Close()
	_ = m.classes.Close()
}

// find looks for the innermost group around the socket of a packet that has a class, and goes
// on at found with the number of the class in R1. R6 has the packet.
func find(classes int) (all asm.Instructions) {
	all = append(all, asm.Mov.Reg(asm.R6, asm.R1))
	for level := int32(qos.DeepestTold); level >= 1; level-- {
		next := fmt.Sprintf("above-%d", level)
		all = append(all,
			asm.Mov.Reg(asm.R1, asm.R6), asm.Mov.Imm(asm.R2, level), asm.FnSkbAncestorCgroupId.Call(),
			asm.JEq.Imm(asm.R0, 0, next),
			asm.StoreMem(asm.RFP, -8, asm.R0, asm.DWord),
			asm.LoadMapPtr(asm.R1, classes), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, -8), asm.FnMapLookupElem.Call(),
			asm.JEq.Imm(asm.R0, 0, next),
			asm.LoadMem(asm.R1, asm.R0, 0, asm.Word),
			asm.Ja.Label("found"),
			asm.Mov.Imm(asm.R1, 0).WithSymbol(next),
		)
	}
	return all
}

// leave gives a packet the class of its group. What a program says itself of the priority of
// its packets gets it into no class.
func leave(classes int, pods bool, paces *ebpf.Map) asm.Instructions {
	all := find(classes)
	if pods { // they have left their sockets behind
		all = append(all, asm.LoadMem(asm.R1, asm.R6, skbIndex, asm.Word))
	}
	all = append(all,
		asm.JNE.Imm(asm.R1, 0, "found"),
		asm.Mov.Imm(asm.R7, qos.SystemMinor),
		asm.LoadMem(asm.R2, asm.R6, skbPriority, asm.Word),
		asm.RSh.Imm(asm.R2, 16),
		asm.JNE.Imm(asm.R2, Major, "told"),
		asm.Mov.Imm(asm.R2, 0),
		asm.StoreMem(asm.R6, skbPriority, asm.R2, asm.Word),
		asm.Ja.Label("told"),
		asm.Mov.Reg(asm.R7, asm.R1).WithSymbol("found"),
		asm.LoadImm(asm.R2, Major<<16, asm.DWord),
		asm.Or.Reg(asm.R1, asm.R2),
		asm.StoreMem(asm.R6, skbPriority, asm.R1, asm.Word),
		asm.Mov.Imm(asm.R0, 0).WithSymbol("told"),
	)
	if paces != nil {
		all = append(all, depart(paces.FD())...)
	}
	return append(all,
		asm.Mov.Imm(asm.R0, -1).WithSymbol("end"), // TC_ACT_UNSPEC: programs of others go on
		asm.Return(),
	)
}

// enter marks a packet that comes from a pod, whose socket is still known there, with the
// class of its group, and takes the mark from all others.
func enter(classes int) asm.Instructions {
	return append(find(classes),
		asm.StoreMem(asm.R6, skbIndex, asm.R1, asm.Word).WithSymbol("found"),
		asm.Mov.Imm(asm.R0, -1),
		asm.Return(),
	)
}

// membersOf returns the class of each group that exists.
func membersOf(u *qos.Uplink, groups map[string]uint64) map[uint64]uint32 {
	members := map[uint64]uint32{}
	for i := range u.Classes {
		for _, path := range u.Classes[i].Cgroups {
			if id := groups[path]; id != 0 && len(members) < mostGroups {
				members[id] = uint32(u.Classes[i].Minor)
			}
		}
	}
	return members
}

// bring makes a map of the kernel have what is wanted, first what is new; have is what it has. Errors begin with what putting and dropping means.
func bring[K, V comparable](kernel *ebpf.Map, have, wanted map[K]V, value func(V) any, put, drop string) error {
	for key, v := range wanted {
		if have[key] != v {
			if err := kernel.Put(key, value(v)); err != nil {
				return fmt.Errorf("%s: %w", put, err)
			}
			have[key] = v
		}
	}
	for key := range have {
		if _, stays := wanted[key]; stays {
			continue
		}
		if err := kernel.Delete(key); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
			return fmt.Errorf("%s: %w", drop, err)
		}
		delete(have, key)
	}
	return nil
}
