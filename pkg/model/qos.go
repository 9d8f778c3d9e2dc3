package model

// Percent is a part in a hundred of something that the field names.
type Percent int64

// Of returns p percent of n, rounded down, for n >= 0.
func (p Percent) Of(n int64) int64 { return n/100*int64(p) + n%100*int64(p)/100 }

// QoSProfile is how a node treats a workload, relative to what the workload
// asked for. A value of zero leaves the knob alone unless its comment says otherwise.
type QoSProfile struct {
	Name string `json:"name"`
	// Rank orders profiles: when a node is short, the higher rank keeps its promise.
	Rank    int        `json:"rank"`
	CPU     QoSCPU     `json:"cpu"`
	Memory  QoSMemory  `json:"memory"`
	IO      QoSIO      `json:"io"`
	Network QoSNetwork `json:"network"`
	Pids    QoSPids    `json:"pids,omitzero"`

	HugePages QoSHugePages `json:"hugepages,omitzero" yaml:"hugepages"`
}

// QoSCPU shares processor time.
type QoSCPU struct {
	// Weight against other groups, 1 to 10000, where 100 is one core's request.
	// Zero: follows from the request, and from the reservation where there is one.
	Weight int64   `json:"weight,omitempty"`
	Quota  Percent `json:"quota,omitempty"` // of the limit: a hard ceiling
	Burst  Percent `json:"burst,omitempty"` // of the quota, at most 100: unused quota that may be saved
	// Suppress is the part of a node's processors that may be in use: the workload has
	// what others leave of it.
	Suppress Percent `json:"suppress,omitempty"`
	Set      string  `json:"set,omitempty"` // processors of the node that it may use, such as 0-2,7
}

// QoSMemory protects and bounds memory. A declared limit is always a hard ceiling.
type QoSMemory struct {
	Min Percent `json:"min,omitempty"` // of the reserved amount: never reclaimed
	Low Percent `json:"low,omitempty"` // of the request: reclaimed last
	// High is the part of the way from request to limit at which the workload
	// is slowed down before it reaches its limit.
	High Percent `json:"high,omitempty"`
	// Reclaim says that the workload gives memory back while its node is short of it.
	Reclaim bool `json:"reclaim,omitempty"`
	// OOMGroup says that the workload ends as a whole when it is out of memory.
	OOMGroup bool `json:"oomGroup,omitempty" yaml:"oomGroup"`
}

// QoSIO shares block devices.
type QoSIO struct {
	Weight int64 `json:"weight,omitempty"` // 1 to 10000, 100 is the kernel's default
	// Ceilings for each disk of a node, in a second.
	Read     Bytes `json:"read,omitempty"`
	Write    Bytes `json:"write,omitempty"`
	ReadOps  int64 `json:"readOps,omitempty" yaml:"readOps"`
	WriteOps int64 `json:"writeOps,omitempty" yaml:"writeOps"`
	// Latency in milliseconds is what an access should take at most: others are slowed
	// down while it takes longer.
	Latency int64 `json:"latency,omitempty"`
	// Yield says that the workload leaves disks to others while these wait for them.
	Yield bool `json:"yield,omitempty"`
}

// QoSHugePages bounds the huge pages in use, by their size. Zero is no bound.
type QoSHugePages struct {
	Of2Mi Bytes `json:"2Mi,omitempty" yaml:"2Mi"`
	Of1Gi Bytes `json:"1Gi,omitempty" yaml:"1Gi"`
}

// QoSPids bounds how many processes and threads there are.
type QoSPids struct {
	Max int64 `json:"max,omitempty"`
}

// QoSNetwork shares the uplink of a node.
type QoSNetwork struct {
	Share    Percent `json:"share,omitempty"`   // of the uplink, guaranteed under contention to all workloads of the profile together
	Ceiling  Percent `json:"ceiling,omitempty"` // of the uplink: the most that they send, 0: all of it
	Priority int     `json:"priority"`          // 0 is served first
}

// Names of the built-in profiles.
const (
	GuaranteedPro = "guaranteed-pro"
	Guaranteed    = "guaranteed"
	Burstable     = "burstable"
	BestEffort    = "best-effort"
)

// BuiltinQoSProfiles returns the profiles that every platform has, by name.
func BuiltinQoSProfiles() []QoSProfile {
	return []QoSProfile{
		{
			Name: BestEffort, Rank: 0,
			CPU: QoSCPU{Weight: 1, Quota: 100}, IO: QoSIO{Weight: 1}, Network: QoSNetwork{Share: 5, Priority: 3},
		},
		{
			Name: Burstable, Rank: 10,
			CPU: QoSCPU{Quota: 100, Burst: 100}, Memory: QoSMemory{Low: 100},
			IO: QoSIO{Weight: 100}, Network: QoSNetwork{Share: 10, Priority: 2},
		},
		{
			Name: Guaranteed, Rank: 20,
			Memory: QoSMemory{Low: 100},
			IO:     QoSIO{Weight: 200}, Network: QoSNetwork{Share: 30, Priority: 1},
		},
		{
			Name: GuaranteedPro, Rank: 30,
			Memory: QoSMemory{Min: 100, Low: 100},
			IO:     QoSIO{Weight: 500}, Network: QoSNetwork{Share: 50, Priority: 0},
		},
	}
}
