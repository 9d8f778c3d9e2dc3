package model

import (
	"cmp"
	"strconv"
	"strings"
)

// PartKey names what a runtime carries of an application by itself: a component, the newer of two versions of it, or the job of
// a step.
type PartKey struct {
	App       AppID  `json:"app"`
	Component string `json:"component"`
	Beside    bool   `json:"beside,omitempty"` // the newer of two versions
	Job       string `json:"job,omitempty"`    // key of the step of a workflow whose job it is
}

// Key names the part whose running form the workload is.
func (w *Workload) Key() PartKey { return PartKey{w.App, w.Component, w.Beside, w.Intent} }

// Compare orders parts as an Observation has their workloads.
func (k PartKey) Compare(o PartKey) int {
	return cmp.Or(k.App.Compare(o.App), strings.Compare(k.Component, o.Component),
		strings.Compare(strconv.FormatBool(k.Beside), strconv.FormatBool(o.Beside)), strings.Compare(k.Job, o.Job))
}

// String names the part for people.
func (k PartKey) String() string {
	s := k.App.String() + "/" + k.Component
	if k.Beside {
		s += " (newer version)"
	}
	if k.Job != "" {
		s += " (job of a step)"
	}
	return s
}
