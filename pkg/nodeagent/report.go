//go:build linux

package nodeagent

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/pkg/qos/network"
)

// Report is the state of the plan after the last pass. It changes when a setting or the plan
// does, and every few seconds while what workloads use does.
type Report struct {
	Changed      time.Time         `json:"changed"`
	Digest       string            `json:"digest,omitempty"` // of the plan in force, "" if there is none
	Source       string            `json:"source,omitempty"` // commit the plan was made from
	Generation   int64             `json:"generation,omitempty"`
	Since        time.Time         `json:"since,omitzero"`    // when the plan came into force: how old it is
	Stale        bool              `json:"stale,omitempty"`   // in force is the last good plan, not the file
	Problem      string            `json:"problem,omitempty"` // error of the plan file, "" if it is in force
	Quiet        string            `json:"quiet,omitempty"`   // why nothing follows the load for a while
	Mode         cgroup.Mode       `json:"mode"`
	Omitted      int               `json:"omitted,omitempty"` // workloads for which the plan had no room
	Unplaced     []Unplaced        `json:"unplaced,omitempty"`
	Outcomes     []cgroup.Outcome  `json:"outcomes"`
	Shares       []qos.Share       `json:"shares"`
	Degradations []qos.Degradation `json:"degradations"`
	Network      []network.Outcome `json:"network,omitempty"` // of what is shaped
	Uplink       *qos.Uplink       `json:"uplink,omitempty"`  // nil: nothing is shaped
	Broken       []qos.Broken      `json:"broken,omitempty"`  // promises that workloads do not get, whatever was written
	Evict        *qos.Eviction     `json:"evict,omitempty"`   // a workload that is to end, because memory stays short
	Workloads    []qos.Standing    `json:"workloads,omitempty"`
	Measured     time.Time         `json:"measured,omitzero"` // when it was seen what workloads use
}

// Unplaced is a workload without a group on this node.
type Unplaced struct {
	qos.Unplaced
	Since time.Time `json:"since"`
}

// Holds reports whether the plan is in force, as far as the host can enforce it.
// Groups that do not exist yet do not count, nor values that follow the load: there is
// another one soon.
func (r Report) Holds() bool {
	return r.Problem == "" && r.Digest != "" && len(r.Broken) == 0 && !slices.ContainsFunc(r.Outcomes, failed) &&
		!slices.ContainsFunc(r.Unplaced, func(u Unplaced) bool { return u.Refused }) &&
		!slices.ContainsFunc(r.Network, func(o network.Outcome) bool { return o.State == network.Refused || o.State == network.Held })
}

// failed reports whether a setting of the plan is not in force although its group is there.
func failed(o cgroup.Outcome) bool {
	return o.State == cgroup.Refused && o.Follows == "" || o.State == cgroup.Held && o.Hold != qos.HeldByPlan
}

// Shortfalls returns the promises that the node does not keep: reservations that are reduced
// or not got, settings that are refused, and a workload that is to end. What the host cannot do at all, and no
// reservation depends on, is none.
func (r Report) Shortfalls() (all []qos.Shortfall) {
	for i := range r.Degradations {
		all = append(all, r.Degradations[i].ReducedBy()...)
	}
	for i := range r.Broken {
		all = append(all, r.Broken[i].Shortfall())
	}
	for _, o := range r.Outcomes {
		if failed(o) && o.Workload != "" {
			all = append(all, qos.RefusedSetting(o.Setting, o.Reason))
		}
	}
	for i := range r.Unplaced {
		if r.Unplaced[i].Refused {
			all = append(all, r.Unplaced[i].Shortfall())
		}
	}
	if r.Evict != nil {
		all = append(all, r.Evict.Shortfall())
	}
	return all
}

// Differs reports whether a pass would write anything.
func (r Report) Differs() bool {
	return slices.ContainsFunc(r.Outcomes, func(o cgroup.Outcome) bool { return o.State == cgroup.Planned }) ||
		slices.ContainsFunc(r.Network, func(o network.Outcome) bool { return o.State == network.Planned })
}

// ErrNoReport says that no agent has worked with the state directory.
var ErrNoReport = errors.New("no agent has run with this state directory")

// ReadReport returns the last report, and whether an agent is running now.
func ReadReport(dir string) (r Report, running bool, err error) {
	s := state{dir: dir}
	data, err := s.read(reportFile)
	if err == nil && data == nil {
		err = ErrNoReport
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return r, false, fmt.Errorf("read %s: %w", filepath.Join(dir, reportFile), err)
	}
	if held, err := openState(dir); err == nil {
		held.close()
	} else {
		running = errors.Is(err, ErrRunning)
	}
	return r, running, nil
}
