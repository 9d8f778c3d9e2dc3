package model

import (
	"encoding/json"
	"slices"
	"time"
)

// Application is one application as declared, resolved against its effective
// policy. It is neutral to runtimes: what a runtime needs stays opaque in
// Properties and Traits.
type Application struct {
	ID         AppID             `json:"id"`
	Labels     map[string]string `json:"labels,omitempty"`
	Priority   int               `json:"priority"`
	Desired    Desired           `json:"desired"`
	Objectives Objectives        `json:"objectives"`
	Budget     int64             `json:"budget,omitempty"` // millionths of the currency per hour, 0: no budget
	Policy     *Policy           `json:"policy"`           // shared by applications of a tenant: never change it
	Lifecycle  Lifecycle         `json:"lifecycle"`
	Components []Component       `json:"components"`
	Workflow   *Workflow         `json:"workflow,omitempty"` // nil: components start in the order of dependsOn
	Adopt      []Adoption        `json:"adopt,omitempty"`

	Digest Digest    `json:"digest,omitempty"`      // of everything above: what arbitration decides on
	Commit string    `json:"commit,omitempty"`      // the source commit that the spec was read from; "" in a fleet: that of the fleet
	At     Positions `json:"-" cbor:"at,omitempty"` // of what decisions quote: priority, budget, replicas, requests, pool

	// InForce has the values of Policy, each with the layer that set it and where. It is
	// shared like Policy, and no part of any digest or record.
	InForce []PolicyValue `json:"-"`

	// Release identifies what runs: what changes a pod, the place of an object or the
	// workflow. Applications of one release and different digests run the same under
	// equal grants, so one takes the place of the other without a run or a restart.
	// It follows from the rest, so it is computed and never recorded.
	Release Digest `json:"-"`
}

// AsOf returns a with the commit that it was read from, in a fleet of that commit.
func (a *Application) AsOf(commit string) *Application {
	if a == nil || a.Commit != "" {
		return a
	}
	read := *a
	read.Commit = commit
	return &read
}

// Component returns the named component. Nothing has none.
func (a *Application) Component(name string) (*Component, bool) {
	if a == nil {
		return nil, false
	}
	return Find(a.Components, name)
}

// Steps returns the steps of the workflow, none without one.
func (a *Application) Steps() []Step {
	if a == nil || a.Workflow == nil {
		return nil
	}
	return a.Workflow.Steps
}

// Desired is whether Git wants an application to run.
type Desired string

const (
	DesiredRunning    Desired = "running"
	DesiredSuspended  Desired = "suspended"  // ended, and may come back
	DesiredTerminated Desired = "terminated" // ended for good
)

// Objectives are the service levels that the application asks for.
type Objectives struct {
	Class        string        `json:"class,omitempty"`        // latency | throughput | batch
	Availability int           `json:"availability,omitempty"` // millionths
	LatencyP99   time.Duration `json:"latencyP99,omitempty"`
}

// Component is one part of an application. Its running form is a workload.
type Component struct {
	Name       string    `json:"name"`
	Type       string    `json:"type"`                 // webservice, worker, store, daemon, vm, windows-service, job, cron, config, secret, external-secret, raw, kustomize, helm, external
	Definition string    `json:"definition,omitempty"` // of the platform, that Type, Properties and Traits came from
	Runtime    string    `json:"runtime"`              // container, virtual-machine, process, wasm, nomad
	OS         string    `json:"os"`                   // linux, windows
	Replicas   int       `json:"replicas"`
	Critical   bool      `json:"critical"`
	DependsOn  []string  `json:"dependsOn,omitempty"`
	Connects   []string  `json:"connects,omitempty"` // components of other applications that it calls, as Peer reads them
	Requests   Resources `json:"requests"`           // of one replica
	Limits     Resources `json:"limits"`             // of one replica; 0: none
	QoS        string    `json:"qos"`                // name of a profile
	Degrade    *Degrade  `json:"degrade,omitempty"`
	Placement  Placement `json:"placement"`

	// Expect is how long a component that ends by itself is expected to run, 0: nobody says.
	// It changes nothing of what runs.
	Expect time.Duration `json:"expect,omitempty"`

	Properties json.RawMessage `json:"properties,omitempty"` // the runtime's spec, opaque to arbitration
	Traits     json.RawMessage `json:"traits,omitempty"`     // by trait name, opaque to arbitration

	// Source digests the files of the application's directory that the
	// component refers to (a kustomization, a chart, an encrypted file), "" if it refers to none.
	Source Digest `json:"source,omitempty"`

	// Health is CUE in which the definition says of what is live whether the component is
	// healthy, "" if it says nothing. It changes nothing of what runs.
	Health string `json:"health,omitempty"`
}

// Degrade is how far a component may be reduced when capacity is short.
type Degrade struct {
	MinReplicas int    `json:"minReplicas"`
	QoS         string `json:"qos,omitempty"` // profile while degraded, "": unchanged
}

// Placement is where a component may run.
type Placement struct {
	Pool     string    `json:"pool,omitempty"`     // "": arbitration chooses
	Flavours []Flavour `json:"flavours,omitempty"` // instead of a pool: where it may run, tried in order
	Spread   *Spread   `json:"spread,omitempty"`
	Together *Together `json:"together,omitempty"`
}

// Spread asks for replicas in different topology domains.
type Spread struct {
	Over string `json:"over"` // zone, rack, node
	Min  int    `json:"min"`  // distinct domains
}

// Configures returns what the component is to those that read it: "config" or "secret"; ""
// if it is something that runs, here or elsewhere.
func (c *Component) Configures() string {
	if c.Type == "external-secret" {
		return "secret"
	}
	if c.Type == "config" || c.Type == "secret" {
		return c.Type
	}
	return ""
}

// Elsewhere reports whether the component runs elsewhere: it takes nothing here, and has health.
func (c *Component) Elsewhere() bool { return c.Type == "external" }

// Runs reports whether the component is something that runs and takes capacity, in
// contrast to configuration and to what runs elsewhere.
func (c *Component) Runs() bool { return c.Configures() == "" && !c.Elsewhere() }

// Shows reports whether the component has replicas to show, in contrast to configuration, which
// is there or not.
func (c *Component) Shows() bool { return c.Configures() == "" }

// Finite reports whether the component ends by itself.
func (c *Component) Finite() bool { return c.Type == "job" }

// Asks is what one replica asks for: its requests, and where it has none the default of
// a policy, up to its limit.
func (c *Component) Asks(p *Policy) Resources {
	if !c.Runs() {
		return c.Requests
	}
	given := p.DefaultRequests
	if c.Limits.CPU > 0 {
		given.CPU = min(given.CPU, c.Limits.CPU)
	}
	if c.Limits.Memory > 0 {
		given.Memory = min(given.Memory, c.Limits.Memory)
	}
	return c.Requests.Or(given)
}

// WithoutTimes returns components without the times that they are expected to run, as records had them
// before there were any.
func WithoutTimes(components []Component) []Component {
	components = slices.Clone(components)
	for i := range components {
		components[i].Expect = 0
	}
	return components
}

// MinReplicas is the least number of replicas that the component can be
// degraded to. It is Replicas where no degradation is declared.
func (c *Component) MinReplicas() int {
	if c.Degrade == nil {
		return c.Replicas
	}
	return min(c.Degrade.MinReplicas, c.Replicas)
}
