//go:build linux

package cgroup

import (
	"cmp"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// State is what became of one setting.
type State string

// The states.
const (
	InForce  State = "in-force" // the kernel says what the plan wants
	Written  State = "written"  // it does now
	Planned  State = "planned"  // it would, were this not a dry run
	Restored State = "restored" // no longer wanted: original value put back
	Released State = "released" // no longer wanted, and somebody else changed it since: left alone
	Waiting  State = "waiting"  // the group does not exist
	Missing  State = "missing"  // the group exists, the knob does not
	Refused  State = "refused"  // the kernel did not take the value
)

// Outcome is a setting with what became of it.
type Outcome struct {
	qos.Setting
	State  State  `json:"state"`
	From   string `json:"from,omitempty"`   // value before
	Reason string `json:"reason,omitempty"` // for missing and refused
	Drift  bool   `json:"drift,omitempty"`  // somebody else had changed what the agent wrote
}

// Apply makes the settings true and gives back every knob in the journal that
// is not among them; without settings it releases everything. With dry it only
// says what it would do. One knob that fails does not keep the others from
// being written. It returns an error when the journal cannot be saved: a value
// whose original is not on disk is never overwritten.
func (t *Tree) Apply(settings []qos.Setting, j *Journal, dry bool) ([]Outcome, error) {
	c := t.compare(settings, j)
	defer c.close()
	qos.Order(c.changes)
	if dry {
		for _, change := range c.changes {
			c.note(change.Setting, Planned, change.From, "")
		}
		return c.sorted(), nil
	}
	if len(c.changes) > 0 {
		c.announce()
	}
	if err := c.store(); err != nil {
		return nil, err
	}
	c.write()
	return c.sorted(), c.store()
}

// announce notes in the journal what is about to be written, and over what.
func (c *comparison) announce() {
	for _, change := range c.changes {
		key := knob{change.Cgroup, change.File}
		e, known := c.entries[key]
		if !known {
			id := c.pending[key].id
			e = entry{Cgroup: change.Cgroup, File: change.File, Device: id.device, Inode: id.inode, Original: change.From}
		}
		e.Next = change.Value
		c.put(key, e)
	}
}

// write does the changes in order. What the kernel refuses is tried once more
// at the end, for then whatever stood in its way may be gone.
func (c *comparison) write() {
	var again []qos.Change
	for _, change := range c.changes {
		if now, err := c.writeOne(change); err != nil {
			again = append(again, change)
		} else {
			c.settle(change, now, nil)
		}
	}
	for _, change := range again {
		now, err := c.writeOne(change)
		c.settle(change, now, err)
	}
}

// writeOne writes and returns what the knob says afterwards.
func (c *comparison) writeOne(change qos.Change) (now string, err error) {
	dir := c.pending[knob{change.Cgroup, change.File}].dir
	err = writeFile(dir, change.File, change.Value)
	raw, readErr := readFile(dir, change.File)
	now = qos.Normal(change.File, raw)
	if err == nil && readErr == nil && now != change.Value {
		err = fmt.Errorf("the kernel made it %q", now)
	}
	return now, cmp.Or(err, readErr)
}

// settle records how a change ended.
func (c *comparison) settle(change qos.Change, now string, err error) {
	key := knob{change.Cgroup, change.File}
	e, p := c.entries[key], c.pending[key]
	e.Next = ""
	switch {
	case err == nil && p.restore:
		c.drop(key)
		c.note(change.Setting, Restored, change.From, "")
	case err == nil:
		e.Set = now
		c.put(key, e)
		c.note(change.Setting, Written, change.From, "")
	default:
		if now != change.From {
			e.Set = now
		}
		if e.Set == "" {
			c.drop(key)
		} else {
			c.put(key, e)
		}
		c.note(change.Setting, Refused, change.From, explain(err))
	}
}

// explain says what an error means where the kernel's word alone does not help.
func explain(err error) string {
	switch {
	case errors.Is(err, unix.EBUSY):
		return err.Error() + ": more is in use and cannot be reclaimed now"
	case errors.Is(err, unix.EINVAL):
		return err.Error() + ": not allowed beside the values of this group or its parent"
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EXDEV):
		return err.Error() + ": the path leaves the cgroup tree"
	}
	return err.Error()
}
