//go:build linux

package nodeagent

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/network"
)

// networkFile is the journal of what is shaped.
const networkFile = "network.json"

// openNetwork opens the interface that the agent is to shape, or that an earlier one shaped.
// Where there is neither it opens nothing, and needs no right for it.
func (a *agent) openNetwork(s *state) error {
	if err := a.cfg.Network.Check(); err != nil {
		return err
	}
	data, err := s.read(networkFile)
	if err != nil || data == nil && a.cfg.Network.Device == "" {
		return err
	}
	a.shaper, err = network.Open(a.cfg.Network, data, func(data []byte) error { return s.write(networkFile, data) })
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(s.dir, networkFile), err)
	}
	return nil
}

// link says what the host can shape of what the plan wants, and has the ids of the groups
// whose traffic can be told.
func (a *agent) link(plan qos.Plan) (link qos.Link, ids map[string]uint64) {
	if a.cfg.Network.Device == "" {
		return link, nil
	}
	link = a.shaper.Link()
	ids, untold, ok := a.tree.Told(plan)
	link.Untold = untold
	if !ok && link.Lacks == "" {
		link.Lacks = "there is no cgroup v2, by which the kernel tells whose packets they are: mount -t cgroup2 none " + filepath.Join(a.cfg.Root, "unified")
	}
	return link, ids
}

// shape brings an uplink into force, nil for none.
func (a *agent) shape(uplink *qos.Uplink, ids map[string]uint64, now time.Time, dry bool) ([]network.Outcome, error) {
	if a.shaper == nil {
		return nil, nil
	}
	outcomes, err := a.shaper.Apply(uplink, ids, func(device, part string) string { return a.contests.held([2]string{device, part}, now) }, dry)
	if err != nil {
		return nil, fmt.Errorf("shape what is sent: %w", err)
	}
	for _, o := range outcomes {
		if o.Drift && o.State == network.Written {
			if hold := a.contests.count([2]string{o.Device, o.Part}, o.From, now); hold != "" {
				a.cfg.Log.Warn("part of the network left to others", "device", o.Device, "part", o.Part, "value", o.Value, "theirs", o.From, "reason", hold)
			}
		}
	}
	return outcomes, nil
}

// lastingNetwork is lasting for parts of an interface.
func lastingNetwork(outcomes []network.Outcome) (kept []network.Outcome) {
	for _, o := range outcomes {
		switch o.State {
		case network.Restored:
			continue
		case network.Written:
			o.State = network.InForce
		}
		o.From, o.Drift = "", false
		kept = append(kept, o)
	}
	return kept
}

// logNetwork logs each change once.
func (a *agent) logNetwork(outcomes []network.Outcome) {
	before := map[[2]string]network.Outcome{}
	for _, o := range a.report.Network {
		before[[2]string{o.Device, o.Part}] = o
	}
	for _, o := range outcomes {
		what := []any{"device", o.Device, "part", o.Part, "value", o.Value, "from", o.From}
		was := before[[2]string{o.Device, o.Part}]
		switch {
		case o.State == network.Written && o.Drift:
			a.cfg.Log.Warn("drift of the network repaired", what...)
		case o.State == network.Written:
			a.cfg.Log.Info("network set", what...)
		case o.State == network.Restored:
			a.cfg.Log.Info("network restored", what...)
		case o.State == network.Refused && (was.State != o.State || was.Reason != o.Reason):
			a.cfg.Log.Warn("network refused", append(what, "reason", o.Reason)...)
		}
	}
}
