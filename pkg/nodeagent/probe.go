//go:build linux

package nodeagent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/features"
	"github.com/containerd/cgroups/v3"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// Finding tells whether the host has one ability, and what that means.
type Finding struct {
	Name   string `json:"name"`
	State  string `json:"state"` // yes, no or unknown
	Detail string `json:"detail,omitempty"`
	Means  string `json:"means"`
}

const (
	yes     = "yes"
	no      = "no"
	unknown = "unknown"
)

// Probe finds out what the host can enforce. It tries each ability instead of reading
// versions, and leaves no change behind, but the kernel may load the module of a
// queueing discipline, as tc would make it.
func Probe(root string) []Finding {
	found := probeCgroups(root)
	found = append(found, probePressure()...)
	found = append(found, probeTraffic()...)
	return append(found, probeBPF()...)
}

// finding returns the finding for a yes or a no.
func finding(name string, ok bool, detail, ifYes, ifNo string) Finding {
	if ok {
		return Finding{name, yes, detail, ifYes}
	}
	return Finding{name, no, detail, ifNo}
}

func probeCgroups(root string) []Finding {
	tree, err := cgroup.Open(root)
	if err != nil {
		return []Finding{{"cgroups", no, err.Error(), "nothing can be enforced on this host"}}
	}
	defer tree.Close()
	means := map[cgroup.Mode]string{
		cgroup.Unified: "every promise can be kept that its controllers allow",
		cgroup.Hybrid:  "each controller is used where it lives; those in v1 have fewer knobs",
		cgroup.Legacy:  "CPU shares, quotas and memory limits hold; memory cannot be protected",
	}
	runtimes := map[cgroups.CGMode]string{cgroups.Legacy: "legacy", cgroups.Hybrid: "hybrid", cgroups.Unified: "unified"}[cgroups.Mode()]
	versions := tree.Controllers()
	cpu, memory, io := versions["cpu"], versions["memory"], versions["io"]
	v2root := filepath.Join(root, "unified")
	if tree.Mode() == cgroup.Unified {
		v2root = root
	}
	return []Finding{
		{"cgroups", yes, fmt.Sprintf("%s at %s; container runtimes see %s", tree.Mode(), root, runtimes), means[tree.Mode()]},
		finding("cpu", cpu != qos.Absent, cpu.String(), "weights and quotas hold", "processor time cannot be shared"),
		finding("memory", memory != qos.Absent, memory.String(), "limits hold", "memory cannot be bounded"),
		finding("memory protection", memory == qos.V2, "", "memory.min and memory.low keep what was promised under pressure",
			"a reservation of memory is counted but cannot be defended: it needs the memory controller in cgroup v2"),
		finding("memory_recursiveprot", tree.Recursive(), "", "protection of a group reaches children that set none",
			"children need values of their own; the agent sets them"),
		finding("io", io == qos.V2, io.String(), "io.weight can be set; it acts where iocost or bfq is on", "block devices are shared without regard to profiles"),
		finding("io cost", exists(filepath.Join(v2root, "io.cost.qos")), "", "iocost can be switched on for a device, which makes io.weight exact", "io.weight acts with the bfq scheduler only"),
		probeLatency(v2root),
	}
}

// probeLatency reads any group, because the root has no io.latency.
func probeLatency(v2root string) Finding {
	f := Finding{Name: "io latency", State: unknown, Detail: "no group with the io controller to look into", Means: "a latency target protects against slower peers"}
	groups, _ := filepath.Glob(filepath.Join(v2root, "*", "io.max"))
	if len(groups) > 0 {
		return finding(f.Name, exists(filepath.Join(filepath.Dir(groups[0]), "io.latency")), "", f.Means, "no latency targets in this kernel")
	}
	return f
}

func probePressure() []Finding {
	if _, err := os.ReadFile("/proc/pressure/cpu"); err != nil {
		return []Finding{{"pressure", no, err.Error(), "overload is seen from usage only; the kernel may need psi=1"}}
	}
	out := []Finding{{"pressure", yes, "/proc/pressure", "stalls of CPU, memory and I/O are measured"}}
	short, long := armTrigger("some 100000 1000000"), armTrigger("some 100000 2000000")
	switch {
	case short == nil:
		out = append(out, Finding{"pressure triggers", yes, "any window from 500 ms", "overload is noticed the moment it starts"})
	case long == nil:
		out = append(out, Finding{"pressure triggers", yes, "windows of whole 2 s (CAP_SYS_RESOURCE is missing)", "overload is noticed within two seconds"})
	default:
		out = append(out, Finding{"pressure triggers", no, long.Error(), "overload is noticed at the next poll"})
	}
	return out
}

// armTrigger registers a pressure trigger and removes it at once.
func armTrigger(line string) error {
	fd, err := unix.Open("/proc/pressure/cpu", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, append([]byte(line), 0))
	return err
}

func probeTraffic() []Finding {
	kinds := []struct{ kind, ifYes, ifNo string }{
		{"htb", "rates can be guaranteed on the uplink", "no guaranteed rates on the uplink"},
		{"clsact", "traffic of pods can be classified on the host side", "traffic of pods cannot be classified"},
		{"fq", "eBPF may pace packets by departure time", "pacing by departure time has no effect"},
		{"fq_codel", "queues stay short under load", "queues may grow long under load"},
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.kind
	}
	results, err := tryQdiscs(names)
	var out []Finding
	for i, k := range kinds {
		if err != nil {
			out = append(out, Finding{"tc " + k.kind, unknown, err.Error(), "needs CAP_NET_ADMIN and CAP_SYS_ADMIN to find out"})
			continue
		}
		detail := ""
		if results[i] != nil {
			detail = results[i].Error()
		}
		out = append(out, finding("tc "+k.kind, results[i] == nil, detail, k.ifYes, k.ifNo))
	}
	return out
}

func probeBPF() []Finding {
	var out []Finding
	for _, p := range []struct {
		name         string
		kind         ebpf.ProgramType
		ifYes, ifNot string
	}{
		{"eBPF cgroup_skb", ebpf.CGroupSKB, "traffic can be classified by cgroup, also on the host network", "traffic cannot be classified by cgroup"},
		{"eBPF sched_cls", ebpf.SchedCLS, "tc can run programs", "tc cannot run programs"},
	} {
		switch err := features.HaveProgramType(p.kind); {
		case err == nil, errors.Is(err, ebpf.ErrNotSupported):
			out = append(out, finding(p.name, err == nil, "", p.ifYes, p.ifNot))
		default:
			out = append(out, Finding{p.name, unknown, strings.TrimSpace(err.Error()), "needs CAP_BPF to find out"})
		}
	}
	return out
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
