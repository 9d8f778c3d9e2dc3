//go:build linux

package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// mostWaiting is how many threads of one group are asked how long they waited, on v1.
const mostWaiting = 256

// Usage returns what a group has had of processors and how long it waited for them, false
// where the kernel does not tell. On v2 the group itself tells. On v1 the threads do, to
// those who can see them.
func (t *Tree) Usage(path string) (u qos.Usage, ok bool) {
	if u.CPU, ok = t.used(path); !ok {
		return u, false
	}
	dir, err := t.group("cpu", path)
	if err != nil {
		return u, false
	}
	defer dir.Close()
	if t.hierarchies["cpu"].version == qos.V2 {
		pressure, err := readFile(dir, "cpu.pressure") // some avg10=0.00 avg60=0.00 avg300=0.00 total=12
		if err != nil {
			return u, false
		}
		some, _, _ := strings.Cut(pressure, "\n")
		u.Waited, err = strconv.ParseInt(some[strings.LastIndexByte(some, '=')+1:], 10, 64)
		return u, err == nil
	}
	threads, err := readFile(dir, "tasks")
	if err != nil {
		return u, false
	}
	for i, id := range strings.Fields(threads) {
		if i == mostWaiting {
			break
		}
		data, err := os.ReadFile(filepath.Join("/proc", id, "schedstat")) // ran waited slices
		if err != nil {
			continue // it has ended
		}
		var ran, waited int64
		if _, err := fmt.Sscan(string(data), &ran, &waited); err == nil {
			u.Waited += waited / 1000
		}
	}
	return u, true
}

// Used returns the processor time in microseconds that a group has had, and the bytes of memory
// that it has; 0 for what the kernel does not tell.
func (t *Tree) Used(path string) (processors, memory int64) {
	processors, _ = t.used(path)
	dir, err := t.group("memory", path)
	if err != nil {
		return processors, 0
	}
	defer dir.Close()
	file := "memory.current"
	if t.hierarchies["memory"].version == qos.V1 {
		file = "memory.usage_in_bytes"
	}
	text, err := readFile(dir, file)
	if err == nil {
		memory, _ = strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	}
	return processors, memory
}

// used returns the processor time of a group in microseconds.
func (t *Tree) used(path string) (int64, bool) {
	h, file := t.hierarchies["cpu"], "cpu.stat"
	if h.version == qos.V1 {
		h, file = t.accounts, "cpuacct.usage"
	}
	if h.dir == nil {
		return 0, false
	}
	if path == "" {
		path = "."
	}
	dir, err := openBeneath(h.dir, path, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return 0, false
	}
	defer dir.Close()
	text, err := readFile(dir, file)
	if err != nil {
		return 0, false
	}
	if h.version == qos.V1 {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		return n / 1000, err == nil
	}
	rest, ok := strings.CutPrefix(text, "usage_usec ")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseInt(line, 10, 64)
	return n, ok && err == nil
}

// Rivals returns the processor time of all that competes with a group, at each level around
// it: of the other groups, and of the processes directly in the ones around it.
func (t *Tree) Rivals(path string) map[string]int64 {
	used := map[string]int64{}
	for {
		around, _ := filepath.Split(path)
		around = strings.TrimSuffix(around, "/")
		rest, known := t.used(around)
		for _, name := range t.below(around, 1, nil) {
			group := strings.TrimPrefix(around+"/"+name, "/")
			n, ok := t.used(group)
			if rest -= n; ok && group != path {
				used[group] = n
			}
		}
		if known {
			where := around
			if where == "" {
				where = "the root of the tree"
			}
			used["processes directly in "+where] = rest
		}
		if around == "" {
			return used
		}
		path = around
	}
}
