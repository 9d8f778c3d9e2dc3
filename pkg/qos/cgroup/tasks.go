//go:build linux

package cgroup

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	kernelThread = 0x00200000 // PF_KTHREAD of the flags of a task
	mostTasks    = 1 << 20    // bytes of a list of processes
	calm         = 60         // passes after which a count that was too high goes down
)

// crowd is how many threads compete directly in a group, as it was counted last. Weights
// follow from it, so it leaves room above and goes down late: not each process that starts
// is a change of weights.
type crowd struct {
	counted int64
	low     int // passes in a row with less than half of it
}

func (c *crowd) see(n int64) int64 {
	if c.low++; n > c.counted/2 {
		c.low = 0
	}
	if n > c.counted || c.low >= calm {
		c.counted, c.low = n+n/4, 0
	}
	return c.counted
}

// crowdOf returns how many threads of programs may be busy directly in a group at once: those
// in it, and no more than are runnable on the whole host. Threads of the kernel do not count,
// nor processes that this one cannot see because it has a namespace of its own.
func (t *Tree) crowdOf(path string, dir *os.File, runnable int64) int64 {
	n := min(t.threads(dir, runnable), runnable)
	c := t.crowds[path]
	if c == nil {
		c = &crowd{}
		t.crowds[path] = c
	}
	return c.see(n)
}

// threads counts the threads of programs in a group, until there are enough.
func (t *Tree) threads(dir *os.File, enough int64) (n int64) {
	f, err := openBeneath(dir, "cgroup.procs", unix.O_RDONLY)
	if err != nil {
		return 0
	}
	defer f.Close()
	list, err := io.ReadAll(io.LimitReader(f, mostTasks))
	if err != nil {
		return 0
	}
	for pid := range strings.Lines(string(list)) {
		if n >= enough {
			break
		}
		if pid = strings.TrimSpace(pid); !t.kernel[pid] {
			threads, kernel := threadsOf(pid)
			if n += threads; kernel {
				t.kernel[pid] = true // these stay, and are many
			}
		}
	}
	return n
}

// threadsOf returns the number of threads of a program, 0 of one that cannot be seen, and
// whether it is a thread of the kernel.
func threadsOf(pid string) (n int64, kernel bool) {
	fields, err := Stat(pid)
	if err != nil {
		return 0, false
	}
	flags, err := strconv.ParseInt(fields[9-3], 10, 64)
	threads, err2 := strconv.ParseInt(fields[20-3], 10, 64)
	switch {
	case err != nil || err2 != nil:
		return 0, false
	case flags&kernelThread != 0:
		return 0, true
	}
	return threads, false
}

// Stat returns the fields of /proc/PID/stat from the third on: the second may contain anything.
func Stat(pid string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 50 {
		return nil, fmt.Errorf("/proc/%s/stat has %d fields", pid, len(fields))
	}
	return fields, nil
}

// runnableThreads returns how many threads of the host run or could run now, this one not
// counted.
func runnableThreads() int64 {
	data, err := os.ReadFile("/proc/loadavg") // 0.20 0.18 0.12 1/80 11206
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 4 {
		return 0
	}
	running, _, _ := strings.Cut(fields[3], "/")
	n, _ := strconv.ParseInt(running, 10, 64)
	return max(0, n-1)
}
