package model

import (
	"cmp"
	"sort"
)

// Observation is what the runtimes showed at one moment: the capacity of pools and
// the state of workloads.
type Observation struct {
	Pools     []Pool     `json:"pools"`
	Workloads []Workload `json:"workloads"`         // by application, component, Beside and Intent
	Applied   []Applied  `json:"applied,omitempty"` // by application, where there is news of it

	// Shortfalls are what nodes report that they do not keep of their plans, in order.
	Shortfalls []Shortfall `json:"shortfalls,omitempty"`
}

// Pool is the arbitrable capacity of one resource pool: what its ready,
// schedulable nodes offer less what runs there outside D-AROS, or what the
// platform declares.
type Pool struct {
	Name     string    `json:"name"`
	Nodes    int       `json:"nodes"`
	Capacity Resources `json:"capacity"`
	Largest  Resources `json:"largest"` // per resource, the most that one node offers; zero if unknown
	Domains  []Domain  `json:"domains,omitempty"`
}

// Domain is one topology domain (zone, rack) of a pool.
type Domain struct {
	Name     string    `json:"name"`
	Nodes    int       `json:"nodes"`
	Capacity Resources `json:"capacity"`
}

// Workload is the running form of one component.
type Workload struct {
	App       AppID    `json:"app"`
	Component string   `json:"component"`
	Digest    Digest   `json:"digest"` // WorkloadDigest of what the runtime was told to run
	Replicas  int      `json:"replicas"`
	Ready     int      `json:"ready"`
	Current   bool     `json:"current"` // the runtime carries out exactly what Digest says, nothing is in flight
	Done      bool     `json:"done"`    // a finite component that ended well
	Failure   *Failure `json:"failure,omitempty"`

	// Rolling is set while the runtime replaces replicas by newer ones. Why says why
	// some are not ready, where it is no failure and the runtime knows. Images are those
	// that run, as the runtime reports them, with their digests; sorted.
	Rolling bool     `json:"rolling,omitempty"`
	Why     string   `json:"why,omitempty"`
	Images  []string `json:"images,omitempty"`

	// Live is what the runtime reports of the objects of a component with a definition that
	// judges it, as JSON. Judging takes it away, so that no decision follows from it. Says
	// is what the definition then says, in one line.
	Live []byte `json:"-"`
	Says string `json:"says,omitempty"`

	// Beside marks the newer version of a component that runs in two versions.
	Beside bool `json:"beside,omitempty"`
	// Intent is the key of the step of a workflow whose job it is, "" if it is none.
	Intent string `json:"intent,omitempty"`
	// Lock is the lock that the step held which made the job, "" if it held none, and
	// AnyLock where the job does not say.
	Lock string `json:"lock,omitempty"`
	// Message is what a job left for the step that ran it.
	Message string `json:"message,omitempty"`
}

// Health is what a definition says of a component that is live.
type Health struct {
	Healthy bool   `json:"healthy"`
	Why     string `json:"why,omitempty"`  // it is not
	Says    string `json:"says,omitempty"` // of its state, in a line
}

// Judged returns the workload with what its definition says: one that is not healthy counts
// as not ready. Of one that the runtime finds not ready, a definition makes no ready one.
func (w Workload) Judged(h Health) Workload {
	w.Live, w.Says = nil, h.Says
	if !h.Healthy && !w.Done {
		w.Ready, w.Current = 0, false
		if w.Why == "" {
			w.Why = h.Why
		}
	}
	return w
}

// AnyLock stands for the lock of a job that does not name it.
const AnyLock = "*"

// Failure is a cross-runtime failure event.
type Failure struct {
	Class    string `json:"class"`  // see the Class constants
	Reason   string `json:"reason"` // ContainerCrash, ImageUnavailable, Unschedulable, JobFailed …
	ExitCode int    `json:"exitCode,omitempty"`
	Signal   int    `json:"signal,omitempty"` // that ended it, 0: none
	Message  string `json:"message,omitempty"`
	Final    bool   `json:"final,omitempty"` // the runtime will not try again

	// Restarts is how often the runtime has started the workload again so far.
	// With the instance and Workload.Digest it identifies a failure: seen again
	// with the same number, it is the same one.
	Restarts int `json:"restarts,omitempty"`
}

// Classes of failures.
const (
	ClassInfrastructure = "infrastructure" // a node, the network, want of room
	ClassRuntime        = "runtime"        // the runtime ended the workload or cannot start it
	ClassApplication    = "application"    // the workload itself reports that it failed
	ClassControlPlane   = "control-plane"  // the control plane refuses it or is away
)

// Reasons of failures of class runtime that every runtime of a type reports.
const (
	ContainerCrash        = "ContainerCrash"
	VMExit                = "VMExit"
	WindowsServiceStopped = "WindowsServiceStopped"
	ProcessExit           = "ProcessExit"
)

// Blames reports whether the failure may be the fault of the application: nodes and
// the control plane are not.
func (f *Failure) Blames() bool { return f.Class == ClassRuntime || f.Class == ClassApplication }

// Find returns the workload of a component: the stable version, and no job of a step.
func (o *Observation) Find(app AppID, component string) (*Workload, bool) {
	i, ok := sort.Find(len(o.Workloads), func(i int) int {
		return cmp.Or(app.Compare(o.Workloads[i].App), cmp.Compare(component, o.Workloads[i].Component))
	})
	if !ok || o.Workloads[i].Beside || o.Workloads[i].Intent != "" { // else it is the first of its component
		return nil, false
	}
	return &o.Workloads[i], true
}

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
