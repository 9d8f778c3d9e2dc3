//go:build linux

package network

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// Apply shapes an uplink, and takes back what was shaped before and is not any more; nil takes
// all back. groups has the ids of cgroups by their paths, of those that exist. With dry it
// changes nothing, and says what it would do. It returns an error when the kernel does not
// say what there is, or when the journal cannot be saved: then nothing was changed.
func (s *Shaper) Apply(u *qos.Uplink, groups map[string]uint64, hold Hold, dry bool) ([]Outcome, error) {
	w := &work{Shaper: s, hold: hold, wanted: map[string]bool{}}
	s.Sent = nil
	if u != nil && s.journal.Device != "" && u.Device != s.journal.Device {
		u = nil // one after the other: the journal has one
	}
	var err error
	switch {
	case u != nil:
		err = w.shape(u, groups, dry)
	case s.journal.Device != "":
		err = w.giveBack()
	}
	if err != nil {
		return nil, err
	}
	outcomes := w.make(dry)
	if u == nil && !dry && s.journal.Device != "" && !slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.State == Refused }) {
		return outcomes, s.journal.keep(journal{})
	}
	return outcomes, nil
}

// shape compares all parts of an uplink, in the order in which they are made: a class has
// traffic when it is there, and goes when it has none any more.
func (w *work) shape(u *qos.Uplink, groups map[string]uint64, dry bool) error {
	link, err := w.net.LinkByName(u.Device)
	if err != nil {
		return fmt.Errorf("shape %s: %w", u.Device, err)
	}
	root, err := w.rootOf(link)
	if err != nil {
		return err
	}
	if j := w.journal; !dry && (j.Device != u.Device || j.Index != link.Attrs().Index) {
		place, err := w.hasPlace(link)
		if err != nil {
			return err
		}
		next := journal{Device: u.Device, Index: link.Attrs().Index, Clsact: !place}
		if root.foreign() {
			next.Replaced = root.kind
		}
		if err := w.journal.keep(next); err != nil {
			return err
		}
	}
	w.wantRoot(link, root, u)
	if !root.ours() && w.hold(u.Device, partDiscipline) != "" {
		return nil // there is nothing to have classes
	}
	var stale []change
	if u.Paces {
		err = w.wantQueues(link, root)
	} else {
		stale, err = w.wantClasses(link, u)
	}
	if err != nil {
		return err
	}
	if err := w.wantMarker(link, u, groups); err != nil {
		return err
	}
	w.changes = append(w.changes, stale...)
	return nil
}

// partDiscipline is the part at the root of an interface.
const partDiscipline = "discipline"

// wantRoot wants the discipline at the root, in whose place the kernel puts its own when it goes.
func (w *work) wantRoot(link netlink.Link, root discipline, u *qos.Uplink) {
	kind := kindFor(link, u)
	from, to := root.kind, kind+" "+netlink.HandleStr(rootHandle)
	if root.handle != 0 {
		from += " " + netlink.HandleStr(root.handle)
	}
	if root.ours() && root.kind == "htb" && root.standard != qos.SystemMinor {
		from += fmt.Sprintf(" default %d", root.standard)
	}
	w.want(change{device: u.Device, part: partDiscipline, from: from, to: to, ability: true, make: func() error {
		at := netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: rootHandle, Parent: netlink.HANDLE_ROOT}
		var wanted netlink.Qdisc = &netlink.GenericQdisc{QdiscAttrs: at, QdiscType: kind}
		if kind == "htb" {
			htb := netlink.NewHtb(at)
			htb.Defcls = qos.SystemMinor
			wanted = htb
		}
		if root.ours() { // neither its kind nor its default can be changed
			if err := w.net.QdiscDel(&netlink.GenericQdisc{QdiscAttrs: at, QdiscType: root.kind}); err != nil {
				return fmt.Errorf("take away the discipline: %w", err)
			}
		}
		return said("set the discipline", w.net.QdiscReplace(wanted))
	}})
}

// wantClasses wants the classes: first those that get less, so that at no moment more is
// promised than there is. It returns the changes for those that have to go.
func (w *work) wantClasses(link netlink.Link, u *qos.Uplink) (stale []change, err error) {
	there, err := w.classesOf(link)
	if err != nil {
		return nil, err
	}
	w.Sent = sentBy(there)
	all := wantedClasses(link, u)
	names := map[uint32]string{all[0].Handle: whole}
	for i := range u.Classes {
		names[all[i+1].Handle] = u.Classes[i].Name
	}
	slices.SortStableFunc(all, func(a, b *netlink.HtbClass) int {
		less := func(c *netlink.HtbClass) int {
			if was := there[c.Handle]; was.HtbClass != nil && c.Rate < was.Rate {
				return 0
			}
			return 1
		}
		return less(a) - less(b)
	})
	for _, c := range all {
		from, queue := "", " "+shortQueue
		if w.plain || names[c.Handle] == whole {
			queue = ""
		}
		if was := there[c.Handle]; was.HtbClass != nil {
			from = figures(was.HtbClass, was.queue)
		}
		delete(there, c.Handle)
		w.want(change{device: u.Device, part: "class " + names[c.Handle] + " " + netlink.HandleStr(c.Handle), from: from, to: figures(c, queue), make: func() error {
			if err := w.net.ClassReplace(c); err != nil {
				return fmt.Errorf("set the class: %w", err)
			}
			if queue != "" {
				return w.shorten(c)
			}
			return nil
		}})
	}
	for handle, c := range there {
		stale = append(stale, change{device: u.Device, part: "class " + netlink.HandleStr(handle), from: figures(c.HtbClass, c.queue), restores: true, make: func() error {
			return said("take the class away", gone(w.net.ClassDel(c.HtbClass)))
		}})
	}
	slices.SortFunc(stale, func(a, b change) int { return strings.Compare(a.part, b.part) })
	return stale, nil
}

// whole names the class around all others.
const whole = "around all"

// shorten gives a class a short queue where the kernel has one.
func (w *work) shorten(c *netlink.HtbClass) error {
	at := netlink.QdiscAttrs{LinkIndex: c.LinkIndex, Parent: c.Handle}
	err := w.net.QdiscReplace(&netlink.GenericQdisc{QdiscAttrs: at, QdiscType: shortQueue})
	if errors.Is(err, unix.ENOENT) {
		w.plain, err = true, nil
	}
	return said("shorten the queue of the class", err)
}

// said adds what was tried to an error, nil for none.
func said(tried string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", tried, err)
}

// gone drops the error that there is none of what is to be taken away.
func gone(err error) error {
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}
