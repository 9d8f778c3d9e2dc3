//go:build linux

package cgroup

import (
	"os"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/qos"
)

// Accesses are what a group has done with all disks so far.
type Accesses struct {
	Bytes, Count int64 // read and written
}

// Accessed returns what a group has done with disks, false where the kernel does not tell.
func (t *Tree) Accessed(path string) (a Accesses, known bool) {
	h := t.hierarchies["io"]
	if h.version != qos.V1 {
		text, known := t.glance(h, path, "io.stat") // 254:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0
		for field := range strings.FieldsSeq(text) {
			name, value, _ := strings.Cut(field, "=")
			n, err := strconv.ParseInt(value, 10, 64)
			switch {
			case err != nil:
			case name == "rbytes" || name == "wbytes":
				a.Bytes += n
			case name == "rios" || name == "wios":
				a.Count += n
			}
		}
		return a, known
	}
	if a.Bytes, known = t.total(h, path, "blkio.throttle.io_service_bytes"); known {
		a.Count, known = t.total(h, path, "blkio.throttle.io_serviced")
	}
	return a, known
}

// total returns the last line of a file of v1, which adds up the others: Total 4096.
func (t *Tree) total(h hierarchy, path, file string) (int64, bool) {
	text, ok := t.glance(h, path, file)
	_, last, _ := strings.Cut("\n"+text, "\nTotal ")
	n, err := strconv.ParseInt(strings.TrimSpace(last), 10, 64)
	return n, ok && err == nil
}

// WaitedForDisks returns the microseconds in which some thread of a group waited for a disk, false where the kernel does
// not tell. On a hybrid host the group of the same path in v2 tells.
func (t *Tree) WaitedForDisks(path string) (int64, bool) {
	return t.waited(t.unified(), path, "io.pressure")
}

// waited returns the total of the first line of a pressure file, false where there is none.
func (t *Tree) waited(h hierarchy, path, file string) (int64, bool) {
	text, ok := t.glance(h, path, file) // some avg10=0.00 avg60=0.00 avg300=0.00 total=12
	some, _, _ := strings.Cut(text, "\n")
	n, err := strconv.ParseInt(some[strings.LastIndexByte(some, '=')+1:], 10, 64)
	return n, ok && err == nil
}

// tellsWaits reports whether the kernel of this host tells which groups wait for disks and memory.
func (t *Tree) tellsWaits() bool {
	_, err := os.ReadFile("/proc/pressure/io")
	return err == nil && t.unified().dir != nil
}
