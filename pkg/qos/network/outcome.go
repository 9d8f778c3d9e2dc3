//go:build linux

package network

import (
	"cmp"
	"maps"
	"slices"
)

// State is the state of one part of what is set on interfaces.
type State string

// The states. They mean what those of settings in cgroups mean.
const (
	InForce  State = "in-force"
	Written  State = "written"
	Planned  State = "planned"
	Restored State = "restored"
	Refused  State = "refused"
	Held     State = "held"
)

// Outcome is a part of what is set on an interface, with its state.
type Outcome struct {
	Device string `json:"device"`
	Part   string `json:"part"` // discipline, queues, class NAME, groups, paces, program
	Value  string `json:"value"`
	State  State  `json:"state"`
	From   string `json:"from,omitempty"`   // value before
	Reason string `json:"reason,omitempty"` // for refused and held
	Drift  bool   `json:"drift,omitempty"`  // others had changed what the agent had set
}

// change is a part that is not as it should be, and how it becomes so.
type change struct {
	device, part string
	from, to     string
	restores     bool
	grows        bool // it differs because there is more of it, and not because of others
	ability      bool // a refusal may say what the kernel lacks
	make         func() error
}

// Hold says why a part of an interface is left to others, "" where it is not.
type Hold func(device, part string) string

// work is one application.
type work struct {
	*Shaper
	hold     Hold
	wanted   map[string]bool // parts
	changes  []change
	outcomes []Outcome
}

// want compares a part.
func (w *work) want(c change) {
	key := c.device + " " + c.part
	w.wanted[key] = true
	if c.from == c.to {
		w.done[key] = c.to
		w.outcomes = append(w.outcomes, Outcome{Device: c.device, Part: c.part, Value: c.to, State: InForce})
		return
	}
	if reason := w.hold(c.device, c.part); reason != "" && !c.restores {
		w.outcomes = append(w.outcomes, Outcome{Device: c.device, Part: c.part, Value: c.to, State: Held, From: c.from, Reason: reason})
		return
	}
	w.changes = append(w.changes, c)
}

// make makes the changes in their order. One that is refused does not keep the others.
func (w *work) make(dry bool) []Outcome {
	for _, c := range w.changes {
		key := c.device + " " + c.part
		o := Outcome{Device: c.device, Part: c.part, Value: c.to, State: Written, From: c.from, Drift: !c.restores && !c.grows && w.done[key] == c.to}
		switch {
		case dry:
			o.State, o.Drift = Planned, false
		case c.restores:
			o.State = Restored
		default:
			w.done[key] = c.to
		}
		if !dry {
			if err := c.make(); err != nil {
				o.State, o.Reason = Refused, err.Error()
				if c.ability {
					w.lacks = cmp.Or(w.lacks, w.lacking(err))
				}
				delete(w.done, key)
			}
		}
		w.outcomes = append(w.outcomes, o)
	}
	maps.DeleteFunc(w.done, func(key, _ string) bool { return !w.wanted[key] })
	slices.SortStableFunc(w.outcomes, func(a, b Outcome) int { return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Part, b.Part)) })
	return w.outcomes
}
