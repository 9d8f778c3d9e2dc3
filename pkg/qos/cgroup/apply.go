//go:build linux

package cgroup

import (
	"cmp"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// State is the state of one setting.
type State string

// The states.
const (
	InForce  State = "in-force" // the kernel has the value of the plan
	Written  State = "written"  // the value was written in this pass
	Planned  State = "planned"  // the value would be written without dry run
	Restored State = "restored" // not in the plan any more: the original value was restored
	Released State = "released" // not in the plan any more, and changed by others since: left alone
	Waiting  State = "waiting"  // the group does not exist
	Missing  State = "missing"  // the group exists, the knob does not
	Refused  State = "refused"  // the kernel did not take the value
	Held     State = "held"     // left to others: the plan says so, or they change it back again and again
)

// Outcome is a setting with its state.
type Outcome struct {
	qos.Setting
	State  State  `json:"state"`
	From   string `json:"from,omitempty"`   // value before
	Reason string `json:"reason,omitempty"` // for missing, refused and held
	Drift  bool   `json:"drift,omitempty"`  // others had changed the value that the agent wrote
}

// Apply writes the settings and restores every knob in the journal that is not
// among them; without settings it restores all. With dry it writes nothing and
// returns what it would do. While a pass after the other finds nothing to do, each looks at 128 groups,
// and at all of them as soon as one differs. Callers leave what it returns as it is. If one knob fails, the others are still written. It returns an error when the journal cannot be saved: a value
// whose original is not on disk is never overwritten.
func (t *Tree) Apply(settings []qos.Setting, j *Journal, dry bool) ([]Outcome, error) {
	if outcomes, calm := t.stillCalm(settings, j); calm {
		return outcomes, nil
	}
	c := t.compare(settings, j)
	defer c.close()
	if dry {
		qos.Order(c.changes)
		for _, change := range c.changes {
			c.note(change.Setting, Planned, change.From, "")
		}
		return c.sorted(), nil
	}
	outcomes, err := c.makeChanges()
	if err == nil {
		t.remember(settings, c)
	}
	return outcomes, err
}

// Rest gives every knob in the journal that follows the load the value for when nobody does,
// and leaves the others alone.
func (t *Tree) Rest(j *Journal) ([]Outcome, error) {
	t.calm.last = nil
	c := t.compareNone(j)
	defer c.close()
	for key, e := range j.entries {
		switch {
		case !e.Follows:
		case e.Rest == "":
			c.giveBack(key, e)
		default:
			c.want(qos.Setting{Cgroup: e.Cgroup, File: e.File, Value: e.Rest})
		}
	}
	return c.makeChanges()
}

// makeChanges records the changes in the journal, and makes them.
func (c *comparison) makeChanges() ([]Outcome, error) {
	qos.Order(c.changes)
	if len(c.changes) > 0 {
		c.announce()
	}
	if err := c.journal.store(); err != nil {
		return nil, err
	}
	c.write()
	return c.sorted(), c.journal.store()
}

// announce records in the journal the changes that follow, with the original values.
func (c *comparison) announce() {
	for _, change := range c.changes {
		key := knob{change.Cgroup, change.File}
		e, known := c.journal.entries[key]
		if !known {
			id := c.pending[key].id
			e = entry{Cgroup: change.Cgroup, File: change.File, Device: id.device, Inode: id.inode, Original: change.From}
		}
		e.Next, e.Follows, e.Rest = change.Value, change.Follows != "", change.Rest
		c.journal.put(key, e)
	}
}

// write makes the changes in order. Changes that the kernel refuses are tried once
// more at the end, when the conflicting values may have changed.
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

// writeOne writes a value and returns the value that the knob has afterwards.
func (c *comparison) writeOne(change qos.Change) (now string, err error) {
	dir := c.pending[knob{change.Cgroup, change.File}].dir
	for _, text := range qos.Writes(change.File, change.From, change.Value) {
		if text == "" { // an original value, which takes a write
			text = "\n"
		}
		err = cmp.Or(err, writeFile(dir, change.File, text))
	}
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
	e, p := c.journal.entries[key], c.pending[key]
	e.Next = ""
	switch {
	case err == nil && p.restore:
		c.journal.drop(key)
		c.note(change.Setting, Restored, change.From, "")
	case err == nil:
		e.Set = now
		c.journal.put(key, e)
		c.note(change.Setting, Written, change.From, "")
	default:
		if now != change.From {
			e.Set = now
		}
		if e.Set == "" {
			c.journal.drop(key)
		} else {
			c.journal.put(key, e)
		}
		c.note(change.Setting, Refused, change.From, explain(err))
	}
}

// explain adds the cause to errors of the kernel that do not name it.
func explain(err error) string {
	switch {
	case errors.Is(err, unix.EBUSY):
		return err.Error() + ": more is in use and cannot be reclaimed now"
	case errors.Is(err, unix.ENODEV):
		return err.Error() + ": it bounds whole disks only"
	case errors.Is(err, unix.EINVAL):
		return err.Error() + ": not allowed beside the values of this group or its parent"
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EXDEV):
		return err.Error() + ": the path leaves the cgroup tree"
	}
	return err.Error()
}
