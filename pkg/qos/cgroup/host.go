//go:build linux

package cgroup

import (
	"fmt"
	"math"
	"os"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// manyChildren is where counting siblings stops: weights are then as good as they get.
const manyChildren = 10_000

// Host reads the facts of the machine and of the groups around the plan's. Weights
// that the agent has written count with their original value in the journal.
func (t *Tree) Host(plan qos.Plan, j *Journal) (qos.Host, error) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return qos.Host{}, fmt.Errorf("ask for the size of memory: %w", err)
	}
	online, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return qos.Host{}, fmt.Errorf("count processors: %w", err)
	}
	cpus, ok := qos.CountProcessors(string(online))
	if !ok {
		return qos.Host{}, fmt.Errorf("count processors: %q is not a list", online)
	}
	host := qos.Host{
		CPU: cpus * 1000, Memory: int64(uint64(info.Totalram) * uint64(info.Unit)), Page: int64(os.Getpagesize()),
		Controllers: t.Controllers(), Groups: map[string]qos.Group{},
	}
	if plan.BoundsDisks() {
		host.Disks, host.Lacks = diskNumbers(), t.lacks(plan)
		if plan.Yields() && !t.tellsWaits() {
			host.Lacks = append(host.Lacks, "io.pressure")
		}
	}
	if host.Controllers["io"] == qos.V2 && plan.WeighsDisks() {
		host.Lacks = append(host.Lacks, t.lacksCost()...)
	}
	if host.Controllers["memory"] == qos.V2 && plan.ReservesMemory() && !t.tellsWaits() {
		host.Lacks = append(host.Lacks, "memory.pressure")
	}
	host.Nested = t.nested(plan)
	ours, leaves := map[string]bool{}, map[string]bool{}
	for _, w := range plan.Workloads {
		leaves[w.Cgroup] = true
		for i, c := range w.Cgroup + "/" {
			if c == '/' {
				ours[w.Cgroup[:i]] = true
			}
		}
	}
	runnable := runnableThreads()
	host.Groups[""] = t.look("", ours, j, runnable)
	for path := range ours {
		if !leaves[path] {
			host.Groups[path] = t.look(path, ours, j, runnable)
		}
	}
	return host, nil
}

// look describes one group; values that cannot be read are unknown and stay zero.
func (t *Tree) look(path string, ours map[string]bool, j *Journal, runnable int64) qos.Group {
	var g qos.Group
	h := t.hierarchies["cpu"]
	dir, err := t.group("cpu", path)
	if err != nil {
		return g
	}
	defer dir.Close()
	g.Weight = t.weightOf(h, path)
	if original, ok := j.original(path, weightFile(h.version)); ok {
		g.Weight = qos.Size(weightFile(h.version), original)
	}
	g.Quota = t.quotaOf(h, path)
	g.Tasks = t.crowdOf(path, dir, runnable)
	for _, child := range childrenOf(dir) {
		name := child.Name()
		if path != "" {
			name = path + "/" + name
		}
		if !child.IsDir() || ours[name] {
			continue
		}
		g.Others += t.weightOf(h, name)
	}
	return g
}

// childrenOf lists what is in a group, as far as it counts.
func childrenOf(dir *os.File) []os.DirEntry {
	readable, err := openBeneath(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil
	}
	defer readable.Close()
	children, _ := readable.ReadDir(manyChildren)
	return children
}

func weightFile(v qos.Version) string {
	if v == qos.V1 {
		return "cpu.shares"
	}
	return "cpu.weight"
}

func (t *Tree) weightOf(h hierarchy, path string) int64 {
	value, _ := t.glance(h, path, weightFile(h.version))
	return qos.Size(weightFile(h.version), qos.Normal(weightFile(h.version), value))
}

// quotaOf returns the quota of a group in milli-CPU, 0 for none.
func (t *Tree) quotaOf(h hierarchy, path string) int64 {
	value, _ := t.glance(h, path, "cpu.max")
	if h.version == qos.V1 {
		quota, _ := t.glance(h, path, "cpu.cfs_quota_us")
		period, _ := t.glance(h, path, "cpu.cfs_period_us")
		value = quota + " " + period
	}
	if size := qos.Size("cpu.max", value); size < math.MaxInt64 { // else there is none
		return size / 1000
	}
	return 0
}
