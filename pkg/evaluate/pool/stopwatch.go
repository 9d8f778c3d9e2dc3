package pool

import "time"

// A stopwatch tells how much a process has worked since it was started. Where a
// process has no such clock, it works all the time.
type stopwatch struct {
	pid    int
	start  time.Time
	worked time.Duration // before the start
	err    error
}

func newStopwatch(pid int) stopwatch {
	worked, err := cpuTime(pid)
	return stopwatch{pid, time.Now(), worked, err}
}

func (s stopwatch) read() (work, passed time.Duration) {
	passed = time.Since(s.start)
	worked, err := cpuTime(s.pid)
	if s.err != nil || err != nil {
		return passed, passed
	}
	return worked - s.worked, passed
}
