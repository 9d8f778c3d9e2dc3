//go:build linux

package cgroup

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/qos"
)

const (
	mostLooked = 128 // groups at rest that are looked at in a pass: of more, each has its turn
	calmAfter  = 60  // passes for which all are looked at after others have changed something
)

// calmness is what lets a pass look at a part of the groups only.
type calmness struct {
	last   *quiet // nil: the last pass found something to do
	passes int    // for which all are looked at, whatever they find
}

// quiet is a pass that found nothing to do.
type quiet struct {
	settings []qos.Setting
	journal  *Journal
	outcomes []Outcome
	steady   [][]qos.Setting // those of each group that has all of them
	others   []qos.Setting   // of groups that wait, or lack a file: looked at in each pass
	was      map[knob]Outcome
	next     int // of steady, the one that has its turn
}

// LookAtAll makes the next pass look at all groups: a new one may have the name of one that was at rest.
func (t *Tree) LookAtAll() { t.calm.last = nil }

// remember keeps a pass that is over for the next one, if it found nothing to do. The settings must not change any more.
func (t *Tree) remember(settings []qos.Setting, c *comparison) {
	t.calm.last = nil
	if slices.ContainsFunc(c.outcomes, func(o Outcome) bool { return o.Drift }) {
		t.calm.passes = calmAfter
	}
	if t.calm.passes = max(0, t.calm.passes-1); t.calm.passes > 0 || len(c.changes) > 0 || c.unwanted {
		return
	}
	next := &quiet{settings: settings, journal: c.journal, outcomes: c.outcomes, was: map[knob]Outcome{}}
	uneasy := map[string]bool{}
	for _, o := range c.outcomes {
		uneasy[o.Cgroup] = uneasy[o.Cgroup] || o.State != InForce
	}
	for _, o := range c.outcomes {
		if uneasy[o.Cgroup] {
			next.was[knob{o.Cgroup, o.File}] = o
		}
	}
	for rest := settings; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(s qos.Setting) bool { return s.Cgroup != rest[0].Cgroup })
		if n < 0 {
			n = len(rest)
		}
		if uneasy[rest[0].Cgroup] {
			next.others = append(next.others, rest[:n]...)
		} else {
			next.steady = append(next.steady, rest[:n])
		}
		rest = rest[n:]
	}
	t.calm.last = next
}

// stillCalm returns the outcomes of the last pass if the same is wanted as then, and the groups that have their turn
// have it. Otherwise all are to be compared.
func (t *Tree) stillCalm(settings []qos.Setting, j *Journal) ([]Outcome, bool) {
	last := t.calm.last
	if last == nil || last.journal != j || !slices.Equal(last.settings, settings) {
		return nil, false
	}
	c := t.compareNone(j)
	defer c.close()
	for range min(len(last.steady), mostLooked) {
		for _, s := range last.steady[last.next] {
			c.want(s)
		}
		last.next = (last.next + 1) % len(last.steady)
	}
	if slices.ContainsFunc(c.outcomes, func(o Outcome) bool { return o.State != InForce }) {
		return nil, false
	}
	c.outcomes = c.outcomes[:0]
	for _, s := range last.others {
		c.want(s)
	}
	if slices.ContainsFunc(c.outcomes, func(o Outcome) bool { return o != last.was[knob{o.Cgroup, o.File}] }) {
		return nil, false
	}
	return last.outcomes, len(c.changes) == 0 && !j.dirty
}
