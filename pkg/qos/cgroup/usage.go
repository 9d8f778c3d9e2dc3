//go:build linux

package cgroup

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/qos"
)

// mostWaiting is how many threads of one group are asked how long they waited, on v1.
const mostWaiting = 256

// Usage returns what a group has had of processors and how long it waited for them, false
// where the kernel does not tell. On v2 the group itself tells. On v1 the threads do, to
// those who can see them.
func (t *Tree) Usage(path string) (u qos.Usage, ok bool) {
	if u.CPU, ok = t.Ran(path); !ok {
		return u, false
	}
	if h := t.hierarchies["cpu"]; h.version == qos.V2 {
		u.Waited, ok = t.waited(h, path, "cpu.pressure")
		return u, ok
	}
	dir, err := t.group("cpu", path)
	if err != nil {
		return u, false
	}
	defer dir.Close()
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
// that it has; 0 for what the kernel does not tell. known reports whether it tells the first.
func (t *Tree) Used(path string) (processors, memory int64, known bool) {
	processors, known = t.Ran(path)
	h, file := t.hierarchies["memory"], "memory.current"
	if h.version == qos.V1 {
		file = "memory.usage_in_bytes"
	}
	if text, ok := t.glance(h, path, file); ok {
		memory, _ = strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	}
	return processors, memory, known
}

// Ran returns the processor time in microseconds that a group has had, false where the kernel does not tell.
func (t *Tree) Ran(path string) (int64, bool) {
	h, file := t.hierarchies["cpu"], "cpu.stat"
	if h.version == qos.V1 {
		h, file = t.accounts, "cpuacct.usage"
	}
	text, ok := t.glance(h, path, file)
	if !ok {
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

// Pressure returns how much the threads of a group wait, nil where the kernel does not tell. On
// a hybrid host the group of the same path in v2 tells, if anything runs in it.
func (t *Tree) Pressure(path string) *qos.Pressure {
	h := t.unified()
	if t.hierarchies["cpu"].version != qos.V2 {
		if events, _ := t.glance(h, path, "cgroup.events"); !strings.Contains(events, "populated 1") {
			return nil
		}
	}
	var parts [3]int64
	for i, file := range [...]string{"cpu.pressure", "memory.pressure", "io.pressure"} {
		text, ok := t.glance(h, path, file)
		if !ok {
			return nil
		}
		parts[i] = average(text, "some")
	}
	return &qos.Pressure{CPU: parts[0], Memory: parts[1], IO: parts[2]}
}

// average reads from a pressure file in which part of the last ten seconds some or all threads
// waited, in hundredths of a percent: "some avg10=1.23 avg60=…".
func average(pressure, line string) int64 {
	_, rest, _ := strings.Cut(pressure, line+" avg10=")
	percent, _, _ := strings.Cut(rest, " ")
	part, _ := strconv.ParseFloat(percent, 64)
	return int64(part*100 + 0.5)
}

// Rivals returns the processor time of all that competes with a group, at each level around
// it: of the other groups, and of the processes directly in the ones around it.
func (t *Tree) Rivals(path string) map[string]int64 {
	used := map[string]int64{}
	for {
		around, _ := filepath.Split(path)
		around = strings.TrimSuffix(around, "/")
		rest, known := t.Ran(around)
		for _, name := range (&looking{tree: t}).Below(around, 1, nil) {
			group := strings.TrimPrefix(around+"/"+name, "/")
			n, ok := t.Ran(group)
			if rest -= n; ok && group != path {
				used[group] = n
			}
		}
		if known {
			where := cmp.Or(around, "the root of the tree")
			used["processes directly in "+where] = rest
		}
		if around == "" {
			return used
		}
		path = around
	}
}
