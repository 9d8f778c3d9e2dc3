//go:build linux

package network

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// Major is the number of the agent's discipline, and so the upper half of the names of all its
// classes.
const Major = 0xda05

const (
	rootHandle    = Major << 16
	programHandle = Major
	programName   = "d-aros"
	allProtocols  = unix.ETH_P_ALL
)

// discipline is a queueing discipline as far as it matters whose it is.
type discipline struct {
	kind     string
	handle   uint32
	standard uint32 // of HTB: the class of what has none
}

// foreign reports whether somebody chose it: the kernel's own have no number.
func (d discipline) foreign() bool { return d.handle != 0 && !d.ours() }

func (d discipline) ours() bool {
	return d.handle == rootHandle && (d.kind == "htb" || d.kind == departures || d.kind == several)
}

// rootOf returns the discipline at the root of an interface, zero for none.
func (s *Shaper) rootOf(link netlink.Link) (root discipline, err error) {
	all, err := s.net.QdiscList(link)
	if err != nil {
		return root, fmt.Errorf("list queueing disciplines: %w", err)
	}
	for _, q := range all {
		if q.Attrs().Parent == netlink.HANDLE_ROOT {
			root = discipline{kind: q.Type(), handle: q.Attrs().Handle}
			if htb, ok := q.(*netlink.Htb); ok {
				root.standard = htb.Defcls
			}
		}
	}
	return root, nil
}

// hasPlace reports whether programs can hang on an interface.
func (s *Shaper) hasPlace(link netlink.Link) (bool, error) {
	all, err := s.net.QdiscList(link)
	if err != nil {
		return false, fmt.Errorf("list queueing disciplines: %w", err)
	}
	return slices.ContainsFunc(all, func(q netlink.Qdisc) bool { return q.Attrs().Parent == netlink.HANDLE_CLSACT }), nil
}

func placeOn(link netlink.Link) netlink.Qdisc {
	return &netlink.Clsact{QdiscAttrs: netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Parent: netlink.HANDLE_CLSACT, Handle: netlink.HANDLE_CLSACT & 0xffff0000}}
}

// wanted returns the classes of an uplink as the kernel has them, the one around all first.
func wantedClasses(link netlink.Link, u *qos.Uplink) []*netlink.HtbClass {
	class := func(parent, minor uint16, rate, ceil int64, priority int, quantum int64) *netlink.HtbClass {
		at := netlink.ClassAttrs{LinkIndex: link.Attrs().Index, Parent: netlink.MakeHandle(Major, parent), Handle: netlink.MakeHandle(Major, minor)}
		if parent == 0 {
			at.Parent = rootHandle
		}
		return netlink.NewHtbClass(at, netlink.HtbClassAttrs{
			Rate: uint64(rate), Ceil: uint64(ceil), Buffer: uint32(qos.Burst(rate)), Cbuffer: uint32(qos.Burst(ceil)), Quantum: uint32(quantum), Prio: uint32(priority),
		})
	}
	all := []*netlink.HtbClass{class(0, qos.WholeMinor, u.Rate, u.Rate, 0, 60_000)}
	for i := range u.Classes {
		c := &u.Classes[i]
		all = append(all, class(qos.WholeMinor, c.Minor, c.Rate, c.Ceil, c.Priority, c.Quantum()))
	}
	return all
}

// figures are those of a class by which it is compared: of a burst the kernel keeps the time.
func figures(c *netlink.HtbClass, queue string) string {
	return fmt.Sprintf("rate %d ceil %d prio %d quantum %d burst %d %d%s", c.Rate*8, c.Ceil*8, c.Prio, c.Quantum, c.Buffer, c.Cbuffer, queue)
}

// shortQueue is the discipline of classes where the kernel has it. Without it their queues are
// the kernel's own, which are as long as that of the interface.
const shortQueue = "fq_codel"

// queued is a class with its queue.
type queued struct {
	*netlink.HtbClass
	queue string // as figures have it
}

// classesOf returns the agent's classes of an interface by their handles.
func (s *Shaper) classesOf(link netlink.Link) (map[uint32]queued, error) {
	all, err := s.net.ClassList(link, 0)
	if err != nil {
		return nil, fmt.Errorf("list classes: %w", err)
	}
	queues, err := s.net.QdiscList(link)
	if err != nil {
		return nil, fmt.Errorf("list queueing disciplines: %w", err)
	}
	classes := map[uint32]queued{}
	for _, c := range all {
		htb, ok := c.(*netlink.HtbClass)
		if !ok || htb.Handle>>16 != Major {
			continue
		}
		q := queued{HtbClass: htb}
		for _, leaf := range queues {
			if leaf.Attrs().Parent == htb.Handle {
				q.queue = " " + leaf.Type()
			}
		}
		classes[htb.Handle] = q
	}
	return classes, nil
}

// sentBy returns what the kernel counts of classes. It says so with their figures.
func sentBy(classes map[uint32]queued) map[uint16]qos.Sent {
	all := map[uint16]qos.Sent{}
	for handle, c := range classes {
		if n := c.Statistics; n != nil && n.Basic != nil && n.Queue != nil {
			all[uint16(handle)] = qos.Sent{Bytes: int64(n.Basic.Bytes), Dropped: int64(n.Queue.Drops), Waiting: int64(n.Queue.Qlen)}
		}
	}
	return all
}

// programOn returns the number of the agent's program on an interface, 0 for none.
func (s *Shaper) programOn(link netlink.Link, direction uint32) (id int, others bool, err error) {
	all, err := s.net.FilterList(link, direction)
	if err != nil && !errors.Is(err, unix.EINVAL) { // there is no place for programs
		return 0, false, fmt.Errorf("list programs: %w", err)
	}
	for _, f := range all {
		bpf, ok := f.(*netlink.BpfFilter)
		switch {
		case ok && bpf.Handle == programHandle && bpf.Name == programName:
			id = bpf.Id
		case f.Attrs().Handle != 0: // one of a kind, not the kind itself
			others = true
		}
	}
	return id, others, nil
}

func programAt(link netlink.Link, direction uint32, fd int) *netlink.BpfFilter {
	return &netlink.BpfFilter{
		FilterAttrs: netlink.FilterAttrs{LinkIndex: link.Attrs().Index, Parent: direction, Handle: programHandle, Protocol: allProtocols, Priority: 1},
		Fd:          fd, Name: programName, DirectAction: true,
	}
}
