package dashboard

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is what the thread that asks has worked.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // every kernel has it
	return time.Duration(t.Nano())
}
