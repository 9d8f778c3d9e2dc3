//go:build linux

package process

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
	"github.com/d-aros/d-aros/pkg/text"
)

// Ends of a finite program.
const (
	overDone   = "done"
	overFailed = "failed"
)

// step brings one replica nearer to what is wanted of it, and returns how soon it is to be
// looked at again, 0: as soon as something happens.
func (s *Supervisor) step(p *process, now time.Time) time.Duration {
	same := p.wanted != nil && p.is == p.want
	switch {
	case p.alive() && (!same || !p.StopAsked.IsZero()):
		if !p.StopAsked.IsZero() || p.wanted == nil || s.mayReplace(p, now) {
			return s.stop(p, now)
		}
		return look
	case p.alive():
		return s.keep(p, now)
	case p.Group != "":
		if !s.clear(p.Group) {
			return again
		}
		p.Group, s.dirty = "", true
		return s.step(p, now)
	case p.wanted == nil:
		return 0
	case !same: // another program: what the one before did counts no more
		p.record, p.is = record{slot: p.slot, Program: p.wanted.Program}, p.want
	case p.Over != "":
		s.take(p)
		return 0
	case now.Before(p.NotBefore):
		s.take(p)
		return p.NotBefore.Sub(now)
	}
	return s.start(p, now)
}

// take has a replica carry out its workload as it stands in the plan, where that needs no start.
func (s *Supervisor) take(p *process) {
	if p.WorkDigest != p.wanted.Digest {
		p.WorkDigest, p.Program, p.is, s.dirty = p.wanted.Digest, p.wanted.Program, p.want, true
	}
}

// keep looks after a process that is to run.
func (s *Supervisor) keep(p *process, now time.Time) time.Duration {
	if p.WorkDigest != p.wanted.Digest {
		if err := s.nest.Bound(p.Group, bounds(p.wanted)); err != nil {
			s.cfg.Tell("the bounds of a process stay as they are", s.about(p, "error", err)...)
		}
		s.take(p)
	}
	if p.logs != nil {
		s.complain(p.logs.file.Name(), "a log is not rotated", p.logs.rotate(now), s.about(p)...)
	}
	if d := p.Program.Deadline; d > 0 && now.Sub(p.Begun) >= d {
		p.TimedOut = true
		return s.stop(p, now)
	}
	if young := p.Started.Add(s.cfg.Steady).Sub(now); young > 0 {
		return young
	}
	return 0
}

// mayReplace reports whether a replica may give way to a newer program: one at a time, so that
// the others of its workload go on.
func (s *Supervisor) mayReplace(p *process, now time.Time) bool {
	for _, other := range s.slots {
		if other.Key != p.Key || other == p || other.wanted == nil {
			continue
		}
		older := other.is != other.want
		if !other.StopAsked.IsZero() || !s.steady(other, now) && !(older && other.alive()) {
			return false
		}
	}
	return true
}

func (s *Supervisor) steady(p *process, now time.Time) bool {
	return p.Over == overDone || p.alive() && p.StopAsked.IsZero() && now.Sub(p.Started) >= s.cfg.Steady
}

// stop asks a process to end, and ends its group when it has had the time for it.
func (s *Supervisor) stop(p *process, now time.Time) time.Duration {
	if p.StopAsked.IsZero() {
		p.StopAsked, s.dirty = now, true
		if !s.save() {
			p.StopAsked = time.Time{}
			return look
		}
	}
	if !p.signalled { // by this agent: the one before may have ended before it could
		p.signalled = true
		number := syscall.SIGTERM
		if n, ok := hostplan.Signals[p.Program.StopSignal]; ok {
			number = syscall.Signal(n)
		}
		s.cfg.Tell("process is asked to end", s.about(p, "signal", number.String())...)
		reached()
		_ = unix.PidfdSendSignal(p.handle, number, nil, 0)
	}
	grace := cmp.Or(p.Program.Grace, hostplan.DefaultGrace)
	if left := p.StopAsked.Add(grace).Sub(now); left > 0 {
		return left
	}
	s.clear(p.Group)
	return again
}

// clear ends and removes a group, and reports whether it is gone.
func (s *Supervisor) clear(group string) bool {
	reached()
	gone, err := s.nest.Clear(group)
	s.complain(group, "a group is not cleared", err, "group", group)
	return gone
}

