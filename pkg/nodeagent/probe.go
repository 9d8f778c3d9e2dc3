//go:build linux

package nodeagent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/features"
	"github.com/containerd/cgroups/v3"

	"github.com/d-aros/d-aros/pkg/nodeagent/nri"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// Finding tells whether the host has one ability, and what that means.
type Finding struct {
	Name   string `json:"name"`
	State  string `json:"state"` // yes, no or unknown
	Detail string `json:"detail,omitempty"`
	Means  string `json:"means"`
	Do     string `json:"do,omitempty"` // what makes a yes of it, where an operator can
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
	found := append(probeCgroups(root), probePressure()...)
	found = append(append(found, probeUplink()), probeTraffic()...)
	found = append(found, probeBPF(), finding("nri", exists(nri.Socket), nri.Socket,
		"containers can have their values before their first instruction (--nri)", "containers get their values within a second of their start"))
	for i := range found {
		if found[i].State != yes && found[i].Do == "" {
			found[i].Do = remedies[found[i].Name]
		}
	}
	return found
}

// remedies say what an operator can do, by ability.
var remedies = map[string]string{
	"cgroups":              "mount them: mount -t cgroup2 none " + cgroup.Root,
	"cpu":                  "boot without cgroup_disable=cpu",
	"memory":               "boot without cgroup_disable=memory",
	"memory protection":    "boot with systemd.unified_cgroup_hierarchy=1, or with cgroup_no_v1=all where systemd does not run",
	"memory_recursiveprot": "on v2 nothing has to be done; to have it: mount -o remount,memory_recursiveprot " + cgroup.Root,
	"io":                   "boot with systemd.unified_cgroup_hierarchy=1, or with cgroup_no_v1=all where systemd does not run",
	"io cost":              "a kernel with CONFIG_BLK_CGROUP_IOCOST, and the io controller in cgroup v2",
	"io latency":           "a kernel with CONFIG_BLK_CGROUP_IOLATENCY, and the io controller in cgroup v2",
	"pids":                 "boot without cgroup_disable=pids",
	"pressure":             "boot with psi=1",
	"pressure triggers":    "boot with psi=1, and give the agent CAP_SYS_RESOURCE for windows below two seconds",
	"tc htb":               "modprobe sch_htb",
	"tc clsact":            "modprobe sch_ingress cls_bpf",
	"tc fq":                "modprobe sch_fq",
	"tc fq_codel":          "modprobe sch_fq_codel",
	"uplink":               "nodeagent run --network INTERFACE, with --network-rate where the driver does not say a rate",
	"nri":                  "containerd 1.7 or later, or CRI-O, with NRI switched on, and its socket where the agent sees it",
	"eBPF sched_cls":       "a kernel with CONFIG_NET_CLS_BPF; the agent needs CAP_BPF and CAP_NET_ADMIN",
}

// finding returns the finding for a yes or a no.
func finding(name string, ok bool, detail, ifYes, ifNo string) Finding {
	if ok {
		return Finding{Name: name, State: yes, Detail: detail, Means: ifYes}
	}
	return Finding{Name: name, State: no, Detail: detail, Means: ifNo}
}

