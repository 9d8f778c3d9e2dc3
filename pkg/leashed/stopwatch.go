package leashed

import "time"

// A stopwatch measures the CPU time of a process since it was started. On systems
// without such a clock it measures the time that passed.
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
