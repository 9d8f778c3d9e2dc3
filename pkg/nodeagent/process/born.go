//go:build linux

package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// boot names the time since the machine was started.
func boot() (string, error) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id)), err
}

// born returns when a process was started, in ticks since the boot. A number that is used again
// has another time.
func born(pid int) (uint64, error) {
	fields, err := cgroup.Stat(strconv.Itoa(pid))
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(fields[22-3], 10, 64)
}

// adopt opens a process that an agent before this one has started, false if it is gone: its
// number is that of another process, or of none. One that has ended, and for which nobody has
// waited, can still tell how.
func adopt(r *record, group string) (handle int, ok bool) {
	handle, err := unix.PidfdOpen(r.PID, 0)
	if err != nil {
		return -1, false
	}
	if began, err := born(r.PID); err == nil && began == r.Born && (ended(handle) || inGroup(r.PID, group)) {
		return handle, true
	}
	_ = unix.Close(handle)
	return -1, false
}

// inGroup reports whether a process is in a group, in some hierarchy.
func inGroup(pid int, group string) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		if parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3); len(parts) == 3 && strings.HasSuffix(parts[2], "/"+group) {
			return true
		}
	}
	return false
}

// ended reports whether a process has ended.
func ended(handle int) bool {
	fds := []unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}

// exitOf returns how a process ended that is a child of another one. The kernel tells from 6.15
// on, and before only until somebody has asked for it.
func exitOf(handle, pid int) (exit hostplan.Exit, known bool) {
	info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
	if err := unix.IoctlPidfdInfo(handle, &info); err == nil && info.Mask&unix.PIDFD_INFO_EXIT != 0 {
		return exitFrom(unix.WaitStatus(info.Exit_code)), true
	}
	if fields, err := cgroup.Stat(strconv.Itoa(pid)); err == nil && fields[0] == "Z" {
		if status, err := strconv.Atoi(fields[52-3]); err == nil {
			return exitFrom(unix.WaitStatus(status)), true
		}
	}
	return hostplan.Exit{Unknown: true}, false
}

func exitFrom(status unix.WaitStatus) hostplan.Exit {
	if status.Signaled() {
		return hostplan.Exit{Signal: int(status.Signal())}
	}
	return hostplan.Exit{Code: status.ExitStatus()}
}