// start starts a replica in a fresh group. The program begins after its record is on disk.
func (s *Supervisor) start(p *process, now time.Time) time.Duration {
	w := p.wanted
	s.take(p)
	as, err := s.cfg.Host.allow(w)
	if err != nil {
		return s.refuse(p, now, err)
	}
	if p.logs, err = openLogs(s.cfg.Host.Logs, p.slot, w.Program.Logs); err != nil {
		return s.refuse(p, now, err)
	}
	s.number++
	group := s.group(p)
	p.Group, s.dirty = group, true
	waits, err := s.launch(p, as)
	reached()
	if err != nil {
		return s.refuse(p, now, err)
	}
	p.PID, p.handle, p.child, p.Started, p.Message = waits.process.Pid, waits.handle, true, now, ""
	if p.Begun.IsZero() {
		p.Begun = now
	}
	if p.Born, err = born(p.PID); err == nil && !s.save() {
		err = errors.New("its record cannot be kept")
	}
	if err != nil {
		waits.drop()
		p.PID, p.Born, p.handle = 0, 0, -1
		return s.refuse(p, now, err)
	}
	s.cfg.Tell("process started", s.about(p, "restarts", p.Restarts)...)
	err = waits.run()
	reached()
	if err != nil {
		p.Message = text.Line(err.Error(), 300)
		s.cfg.Tell("program not started", s.about(p, "error", err)...)
	}
	go func(at slot) {
		state, err := waits.process.Wait()
		how := hostplan.Exit{Unknown: true}
		if err == nil {
			how = exitFrom(unix.WaitStatus(state.Sys().(syscall.WaitStatus)))
		}
		select {
		case s.exits <- exited{at, waits.process.Pid, how}:
		case <-s.closed:
		}
	}(p.slot)
	return s.cfg.Steady
}

// group names a group that never was before.
func (s *Supervisor) group(p *process) string {
	kind := ""
	if p.Beside {
		kind = ".next"
	}
	if p.Job != "" {
		kind = ".job"
	}
	return fmt.Sprintf("p%d.%s.%s.%s%s.%d", s.number, p.App.Tenant, p.App.Name, p.Component, kind, p.Replica)
}

// launch makes the group of a replica, and a launcher in it.
func (s *Supervisor) launch(p *process, as identity) (*launched, error) {
	if err := s.nest.Make(p.Group, bounds(p.wanted)); err != nil {
		return nil, err
	}
	reached()
	doors, err := s.nest.Doors(p.Group)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, d := range doors {
			_ = d.Close()
		}
	}()
	o := order{Command: p.wanted.Program.Command, Env: s.environment(p, as), Directory: p.wanted.Program.Directory, As: as, Doors: len(doors)}
	o.Directory = cmp.Or(o.Directory, "/")
	return launchIn(s.cfg.Launcher, o, doors, p.logs.file)
}

// environment is that of a program: what it declares, and what it runs as. Nothing of the
// agent's own gets into it.
func (s *Supervisor) environment(p *process, as identity) []string {
	env := []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + as.Home, "USER=" + as.Name, "LOGNAME=" + as.Name,
		"DAROS_TENANT=" + p.App.Tenant, "DAROS_APPLICATION=" + p.App.Name, "DAROS_COMPONENT=" + p.Component,
		"DAROS_HOST=" + s.cfg.Host.Name, "DAROS_REPLICA=" + strconv.Itoa(p.Replica),
	}
	for name, value := range p.wanted.Program.Env { // the last one of a name counts
		env = append(env, name+"="+value)
	}
	return env
}

// refuse keeps why a replica does not run, and has it tried again later.
func (s *Supervisor) refuse(p *process, now time.Time, why error) time.Duration {
	message := text.Line(why.Error(), 300)
	if p.Message != message {
		s.cfg.Tell("process not started", s.about(p, "error", message)...)
	}
	p.Message, s.dirty = message, true
	return s.wait(p, now)
}

// wait has a replica wait before it is started again, longer each time.
func (s *Supervisor) wait(p *process, now time.Time) time.Duration {
	d := min(s.cfg.Backoff<<min(p.InARow, 10), mostBackoff)
	p.InARow++
	p.NotBefore, s.dirty = now.Add(d), true
	return d
}

// reap takes the end of a child.
func (s *Supervisor) reap(e exited) {
	if p := s.slots[e.slot]; p != nil && p.PID == e.pid {
		s.exit(p, e.how)
	}
}

// exit notes that a process has ended. What it left in its group goes with it.
func (s *Supervisor) exit(p *process, how hostplan.Exit) {
	now := time.Now()
	how.At, how.Memory = now.UTC(), s.nest.OutOfMemory(p.Group)
	s.cfg.Tell("process ended", s.about(p, "code", how.Code, "signal", how.Signal, "memory", how.Memory, "known", !how.Unknown)...)
	asked := !p.StopAsked.IsZero() && !p.TimedOut
	p.release()
	p.PID, p.Born, p.child, p.signalled, p.StopAsked, s.dirty = 0, 0, false, false, time.Time{}, true
	if asked {
		return
	}
	p.Exit = &how
	if p.Program.Finite {
		switch {
		case p.TimedOut:
			p.Over, p.Message = overFailed, "it did not end within its deadline"
		case how.Well():
			p.Over = overDone
		case p.Program.Attempts > 0 && p.Restarts+1 >= p.Program.Attempts:
			p.Over = overFailed
		}
		if p.Over != "" {
			return
		}
	}
	if now.Sub(p.Started) >= lasting {
		p.InARow = 0
	}
	p.Restarts++
	s.wait(p, now)
}

// release closes what the agent has of a process.
func (p *process) release() {
	if p.handle >= 0 {
		_ = unix.Close(p.handle)
		p.handle = -1
	}
	if p.logs != nil {
		_ = p.logs.file.Close()
		p.logs = nil
	}
}
