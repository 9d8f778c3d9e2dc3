//go:build linux

package network

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// wantMarker wants the numbers of classes by groups, and the programs on the interfaces.
func (w *work) wantMarker(link netlink.Link, u *qos.Uplink, groups map[string]uint64) error {
	if w.marker == nil {
		m, err := newMarker(w.cfg)
		if err != nil {
			return err
		}
		w.marker = m
	}
	members := membersOf(u, groups)
	w.want(change{device: u.Device, part: "groups", from: told(w.marker.members), to: told(members), make: func() error {
		return bring(w.marker.classes, w.marker.members, members, func(minor uint32) any { return minor }, "tell whose traffic it is", "tell whose traffic it is")
	}})
	w.wantPaces(u)
	if err := w.wantProgram(link, netlink.HANDLE_MIN_EGRESS, w.marker.out); err != nil {
		return err
	}
	return w.wantPods(u)
}

// told says which groups have which class.
func told(members map[uint64]uint32) string {
	return listed(members, func(id uint64, minor uint32) string { return fmt.Sprintf("%d:%x", id, minor) })
}

// listed writes what a map has, so that equal ones are equal texts.
func listed[K cmp.Ordered, V any](of map[K]V, write func(K, V) string) string {
	all := make([]string, 0, len(of))
	for _, key := range slices.Sorted(maps.Keys(of)) {
		all = append(all, write(key, of[key]))
	}
	return strings.Join(all, " ")
}

// wantProgram wants a program on an interface. One of an earlier process is replaced in one
// step: it stays in force until then.
func (w *work) wantProgram(link netlink.Link, direction uint32, p program) error {
	id, _, err := w.programOn(link, direction)
	if err != nil {
		return err
	}
	w.want(change{device: link.Attrs().Name, part: "program", from: numbered(id), to: numbered(p.id), ability: true, make: func() error { return w.setProgram(link, direction, p) }})
	return nil
}

func (w *work) setProgram(link netlink.Link, direction uint32, p program) error {
	if err := w.net.QdiscAdd(placeOn(link)); err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("make a place for the program on %s: %w", link.Attrs().Name, err)
	}
	return said("set the program on "+link.Attrs().Name, w.net.FilterReplace(programAt(link, direction, p.FD())))
}

func numbered(id int) string {
	if id == 0 {
		return ""
	}
	return strconv.Itoa(id)
}

// rounds is how many applications pass before the programs of all pods are looked at: those
// of new ones are set at once, and nobody else takes one away.
const rounds = 30

// wantPods wants the program on the interfaces of pods, which are one part together.
func (w *work) wantPods(u *qos.Uplink) error {
	if len(w.cfg.Pods) == 0 {
		return nil
	}
	all, names := w.turns%rounds == 0, interfaces()
	w.turns++
	var missing []netlink.Link
	if all || names == "" || names != w.names {
		links, err := w.net.LinkList()
		if err != nil {
			return fmt.Errorf("list network interfaces: %w", err)
		}
		known := w.pods
		w.pods, w.names = map[int]bool{}, names
		for _, link := range links {
			name, index := link.Attrs().Name, link.Attrs().Index
			if name == u.Device || !slices.ContainsFunc(w.cfg.Pods, func(p string) bool { return strings.HasPrefix(name, p) }) {
				continue
			}
			if all || !known[index] {
				id, _, err := w.programOn(link, netlink.HANDLE_MIN_INGRESS)
				if err != nil {
					return err
				}
				if id != w.marker.in.id {
					missing = append(missing, link)
					continue
				}
			}
			w.pods[index] = true
		}
	}
	have := len(w.pods)
	w.want(change{device: u.Device, part: "interfaces of pods", from: strconv.Itoa(have), to: strconv.Itoa(have + len(missing)), grows: true, make: func() error {
		w.names = "" // those are looked at again
		var errs []error
		for _, link := range missing {
			err := w.setProgram(link, netlink.HANDLE_MIN_INGRESS, w.marker.in)
			if _, gone := w.net.LinkByIndex(link.Attrs().Index); err != nil && gone == nil { // else the pod has ended meanwhile
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	}})
	return nil
}

// interfaces names those of the thread's namespace, "" if that is not known: listing them with
// all that there is about each takes ten times as long.
func interfaces() string {
	table, err := os.ReadFile("/proc/thread-self/net/dev")
	if err != nil {
		return ""
	}
	var names strings.Builder
	for line := range strings.Lines(string(table)) {
		if name, _, ok := strings.Cut(line, ":"); ok {
			names.WriteString(name)
		}
	}
	return names.String()
}

// giveBack takes back what is set on the interface of the journal and on those of pods.
func (w *work) giveBack() error {
	if err := w.takePrograms(); err != nil {
		return err
	}
	j := w.journal
	link, err := w.net.LinkByIndex(j.Index)
	if err != nil || link.Attrs().Name != j.Device { // it is gone, and what was set with it
		return nil
	}
	root, err := w.rootOf(link)
	if err != nil || !root.ours() { // others have changed it since
		return err
	}
	w.changes = append(w.changes, change{device: j.Device, part: partDiscipline, from: root.kind + " " + netlink.HandleStr(rootHandle), to: j.Replaced, restores: true, make: func() error {
		at := netlink.QdiscAttrs{LinkIndex: j.Index, Handle: rootHandle, Parent: netlink.HANDLE_ROOT}
		err := said("take away the discipline", gone(w.net.QdiscDel(&netlink.GenericQdisc{QdiscAttrs: at, QdiscType: root.kind})))
		if err != nil || j.Replaced == "" {
			return err
		}
		at.Handle = 0
		return said("the kernel's own discipline is in place now, and not "+j.Replaced+", which was there: its options were not kept",
			w.net.QdiscReplace(&netlink.GenericQdisc{QdiscAttrs: at, QdiscType: j.Replaced}))
	}})
	return nil
}

// takePrograms takes the agent's programs from all interfaces, and their places where they
// serve nobody else.
func (w *work) takePrograms() error {
	links, err := w.net.LinkList()
	if err != nil {
		return fmt.Errorf("list network interfaces: %w", err)
	}
	for _, link := range links {
		if place, err := w.hasPlace(link); err != nil || !place {
			continue
		}
		uplink := link.Attrs().Index == w.journal.Index
		mine, others := 0, false
		for _, direction := range []uint32{netlink.HANDLE_MIN_EGRESS, netlink.HANDLE_MIN_INGRESS} {
			id, more, err := w.programOn(link, direction)
			if err != nil {
				return err
			}
			others = others || more
			if id == 0 {
				continue
			}
			mine++
			w.changes = append(w.changes, change{device: link.Attrs().Name, part: "program", from: numbered(id), restores: true, make: func() error {
				return said("take away the program", gone(w.net.FilterDel(programAt(link, direction, -1))))
			}})
		}
		if others || uplink && !w.journal.Clsact || !uplink && mine == 0 {
			continue
		}
		w.changes = append(w.changes, change{device: link.Attrs().Name, part: "place for programs", from: "clsact", restores: true, make: func() error {
			return said("take away the place for programs", gone(w.net.QdiscDel(placeOn(link))))
		}})
	}
	return nil
}
