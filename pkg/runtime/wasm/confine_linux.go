package wasm

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// overhead is the memory of a child besides its module.
const overhead = 256 << 20

// confine takes from this process what no module needs, and lets its thread have only the time of
// processors that nobody else wants. A memory that grows is there twice for a moment.
func confine(memory uint64) error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // where it is allowed
	for resource, most := range map[int]uint64{unix.RLIMIT_DATA: 2*memory + overhead, unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_NOFILE: 0} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	return unix.Setpriority(unix.PRIO_PROCESS, 0, 19)
}

// dieWithParent has the kernel end a child whose parent is gone.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
