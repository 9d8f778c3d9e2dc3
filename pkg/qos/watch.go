package qos

// Usage is what the threads of a group have had since it was made, in microseconds.
type Usage struct {
	CPU    int64 // of processors
	Waited int64 // for a processor, although they could run
}

// Broken is a reservation that a workload does not get although it could use it.
type Broken struct {
	Workload string `json:"workload"`
	Promise  string `json:"promise"`  // cpu.reserved
	Reserved int64  `json:"reserved"` // milli-CPU
	Got      int64  `json:"got"`      // milli-CPU, when it was found
	By       []Took `json:"by"`       // who took most, the largest part first
}

// Took is processor time that others had meanwhile.
type Took struct {
	Who string `json:"who"` // a group, or the processes directly in one
	CPU int64  `json:"cpu"` // milli-CPU
}

// Starved reports whether a workload waited for processors for a tenth of the time that
// passed, and got less than what is reserved for it, and how much it got in milli-CPU. A
// twentieth less is no broken promise: kernels share time in slices.
func Starved(before, after Usage, passed, reserved int64) (got int64, starved bool) {
	if passed <= 0 || after.CPU < before.CPU || after.Waited < before.Waited {
		return 0, false // another group by the same name, or threads that ended
	}
	got = wide(after.CPU-before.CPU, 1000).floor(passed)
	return got, got < reserved-reserved/20 && after.Waited-before.Waited >= passed/10
}
