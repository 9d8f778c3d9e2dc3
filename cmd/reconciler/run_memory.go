package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/d-aros/d-aros/pkg/reconcile"
)

// memoryFlags say how much memory run may take.
type memoryFlags struct{ all, status string }

func (f *memoryFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.all, "memory", "", "memory that this program and those that it starts may take together, such as 2Gi (default: the limit of the container)")
	fl.StringVar(&f.status, "status-memory", "", "memory that the status branch may take when it is read, such as 512Mi (default: a quarter of --memory, at most 1Gi)")
}

// shares divide the memory of the container, so that they never come to more together, whoever takes all of his.
type shares struct {
	status   int64 // of the status branch while it is read, which is in this process, too
	children int64 // of all that evaluate together, 0: as much as they can use
	own      int64 // what else this process takes, 0: as much as it can use
}

const (
	mostStatus  = 1 << 30
	twoChildren = 384 << 20 // what two of them need for large applications
	leastOwn    = 128 << 20
)

// divide divides a limit, 0 for none. Status is the share of the status branch where somebody has chosen it, else 0. A
// sixteenth stays for what nobody counts: the pages of the programs, the buffers of the kernel.
func divide(limit, status int64) shares {
	if limit == 0 {
		return shares{status: cmp.Or(status, mostStatus)}
	}
	s := shares{status: cmp.Or(status, min(limit/4, mostStatus)), children: max(limit/16*5, twoChildren)}
	s.own = limit - limit/16 - s.status - s.children
	return s
}

// shares reads the limit and divides it.
func (f *memoryFlags) shares(root fs.FS, log *slog.Logger) (shares, error) {
	limit, err := amount("--memory", f.all)
	if err != nil {
		return shares{}, err
	}
	status, err := amount("--status-memory", f.status)
	if err != nil {
		return shares{}, err
	}
	limit = cmp.Or(limit, containerMemory(root))
	s := divide(limit, status)
	if limit > 0 && s.own < leastOwn {
		log.Warn("the memory is too little: when much is evaluated at once, it may run out", "limit", limit, "needed", limit+leastOwn-s.own,
			"hint", "raise the limit of the container (docs/operations.md)")
		s.own = leastOwn
	}
	return s, nil
}

// hold has the Go runtime of this process keep to its share, and gather little garbage, unless GOMEMLIMIT and GOGC say otherwise.
func (s shares) hold() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(reconcile.Garbage)
	}
	if s.own > 0 && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(s.own)
	}
}

// amount parses an amount of memory, 0 for none.
func amount(flag, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	q, err := resource.ParseQuantity(text)
	if err != nil || q.Value() < 1<<20 {
		return 0, fmt.Errorf("%s %q: use an amount from 1Mi on, such as 512Mi", flag, text)
	}
	return q.Value(), nil
}

// containerMemory returns the memory limit of the cgroup of this process: the least of its own and those above it, as far
// as they are shown here; 0 if there is none.
func containerMemory(root fs.FS) (limit int64) {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		dir, file := "", ""
		switch controllers := "," + parts[1] + ","; {
		case parts[1] == "":
			dir, file = "sys/fs/cgroup", "memory.max"
		case strings.Contains(controllers, ",memory,"):
			dir, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// A container may see its own group as the root, and be told its path on the host.
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			if n := readLimit(root, path.Join(dir, group, file)); n > 0 && (limit == 0 || n < limit) {
				limit = n
			}
			if group == "/" {
				break
			}
		}
	}
	return limit
}

// readLimit reads a limit from a file, 0 for none.
func readLimit(root fs.FS, name string) int64 {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil || n >= 1<<60 { // "max", or the number that v1 has for it
		return 0
	}
	return n
}
