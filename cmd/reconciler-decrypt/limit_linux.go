package main

import (
	"runtime/debug"
	"syscall"

	"golang.org/x/sys/unix"
)

// Limits of the process.
const (
	memory = 256 << 20 // bytes
	work   = 10        // seconds of the CPU
)

// limit bounds what the process may take. The kernel writes no core of it, and no other
// process of the user may look into it.
func limit() error {
	debug.SetMemoryLimit(memory / 2)
	for resource, most := range map[int]uint64{syscall.RLIMIT_DATA: memory, syscall.RLIMIT_CPU: work, syscall.RLIMIT_CORE: 0} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// seclude takes the right to open anything from the process: no file and no connection.
func seclude() error {
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{})
}
