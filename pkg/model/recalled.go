package model

// Recalled is what the runtimes showed before this process began, as the ledger has it. It counts
// for a runtime that has not answered yet.
type Recalled struct {
	Pools     []Pool
	Workloads []RecalledWorkload // by application
}

// RecalledWorkload is a workload, and where it was to run.
type RecalledWorkload struct {
	Workload
	Spec *Component // as it was accepted
	Pool string     // of its grant
}
