package qos

import "github.com/d-aros/d-aros/pkg/model"

// Controller decides the settings of one resource. One more is a file with its knobs, a row
// in controllers, and cases in testdata.
type Controller struct {
	name  string          // of the controller of cgroups that has the knobs, as [Host] names it
	knobs map[string]Knob // the files that decide may name

	// decide adds what the plan needs of the resource on the host, and what of that the host
	// cannot keep. Equal states give equal results.
	decide func(*decision)
}

// controllers are in the order in which the admitted plan is put before them, which says
// nothing: none sees what another decides.
var controllers = []Controller{
	memoryController, processorsController, processorSetsController, disksController, tasksController, hugePagesController, uplinkController,
}

// State is what a controller decides from.
type State struct {
	Plan     Plan // with the reservations that were admitted
	Host     Host
	Ceilings map[string]Ceiling // by workload, that follow the load
}

// knobs are those of all controllers, by file.
var knobs = map[string]Knob{}

func init() {
	for _, c := range controllers {
		for file, k := range c.knobs {
			k.Controller = c.name
			knobs[file] = k
		}
	}
}

// decision is the work of controllers.
type decision struct {
	State
	out Enforcement
}

func (r *decision) set(w, cgroup, file, value string) {
	r.out.Settings = append(r.out.Settings, Setting{Cgroup: cgroup, File: file, Value: value, Workload: w, Floor: w == ""})
}

func (r *decision) degrade(w, promise, instead, reason string) {
	r.reduce(w, promise, instead, reason, model.Resources{}, model.Resources{})
}

// reduce is degrade where only a part of a reservation is kept.
func (r *decision) reduce(w, promise, instead, reason string, reserved, kept model.Resources) {
	r.out.Degradations = append(r.out.Degradations, Degradation{w, promise, instead, reason, reserved, kept})
}
