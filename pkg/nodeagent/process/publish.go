//go:build linux

package process

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/durable"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// publication is what the reconciler was told last.
type publication struct {
	last *hostplan.Report // nil: nothing
	at   time.Time
	said string // the last error
}

// hostsDirectory has the reports of the hosts of a pool.
const hostsDirectory = "hosts"

// publish brings the report into the shared directory if it has changed, and a sign of life
// now and then. While nothing changes it writes no data.
func (s *Supervisor) publish(now time.Time) {
	r := s.report(now)
	dir := filepath.Join(s.cfg.Host.Directory, s.cfg.Host.Pool, hostsDirectory)
	name := s.cfg.Host.Name + ".json"
	var err error
	switch {
	case !reflect.DeepEqual(r, s.out.last):
		var data []byte
		written := *r // which gets a head
		if data, err = written.Encode(); err == nil {
			if err = os.MkdirAll(dir, 0o755); err == nil {
				err = durable.Write(dir, name, data, 0o644)
			}
		}
	case now.Sub(s.out.at) < beat:
		return
	default:
		signs := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
		err = unix.UtimesNanoAt(unix.AT_FDCWD, filepath.Join(dir, name), signs, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil {
		if s.out.said != err.Error() {
			s.cfg.Tell("the reconciler cannot be told how processes do", "error", err)
		}
		s.out = publication{said: err.Error()}
		return
	}
	s.out = publication{last: r, at: now}
}

// report says how the processes do.
func (s *Supervisor) report(now time.Time) *hostplan.Report {
	h := &s.cfg.Host
	r := &hostplan.Report{
		Host: h.Name, Pool: h.Pool, Fleet: s.plan.Fleet, Generation: s.plan.Generation, Problem: s.plan.problem,
		Labels: h.Labels, Capacity: h.Capacity, Processes: make([]hostplan.Process, 0, len(s.slots)),
	}
	for _, at := range slices.SortedFunc(maps.Keys(s.slots), slot.compare) {
		p := s.slots[at]
		r.Processes = append(r.Processes, hostplan.Process{
			Key: p.Key, Replica: p.Replica, Digest: p.WorkDigest, State: s.state(p, now), PID: p.PID, Started: p.Started.UTC(),
			Restarts: p.Restarts, Exit: p.Exit, Message: p.Message,
		})
	}
	return r
}

func (s *Supervisor) state(p *process, now time.Time) hostplan.State {
	switch {
	case p.alive() && !p.StopAsked.IsZero(), !p.alive() && p.wanted == nil:
		return hostplan.Stopping
	case p.alive() && s.steady(p, now):
		return hostplan.Running
	case p.alive():
		return hostplan.Starting
	case p.Over == overDone:
		return hostplan.Done
	case p.Over == overFailed:
		return hostplan.Failed
	case p.Message != "":
		return hostplan.Refused
	}
	return hostplan.Waiting
}
