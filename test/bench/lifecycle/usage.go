package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time of this process and of the git programs that have ended.
func cpuTime() (sum time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var used unix.Rusage
		if unix.Getrusage(who, &used) == nil {
			sum += time.Duration(used.Utime.Nano() + used.Stime.Nano())
		}
	}
	return sum
}

// memory returns the bytes in use after a collection, and the most that were ever
// resident. What the kernel reports of its resources counts what the process was before it became this program, too.
func memory() (heap, resident uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	said, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(said)) {
		if most, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			resident, _ = strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(most), " kB"), 10, 64)
		}
	}
	return m.HeapAlloc, resident << 10
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// load describes how busy the machine is.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "load unknown"
	}
	return "load average " + strings.Join(strings.Fields(string(b))[:3], " ")
}
