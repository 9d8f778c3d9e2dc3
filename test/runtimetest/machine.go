package runtimetest

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// Machine is what really runs in a runtime in memory. It outlives the adapters over it.
type Machine struct {
	mu      sync.Mutex
	parts   map[part]*program
	size    model.Resources
	changed []chan struct{} // of its adapters
	shut    chan struct{}   // its calls wait until it is closed; nil: it answers
	err     error           // of its calls
	calls   int             // that it carried out
}

// part is a component of an application, or the job of a step of its workflow.
type part struct {
	app       model.AppID
	component string
	intent    string
}

// program is what runs of a part.
type program struct {
	digest   model.Digest
	replicas int
	finite   bool
	edited   bool // by others
	failure  *model.Failure
}

// NewMachine returns a machine of a size.
func NewMachine(size model.Resources) *Machine {
	return &Machine{parts: map[part]*program{}, size: size}
}

// Programs lists what there is of an application, in order.
func (m *Machine) Programs(app model.AppID) (list []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for p := range m.parts {
		if p.app == app {
			list = append(list, p.component+p.intent)
		}
	}
	slices.Sort(list)
	return list
}

// Calls returns how many calls of Act the machine has carried out.
func (m *Machine) Calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

// Shut lets calls wait until open is called.
func (m *Machine) Shut() (open func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	shut := make(chan struct{})
	m.shut = shut
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.shut = nil
		close(shut)
	}
}

// Fail lets calls fail; nil lets them go through again.
func (m *Machine) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// Interfere lets somebody else change a component.
func (m *Machine) Interfere(app model.AppID, component string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parts[part{app: app, component: component}].edited = true
	m.wake()
}

// failureOf is what comes of a program whose properties say with which exit code it ends.
func failureOf(c *model.Component) *model.Failure {
	var p struct {
		Exit int `json:"exit"`
	}
	if json.Unmarshal(c.Properties, &p) != nil || p.Exit == 0 {
		return nil
	}
	return &model.Failure{Class: model.ClassRuntime, Reason: model.ProcessExit, ExitCode: p.Exit, Restarts: 1}
}

func (m *Machine) wake() {
	for _, c := range m.changed {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// begin waits until the machine answers, and returns how.
func (m *Machine) begin(done <-chan struct{}) error {
	m.mu.Lock()
	shut := m.shut
	m.mu.Unlock()
	if shut != nil {
		select {
		case <-shut:
		case <-done:
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// hold makes the machine hold what an assignment says.
func (m *Machine) hold(a *runtime.Assignment) (o runtime.Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o.App = a.App
	did := func(p part, action runtime.Action) {
		o.Results = append(o.Results, runtime.Result{Object: p.component + p.intent, Component: p.component, Action: action})
	}
	wanted := map[part]bool{}
	want := func(p part, is program) {
		wanted[p] = true
		switch there := m.parts[p]; {
		case there == nil:
			did(p, runtime.Created)
		case there.edited:
			did(p, runtime.Corrected)
		case there.digest != is.digest || there.replicas != is.replicas:
			did(p, runtime.Configured)
		default:
			return
		}
		m.parts[p] = &is
	}
	for i := range a.Components {
		c := &a.Components[i]
		p := part{app: a.App, component: c.Name}
		if c.Hold {
			wanted[p] = true
			continue
		}
		is := program{digest: model.WorkloadDigest(c.Component, c.State.Grant, c.State.Run), failure: failureOf(c.Component)}
		if c.Want == runtime.Running {
			is.replicas = c.State.Run
		}
		want(p, is)
	}
	for _, j := range a.Jobs {
		p := part{a.App, j.Component, j.Key}
		if wanted[p] = true; !j.Keep {
			want(p, program{digest: j.Spec, replicas: 1, finite: true})
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(m.parts), compareParts) {
		if p.app == a.App && !wanted[p] {
			delete(m.parts, p)
			did(p, runtime.Pruned)
		}
	}
	m.wake()
	return o
}
