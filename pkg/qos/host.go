package qos

// Version is the cgroup interface through which a controller is reached.
type Version int

// The versions. One host may mix them: each controller lives in one hierarchy.
const (
	Absent Version = iota
	V1
	V2
)

// String returns absent, v1 or v2.
func (v Version) String() string { return [...]string{"absent", "v1", "v2"}[v] }

// Host has the facts about a machine that the settings depend on.
type Host struct {
	CPU    int64 // milli-CPU that are online
	Memory int64 // bytes
	Page   int64 // bytes
	// Controllers maps cpu, cpuset, memory, io, pids and hugetlb to where they live.
	// Missing: Absent.
	Controllers map[string]Version
	Disks       []string   // device numbers of the disks, such as 254:0
	DiskRate    int64      // bytes in a second that each of them can read and write, 0 if nobody said
	DiskCosts   []DiskCost // of disks that weights shall divide
	Lacks       []string   // files of controllers here that this kernel was built without, and iocost where it is off
	// Nested are groups of workloads with a reservation of memory that have groups in them, where protection does not pass to these.
	Nested []string
	// Groups describes the ancestors of the plan's cgroups, the root as "".
	// Weights are those from before the agent changed them.
	Groups map[string]Group
	Link   Link
}

// Link is the network interface through which a node sends.
type Link struct {
	Device string // as the operator named it, "" for none: nothing is shaped
	Rate   int64  // bits in a second
	Paces  bool   // by the time at which packets leave (EDT), not by queues
	Lacks  string // why the host cannot shape what it sends, "" if it can
	// Untold are groups of the plan that are here, and not in cgroup v2, by which a kernel
	// tells whose packets they are.
	Untold []string
}

// DeepestTold is how deep below the root a group may be for its traffic to be told.
const DeepestTold = 10

// Group describes one ancestor and the groups in it that the plan does not name.
type Group struct {
	Weight int64 // its own CPU weight in the units of the host's version, 0 if unknown
	Others int64 // sum of the CPU weights of its children that the plan does not name
	Tasks  int64 // threads directly in it that may be busy at once: each competes like a group
	Quota  int64 // its own CPU quota in milli-CPU, 0 if none
}
