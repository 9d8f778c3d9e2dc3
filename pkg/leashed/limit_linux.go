package leashed

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// limitData bounds what this process may allocate, and has the kernel prefer it
// to its parent when memory runs out all the same.
func limitData(bytes uint64) error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // where it is allowed
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes})
}

// dieWithParent has the kernel end a child whose parent is gone.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// cpuTime is what all threads of a process have worked. Its clock is named by the
// process, see clock_getcpuclockid(3).
func cpuTime(pid int) (time.Duration, error) {
	var t unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|2), &t)
	return time.Duration(t.Nano()), err
}
