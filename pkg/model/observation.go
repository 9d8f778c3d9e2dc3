package model

// Observation is what the runtimes showed at one moment: what pools offer and
// how workloads fare.
type Observation struct {
	Pools     []Pool     `json:"pools"`
	Workloads []Workload `json:"workloads"` // by application, component, Beside and Intent
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

	// Beside says that it is the newer version of a component of which two run.
	Beside bool `json:"beside,omitempty"`
	// Intent is the key of the step of a workflow whose job it is, "" if it is none.
	Intent string `json:"intent,omitempty"`
}

// Failure is a cross-runtime failure event.
type Failure struct {
	Class    string `json:"class"`  // infrastructure | runtime | application | control-plane
	Reason   string `json:"reason"` // ContainerCrash, ImageUnavailable, Unschedulable, JobFailed …
	ExitCode int    `json:"exitCode,omitempty"`
	Message  string `json:"message,omitempty"`
	Final    bool   `json:"final,omitempty"` // the runtime will not try again
}

// Find returns the workload of a component: the stable version, and no job of a step.
func (o *Observation) Find(app AppID, component string) (*Workload, bool) {
	lo, hi := 0, len(o.Workloads)
	for lo < hi {
		mid := (lo + hi) / 2
		w := &o.Workloads[mid]
		switch c := w.App.Compare(app); {
		case c == 0 && w.Component == component && !w.Beside && w.Intent == "":
			return w, true
		case c < 0 || c == 0 && w.Component < component:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return nil, false
}
