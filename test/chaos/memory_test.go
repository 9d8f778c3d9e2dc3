package chaos

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// memoryLimit is that of the container in deploy/.
const memoryLimit = 1 << 30

// weigh notes the most memory that the reconciler takes together with its children.
func (w *world) weigh() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-w.t.Context().Done():
			return
		case <-ticker.C:
			if w.reconciler.unexpected() != nil {
				return
			}
			w.most.Store(max(w.most.Load(), weight(w.reconciler.pid())))
		}
	}
}

func (w *world) memoryStays() error {
	if most := w.most.Load(); most >= memoryLimit {
		return fmt.Errorf("it took %d MiB", most>>20)
	}
	return nil
}

// weight is the memory of a process and its children. What they share counts once.
func weight(pid int) (bytes int64) {
	if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid)); err == nil {
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) > 1 && f[0] == "Pss:" {
				kib, _ := strconv.ParseInt(f[1], 10, 64)
				bytes += kib << 10
			}
		}
	}
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for _, child := range strings.Fields(string(b)) {
			n, _ := strconv.Atoi(child)
			bytes += weight(n)
		}
	}
	return bytes
}
