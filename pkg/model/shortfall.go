package model

import (
	"cmp"
	"fmt"
	"strings"
)

// Shortfall is a promise of the plan of a pool that one of its nodes does not keep.
type Shortfall struct {
	App       AppID  `json:"application,omitzero"`
	Component string `json:"component,omitempty"`
	Unit      string `json:"unit,omitempty"` // of the system, in place of a component
	Pool      string `json:"pool"`
	Node      string `json:"node"`
	Resource  string `json:"resource,omitempty"` // that is reserved; "" of a setting
	Promised  int64  `json:"promised,omitempty"` // milli-CPU or bytes, for each pod
	Kept      int64  `json:"kept,omitempty"`
	Setting   string `json:"setting,omitempty"` // that is refused: a knob, the cgroup, or [SettingEvict]
	Why       string `json:"why"`
}

// SettingEvict stands for a setting where a node asks for the end of a workload, because no setting helps.
const SettingEvict = "evict"

// nodeObject begins the object of an outcome of nodes.
const nodeObject = "node "

// Outcome returns the shortfall as why a component is not as it was promised.
func (s *Shortfall) Outcome() Outcome {
	o := Outcome{Object: nodeObject + s.Node, Component: s.Component, Reason: OutcomeSettingRefused, Field: s.Setting}
	o.Message = fmt.Sprintf("node %s does not take %s of %s: %s", s.Node, s.Setting, cmp.Or(s.Component, s.Unit), s.Why)
	switch {
	case s.Setting == SettingEvict:
		o.Reason = OutcomeEvictionAsked
		o.Message = fmt.Sprintf("node %s asks for the end of %s: %s", s.Node, cmp.Or(s.Component, s.Unit), s.Why)
	case s.Resource != "":
		n := FormatAmounts(s.Resource, s.Kept, s.Promised)
		o.Reason, o.Field = OutcomeReservationReduced, s.Resource
		o.Message = fmt.Sprintf("node %s keeps %s of the %s %s that is reserved for %s: %s", s.Node, n[0], n[1], s.Resource, cmp.Or(s.Component, s.Unit), s.Why)
	}
	return o
}

// Is reports whether an outcome is about the promise, with this node as the first.
func (s *Shortfall) Is(o *Outcome) bool {
	node, _ := strings.CutPrefix(o.Object, nodeObject)
	return node == s.Node && o.Component == s.Component && o.Field == s.Resource+s.Setting && (o.Reason == OutcomeReservationReduced) == (s.Resource != "")
}

// SamePromise reports whether two shortfalls are about one promise, of whatever node.
func (s *Shortfall) SamePromise(o *Shortfall) bool {
	return s.App == o.App && s.Component == o.Component && s.Unit == o.Unit && s.Resource == o.Resource && s.Setting == o.Setting
}

// Compare orders shortfalls as outcomes are: by application, component or unit, reservations
// before settings, and nodes.
func (s *Shortfall) Compare(o *Shortfall) int {
	return cmp.Or(s.App.Compare(o.App), cmp.Compare(s.Component, o.Component), cmp.Compare(s.Unit, o.Unit),
		cmp.Compare(s.Setting, o.Setting), cmp.Compare(s.Resource, o.Resource), cmp.Compare(s.Node, o.Node), cmp.Compare(s.Pool, o.Pool))
}
