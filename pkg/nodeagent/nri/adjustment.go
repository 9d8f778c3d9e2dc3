package nri

import (
	"slices"
	"strconv"
	"strings"

	"github.com/containerd/nri/pkg/api"

	"github.com/d-aros/d-aros/pkg/qos"
)

// plain are files of cgroup v2 that each kernel has where the group has the controller, and that take any value of a plan
// in one write. A runtime that cannot write a file does not start the container, so others are left to the agent's turn:
// io.max and io.latency take one line at a time, kernels before 5.14 have no cpu.max.burst, and those without iocost no io.weight.
var plain = []string{"cpu.max", "cpu.weight", "memory.high", "memory.low", "memory.max", "memory.min", "memory.oom.group"}

// adjustment turns settings of a container's group into what a runtime is to make the group with, nil for nothing. own is what the
// container has without it, and unified says that all of the host is cgroup v2.
//
// On v1 a bound must not exceed the one of the pod, which nobody here knows: so there is one only where the container has its
// own, and none above that. Its processors must be among those of the pod, so they are left to the turn.
func adjustment(settings []qos.Setting, own *api.LinuxResources, unified bool) *api.ContainerAdjustment {
	a := &api.ContainerAdjustment{}
	values := map[string]int64{}
	for _, s := range settings {
		if unified && slices.Contains(plain, s.File) {
			a.AddLinuxUnified(s.File, s.Value)
			continue
		}
		if unified && s.File == "cpuset.cpus" {
			a.SetLinuxCPUSetCPUs(s.Value)
			continue
		}
		n, err := strconv.ParseInt(s.Value, 10, 64)
		if err != nil || n <= 0 {
			continue
		}
		values[s.File] = n
		switch s.File {
		case "pids.max":
			a.SetLinuxPidLimits(n)
		case "cpu.shares":
			a.SetLinuxCPUShares(uint64(n))
		case "memory.limit_in_bytes":
			if most := own.GetMemory().GetLimit().GetValue(); n <= most {
				a.SetLinuxMemoryLimit(n)
			}
		default:
			// The container names the sizes of pages that the host has.
			size, _ := strings.CutPrefix(s.File, "hugetlb.")
			size, _, _ = strings.Cut(size, ".")
			if slices.ContainsFunc(own.GetHugepageLimits(), func(l *api.HugepageLimit) bool { return l.GetPageSize() == size }) {
				a.AddLinuxHugepageLimit(size, uint64(n))
			}
		}
	}
	quota, period := values["cpu.cfs_quota_us"], values["cpu.cfs_period_us"]
	most, per := own.GetCpu().GetQuota().GetValue(), int64(own.GetCpu().GetPeriod().GetValue())
	if quota > 0 && most > 0 && per > 0 && float64(quota)/float64(period) <= float64(most)/float64(per) {
		a.SetLinuxCPUQuota(quota)
		a.SetLinuxCPUPeriod(period)
	}
	if a.Linux == nil {
		return nil
	}
	return a
}
