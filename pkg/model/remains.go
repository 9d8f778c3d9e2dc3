package model

import (
	"cmp"
	"slices"
	"time"
)

// Remains are what the cluster shows of a fleet: enough to make its ledger again where
// that is lost.
type Remains struct {
	Inventories []Inventory // by application
	Workloads   []Remnant   // by application and component
}

// Join returns what two clusters show.
func (r Remains) Join(o Remains) Remains {
	r.Inventories, r.Workloads = slices.Concat(r.Inventories, o.Inventories), slices.Concat(r.Workloads, o.Workloads)
	slices.SortStableFunc(r.Inventories, func(x, y Inventory) int { return x.App.Compare(y.App) })
	slices.SortStableFunc(r.Workloads, func(x, y Remnant) int { return cmp.Or(x.App.Compare(y.App), cmp.Compare(x.Component, y.Component)) })
	return r
}

// Inventory is the list of the objects that an application has in the cluster.
type Inventory struct {
	App       AppID  `json:"application"`
	Instance  int    `json:"instance,omitempty"`  // the latest that its objects name
	Namespace string `json:"namespace,omitempty"` // in which the list is
	Ledger    string `json:"ledger,omitempty"`    // id of the ledger that it was written for; "" of a version that named none
	Objects   int    `json:"objects"`
	Commit    string `json:"commit,omitempty"` // that its workloads name

	// Confirmed is set on the branch once a file confirms the removal of an orphan: its
	// objects go.
	Confirmed bool `json:"confirmed,omitempty"`
}

// ID names the instance that the objects are of.
func (i *Inventory) ID() InstanceID { return InstanceID{i.App, i.Instance} }

// Remnant is an object of a component, and what it says about its place in the ledger.
// Anybody with access to the cluster can change that.
type Remnant struct {
	App       AppID
	Component string
	Object    string // kind and name
	Beside    bool   // of the newer version beside a stable one
	Intent    string // key of the step whose job it is, "" if it is none
	Instance  int
	Commit    string
	Release   Digest
	Workload  Digest
	Grant     Grant
	Before    *Grant // of the spec before, where the object is of that
	Run       int
	Traffic   Traffic
	Finite    bool // a job
	Done      bool // that succeeded
	Made      time.Time
}
