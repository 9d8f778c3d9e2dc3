package pool

import (
	"os"
	"syscall"
)

// limitMemory bounds what this process may allocate, and has the kernel prefer it
// to its parent when memory runs out all the same.
func limitMemory(bytes uint64) error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // where it is allowed
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes})
}

// dieWithParent has the kernel end a child whose parent is gone.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
