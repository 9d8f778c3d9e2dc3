//go:build linux

package cgroup

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/d-aros/d-aros/pkg/qos"
)

// comparison compares the wanted settings with the kernel: it has the changes that
// make them equal, and an outcome for each setting that needs no change.
type comparison struct {
	tree     *Tree
	journal  *Journal
	groups   map[knob]groupDir // by cgroup and controller
	changes  []qos.Change
	pending  map[knob]pending
	outcomes []Outcome
	unwanted bool // a knob in the journal that is not wanted has not got its way back

	identities map[knob]identity // of groups, by cgroup and controller
}

type groupDir struct {
	dir *os.File
	id  identity
}

type pending struct {
	groupDir
	drift, restore bool
}

func (t *Tree) compareNone(j *Journal) *comparison {
	return &comparison{tree: t, journal: j, groups: map[knob]groupDir{}, pending: map[knob]pending{}, identities: map[knob]identity{}}
}

func (t *Tree) compare(settings []qos.Setting, j *Journal) *comparison {
	c := t.compareNone(j)
	c.outcomes = make([]Outcome, 0, len(settings))
	wanted := make(map[knob]bool, len(settings))
	for _, s := range settings {
		wanted[knob{s.Cgroup, s.File}] = true
		c.want(s)
	}
	for key, e := range j.entries {
		if !wanted[key] {
			c.giveBack(key, e)
			_, stays := j.entries[key]
			c.unwanted = c.unwanted || stays
		}
	}
	t.forget(wanted)
	return c
}

// want compares one setting.
func (c *comparison) want(s qos.Setting) {
	key := knob{s.Cgroup, s.File}
	info, known := qos.LookupKnob(s.File)
	if !known {
		c.note(s, Refused, "", "not a knob")
		return
	}
	if c.inForce(s, info) {
		c.note(s, InForce, "", "")
		return
	}
	g, err := c.open(info, s.Cgroup)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.note(s, Waiting, "", "")
		return
	case err != nil:
		c.note(s, Refused, "", explain(err))
		return
	case c.tree.own[g.id] && !s.Floor:
		c.note(s, Refused, "", "the agent itself runs in this group")
		return
	}
	raw, err := readFile(g.dir, s.File)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.Value == info.Default:
		c.note(s, InForce, "", "")
		return
	case errors.Is(err, fs.ErrNotExist):
		c.note(s, Missing, "", c.tree.missing(info, s.Cgroup))
		return
	case err != nil:
		c.note(s, Refused, "", explain(err))
		return
	}
	current := qos.Normal(s.File, raw)
	if info.Root {
		s.Value = qos.Beside(s.File, s.Value, current)
	}
	if s.Hold != "" && current != s.Value {
		c.note(s, Held, current, s.Hold)
		return
	}
	e, known := c.journal.entries[key]
	if known && e.identity() != g.id { // another group by the same name: nothing of it is ours
		c.journal.drop(key)
		e, known = entry{}, false
	}
	// Others have given it another value since, such as a kubelet to a pod that is resized: that is the one to give back. Of lines
	// for devices it could be half of what is ours, after a crash between two of them.
	if known && !info.PerDevice() && !e.ours(current) && e.Original != current {
		e.Original = current
		c.journal.put(key, e)
	}
	if s.Floor {
		before := current
		if known {
			before = e.Original
		}
		if qos.Size(s.File, before) > qos.Size(s.File, s.Value) {
			s.Value = before
		}
	}
	if current != s.Value {
		c.pending[key] = pending{groupDir: g, drift: known && e.Set == s.Value}
		c.changes = append(c.changes, qos.Change{Setting: s, From: current})
		return
	}
	now := e
	now.Set, now.Next, now.Follows, now.Rest = current, "", s.Follows != "", s.Rest
	if known && now != e {
		c.journal.put(key, now)
	}
	c.tree.peek(key, g)
	c.note(s, InForce, "", "")
}

// missing says why a group that exists has no such file, and what to do.
func (t *Tree) missing(info qos.Knob, group string) string {
	h := t.hierarchies[info.Controller]
	if h.version != qos.V2 {
		return "this kernel does not have it"
	}
	above := path.Join(h.dir.Name(), path.Dir(group))
	return "this kernel does not have it, or the controller does not reach the group: write +" + info.Controller + " to " + above + "/cgroup.subtree_control"
}

// giveBack plans the way back of a knob that is no longer wanted.
func (c *comparison) giveBack(key knob, e entry) {
	s := qos.Setting{Cgroup: key.cgroup, File: key.file, Value: e.Original}
	info, known := qos.LookupKnob(key.file)
	if !known || !mayHave(info, key.cgroup) {
		c.journal.drop(key)
		return
	}
	g, err := c.open(info, key.cgroup)
	if err != nil || g.id != e.identity() {
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			c.journal.drop(key) // the group is gone, and its values with it
		}
		return
	}
	raw, err := readFile(g.dir, key.file)
	current := qos.Normal(key.file, raw)
	switch {
	case err != nil:
		c.note(s, Refused, "", explain(err))
	case current == e.Original:
		c.journal.drop(key)
	case !e.ours(current):
		c.journal.drop(key)
		c.note(s, Released, current, "")
	default:
		c.pending[key] = pending{groupDir: g, restore: true}
		c.changes = append(c.changes, qos.Change{Setting: s, From: current})
	}
}

// mayHave reports whether a group may have a knob: the root only those that no other group has.
func mayHave(info qos.Knob, group string) bool {
	if info.Root {
		return group == ""
	}
	return group != "." && fs.ValidPath(group)
}

// open returns the directory of a group in the hierarchy of the knob.
func (c *comparison) open(info qos.Knob, group string) (g groupDir, err error) {
	if info.Version != qos.Absent && c.tree.hierarchies[info.Controller].version != info.Version {
		return g, errors.New("the " + info.Controller + " controller is not in cgroup " + info.Version.String())
	}
	if !mayHave(info, group) {
		return g, errors.New("not a path below the cgroup root")
	}
	key := knob{group, info.Controller}
	if g, ok := c.groups[key]; ok {
		return g, nil
	}
	if g.dir, err = c.tree.group(info.Controller, group); err != nil {
		return g, err
	}
	if g.id, err = identify(g.dir); err != nil {
		_ = g.dir.Close()
		return g, err
	}
	c.groups[key] = g
	return g, nil
}

func (c *comparison) note(s qos.Setting, state State, from, reason string) {
	c.outcomes = append(c.outcomes, Outcome{Setting: s, State: state, From: from, Reason: reason, Drift: c.pending[knob{s.Cgroup, s.File}].drift})
}

func (c *comparison) sorted() []Outcome {
	slices.SortFunc(c.outcomes, func(a, b Outcome) int {
		return cmp.Or(cmp.Compare(a.Cgroup, b.Cgroup), cmp.Compare(a.File, b.File))
	})
	return c.outcomes
}

func (c *comparison) close() {
	for _, g := range c.groups {
		_ = g.dir.Close()
	}
}
