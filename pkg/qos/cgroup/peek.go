//go:build linux

package cgroup

import (
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// mostPeeked bounds the files that stay open. What is beyond it is opened each time.
const mostPeeked = 2048

// mayOpen is how many files may stay open of so many: a quarter of what this process may have.
func mayOpen(most uint64) int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur/4, most))
}

// peeked is an open file of a knob that was in force, and the group that it is of.
type peeked struct {
	fd int
	id identity
}

// inForce reports whether a setting is in force as it was in the pass before: the group is the
// same, its file says so, and so does the journal. It asks as little as possible, because that
// is what nearly all passes find. Where it cannot tell it says no.
func (c *comparison) inForce(s qos.Setting, info qos.Knob) bool {
	key := knob{s.Cgroup, s.File}
	p, open := c.tree.peeked[key]
	if !open || s.Floor || s.Hold != "" || info.Root {
		return false
	}
	var buf [most]byte
	n, err := unix.Pread(p.fd, buf[:], 0)
	if err != nil || c.identityOf(s.Cgroup, info.Controller) != p.id { // the group is gone, or another one has its name
		_ = unix.Close(p.fd)
		delete(c.tree.peeked, key)
		return false
	}
	e, known := c.journal.entries[key]
	if qos.Normal(s.File, string(buf[:n])) != s.Value {
		return false
	}
	return !known || e.identity() == p.id && e.Set == s.Value && e.Next == "" && e.Follows == (s.Follows != "") && e.Rest == s.Rest
}

// identityOf returns which group has a path now, asked once in a pass. It opens nothing.
func (c *comparison) identityOf(group, controller string) identity {
	key := knob{group, controller}
	if id, asked := c.identities[key]; asked {
		return id
	}
	var st unix.Stat_t
	var id identity
	if h := c.tree.hierarchies[controller]; h.dir != nil && unix.Fstatat(int(h.dir.Fd()), group, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
		id = identity{st.Dev, st.Ino}
	}
	c.identities[key] = id
	return id
}

// peek keeps the file of a knob open that is in force.
func (t *Tree) peek(key knob, g groupDir) {
	if _, open := t.peeked[key]; open || len(t.peeked) >= t.mayPeek || t.own[g.id] {
		return
	}
	if fd, err := openFd(g.dir, key.file, unix.O_RDONLY); err == nil {
		t.peeked[key] = peeked{fd, g.id}
	}
}

// forget closes the files of knobs that nobody wants.
func (t *Tree) forget(wanted map[knob]bool) {
	for key, p := range t.peeked {
		if !wanted[key] {
			_ = unix.Close(p.fd)
			delete(t.peeked, key)
		}
	}
}