func probeCgroups(root string) []Finding {
	tree, err := cgroup.Open(root)
	if err != nil {
		return []Finding{{Name: "cgroups", State: no, Detail: err.Error(), Means: "nothing can be enforced on this host"}}
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
	if tree.Mode == cgroup.Unified {
		v2root = root
	}
	found := []Finding{
		finding("cgroups", true, fmt.Sprintf("%s at %s; container runtimes see %s", tree.Mode, root, runtimes), means[tree.Mode], ""),
		finding("cpu", cpu != qos.Absent, cpu.String(), "weights and quotas hold", "processor time cannot be shared"),
		finding("memory", memory != qos.Absent, memory.String(), "limits hold", "memory cannot be bounded"),
		finding("memory protection", memory == qos.V2, "", "memory.min and memory.low keep what was promised under pressure",
			"a reservation of memory is counted but cannot be defended: it needs the memory controller in cgroup v2"),
		finding("memory_recursiveprot", tree.Recursive, "", "protection of a group reaches children that set none",
			"groups need values of their own: the agent sets those of workloads and around these, and not within them"),
		finding("io", io == qos.V2, io.String(), "ceilings hold; io.weight acts where iocost is on", map[qos.Version]string{
			qos.V1: "ceilings hold for direct access; weights and targets do not", qos.Absent: "block devices are shared without regard to profiles",
		}[io]),
		finding("pids", versions["pids"] != qos.Absent, versions["pids"].String(), "processes and threads can be bounded", "a workload may start processes without end"),
		finding("io cost", exists(filepath.Join(v2root, "io.cost.qos")), "", "weights divide a disk whose costs are known (--disk-cost)", "io.weight does not act: what the bfq scheduler goes by is another file"),
		probeLatency(v2root),
	}
	return append(found, probeDelegation(v2root)...)
}

// probeDelegation finds the controllers of v2 that the root does not hand down: no group has
// their files.
func probeDelegation(v2root string) (found []Finding) {
	all, err := os.ReadFile(filepath.Join(v2root, "cgroup.controllers"))
	handed, err2 := os.ReadFile(filepath.Join(v2root, "cgroup.subtree_control"))
	if err != nil || err2 != nil {
		return nil
	}
	for _, c := range strings.Fields(string(all)) {
		if slices.Contains([]string{"cpu", "memory", "io", "pids"}, c) && !slices.Contains(strings.Fields(string(handed)), c) {
			found = append(found, Finding{
				Name: "delegation of " + c, State: no, Detail: filepath.Join(v2root, "cgroup.subtree_control"), Means: "no group below the root has its files",
				Do: "echo +" + c + " > " + filepath.Join(v2root, "cgroup.subtree_control"),
			})
		}
	}
	return found
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
		return []Finding{finding("pressure", false, err.Error(), "", "overload is seen from usage only")}
	}
	triggers := finding("pressure triggers", true, "any window from 500 ms", "overload is noticed the moment it starts", "")
	if armTrigger("some 100000 1000000") != nil {
		triggers = finding("pressure triggers", true, "windows of whole 2 s (CAP_SYS_RESOURCE is missing)", "overload is noticed within two seconds", "")
		if err := armTrigger("some 100000 2000000"); err != nil {
			triggers = finding("pressure triggers", false, err.Error(), "", "overload is noticed at the next poll")
		}
	}
	return []Finding{finding("pressure", true, "/proc/pressure", "stalls of CPU, memory and I/O are measured", ""), triggers}
}

func probeTraffic() []Finding {
	kinds := []struct{ kind, ifYes, ifNo string }{
		{"htb", "rates can be guaranteed on the uplink", "no guaranteed rates on the uplink"},
		{"clsact", "programs can tell whose traffic leaves an interface", "nobody tells whose traffic leaves an interface, so it is not shaped"},
		{"fq", "packets can leave by their time (--network-mode edt)", "no --network-mode edt; htb does not need it"},
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
			out = append(out, Finding{Name: "tc " + k.kind, State: unknown, Detail: err.Error(), Means: "needs CAP_NET_ADMIN and CAP_SYS_ADMIN to find out"})
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

func probeBPF() Finding {
	const name = "eBPF sched_cls"
	err := features.HaveProgramType(ebpf.SchedCLS)
	if err != nil && !errors.Is(err, ebpf.ErrNotSupported) {
		return Finding{Name: name, State: unknown, Detail: strings.TrimSpace(err.Error()), Means: "needs CAP_BPF to find out"}
	}
	return finding(name, err == nil, "", "traffic can be told by cgroup, also on the host network", "traffic cannot be told by cgroup, so it is not shaped")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
