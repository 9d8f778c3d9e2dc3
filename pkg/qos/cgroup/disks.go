//go:build linux

package cgroup

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
)

// diskNumbers returns the device numbers of the disks that a driver serves. What lies on them
// passes their bounds: partitions, mirrors, files as devices.
func diskNumbers() (numbers []string) {
	drivers, _ := filepath.Glob("/sys/block/*/device")
	for _, d := range drivers {
		if number, err := os.ReadFile(filepath.Join(filepath.Dir(d), "dev")); err == nil {
			numbers = append(numbers, strings.TrimSpace(string(number)))
		}
	}
	return numbers
}

// lacks returns which of the files that kernels may be built without the groups of a plan do
// not have, although their controller is there.
func (t *Tree) lacks(plan qos.Plan) []string {
	for i := range plan.Workloads {
		dir, err := t.group("io", plan.Workloads[i].Cgroup)
		if err != nil {
			continue
		}
		has := func(file string) bool {
			var st unix.Stat_t
			return unix.Fstatat(int(dir.Fd()), file, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
		}
		here, latency := has("io.max"), has("io.latency")
		_ = dir.Close()
		if here && !latency {
			return []string{"io.latency"}
		}
		if here {
			break
		}
	}
	return nil
}

// lacksCost says why weights on disks do not act: the kernel has no iocost, or it is off for every disk.
func (t *Tree) lacksCost() []string {
	lines, has := t.glance(t.hierarchies["io"], "", "io.cost.qos")
	switch {
	case !has:
		return []string{"io.cost.qos"}
	case !strings.Contains(lines, "enable=1"):
		return []string{"iocost"}
	}
	return nil
}
