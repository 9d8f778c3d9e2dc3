//go:build linux

package cgroup

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Machine is what the whole host has and has used.
type Machine struct {
	CPU     int64 // microseconds of processors that were not idle
	Free    int64 // bytes of memory that can be had without swapping
	Stalled int64 // hundredths of a percent of the last ten seconds in which all waited for memory, 0 if unknown
}

// tick is the unit of /proc/stat: a hundredth of a second on every platform of Linux.
const tick = 10_000

// ReadMachine asks the kernel.
func ReadMachine() (m Machine, err error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return m, fmt.Errorf("read the use of processors: %w", err)
	}
	// cpu  user nice system idle iowait irq softirq steal; guests are in user.
	line, _, _ := strings.Cut(string(stat), "\n")
	for i, field := range strings.Fields(line) {
		if n, err := strconv.ParseInt(field, 10, 64); err == nil && i >= 1 && i <= 7 && i != 4 && i != 5 {
			m.CPU += n * tick
		}
	}
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return m, fmt.Errorf("read what memory is free: %w", err)
	}
	if _, rest, ok := strings.Cut(string(info), "\nMemAvailable:"); ok {
		if fields := strings.Fields(rest); len(fields) > 0 {
			kib, _ := strconv.ParseInt(fields[0], 10, 64)
			m.Free = kib << 10
		}
	}
	pressure, _ := os.ReadFile("/proc/pressure/memory") // …full avg10=0.00 avg60=…
	m.Stalled = average(string(pressure), "full")
	return m, nil
}
