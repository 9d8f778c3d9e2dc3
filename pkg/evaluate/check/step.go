package check

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/workflow/condition"
)

func (f *flow) components(i int) {
	s := f.step(i)
	staged := s.Type == "canary" || s.Type == "blue-green"
	for _, name := range s.Components {
		switch c, ok := f.app.Component(name); {
		case !ok:
			f.bad(i, catalogue.StepComponent, ".components", "names %s, which is no component of the application", name)
		case staged && c.Type != "webservice" && c.Type != "worker":
			f.bad(i, catalogue.StepType, ".components", "has two versions of %s side by side, which a component of type %s does not allow; webservice and worker do", name, c.Type)
		case staged:
			f.beside(i, c)
		}
	}
	for _, ref := range []struct{ field, name string }{{".component", s.Component}, {".undo", s.Undo}} {
		switch c, ok := f.app.Component(ref.name); {
		case ref.name == "":
		case !ok:
			f.bad(i, catalogue.StepComponent, ref.field, "names %s, which is no component of the application", ref.name)
		case c.Type != "job":
			f.bad(i, catalogue.StepType, ref.field, "runs %s, which is a %s; a job step runs a component of type job", ref.name, c.Type)
		}
	}
}

// beside checks that two versions of a component can run side by side.
func (f *flow) beside(i int, c *model.Component) {
	var traits traitsDoc
	json.Unmarshal(c.Traits, &traits) // the schema has checked its form
	if traits.Autoscale != nil {
		f.bad(i, catalogue.TwoVersions, ".components", "has two versions of %s side by side, and autoscale knows one: it would undo what the stages say", c.Name)
	}
	for _, s := range traits.Storage {
		if s.Type == "persistent" {
			f.bad(i, catalogue.TwoVersions, ".components", "has two versions of %s side by side, and they would share its one volume %s", c.Name, s.Name)
		}
	}
}

// attempts checks that a job of a step leaves it to the step how often it runs: the retry
// of a step counts its attempts, and each is to be one execution.
func (f *flow) attempts() {
	for i := range f.app.Components {
		c := &f.app.Components[i]
		path := []string{"application", "components", c.Name, "properties", "backoffLimit"}
		if c.Definition == "" && f.app.Workflow.Job(c.Name) && f.own.Writes(path...) {
			f.problems = append(f.problems, f.own.Blame(catalogue.StepBackoff, strings.Join(path, "."),
				"lets the runtime run the job of a step again; take it out, and write attempts into the retry of the step"))
		}
	}
}

// jobs checks that a step runs every job. Without a step the job would run when the
// workflow begins, beside all its steps, which is never intended.
func (f *flow) jobs() {
	for i := range f.app.Components {
		c := &f.app.Components[i]
		if c.Type != "job" || slices.ContainsFunc(f.app.Workflow.Steps, func(s model.Step) bool {
			return s.Component == c.Name || s.Undo == c.Name || slices.Contains(s.Components, c.Name) || s.Type == "deploy" && len(s.Components) == 0
		}) {
			continue
		}
		f.problems = append(f.problems, f.own.Blame(catalogue.NoStep, "application.components."+c.Name, "is a job, and no step of the workflow runs it"))
	}
}

func (f *flow) condition(i int, earlier map[string]bool) {
	s := f.step(i)
	if s.If == "" {
		return
	}
	c, err := condition.Parse(s.If)
	if err != nil {
		f.bad(i, catalogue.Condition, ".if", "is no condition: %s", text.Clean(err.Error()))
		return
	}
	for _, name := range c.Steps() {
		if !earlier[name] {
			f.bad(i, catalogue.StepRef, ".if", "asks for step %s, which does not come before; name it in dependsOn", name)
		}
	}
	for _, name := range c.Inputs() {
		if !slices.ContainsFunc(s.Inputs, func(in model.Input) bool { return in.Name == name }) {
			f.bad(i, catalogue.StepInput, ".if", "asks for input %s, which the step does not have", name)
		}
	}
}

func (f *flow) inputs(i int, earlier map[string]bool) {
	for _, in := range f.step(i).Inputs {
		if in.From == "" {
			continue
		}
		where := ".inputs." + in.Name + ".from"
		step, output, _ := strings.Cut(in.From, ".")
		at, ok := f.at[step]
		switch {
		case !ok:
			f.bad(i, catalogue.StepRef, where, "is from %s, which is no step of the workflow", step)
		case !earlier[step]:
			f.bad(i, catalogue.StepRef, where, "is from step %s, which does not come before; name it in dependsOn", step)
		case !slices.ContainsFunc(f.step(at).Outputs, func(o model.Output) bool { return o.Name == output }):
			f.bad(i, catalogue.StepInput, where, "is %s of step %s, which leaves no output of that name", output, step)
		}
	}
}

// stepProperties are the properties of a step that are checked beside the schema.
type stepProperties struct {
	checkProperties
	Stages []map[string]json.RawMessage `json:"stages"`
	Check  *checkProperties             `json:"check"`
}

type checkProperties struct {
	URL        string `json:"url"`
	Prometheus string `json:"prometheus"`
	Query      string `json:"query"`
	Success    string `json:"success"`
}

func (f *flow) properties(i int) {
	var p stepProperties
	json.Unmarshal(f.step(i).Properties, &p) // the schema has checked its form
	if f.step(i).Type == "check" {
		f.check(i, ".properties", p.checkProperties)
	}
	if p.Check != nil {
		f.check(i, ".properties.check", *p.Check)
	}
	for n, stage := range p.Stages {
		_, weight := stage["weight"]
		_, replicas := stage["replicas"]
		if weight == replicas {
			f.bad(i, catalogue.Stage, fmt.Sprintf(".properties.stages.%d", n), "says how much in no or two ways; write weight or replicas")
		}
	}
}

func (f *flow) check(i int, below string, c checkProperties) {
	if (c.URL == "") == (c.Prometheus == "") || (c.Query == "") != (c.Prometheus == "") {
		f.bad(i, catalogue.Check, below, "asks in no or two ways; write url, or prometheus and query")
	}
	if _, err := condition.ParseSuccess(c.Success); err != nil {
		f.bad(i, catalogue.Condition, below+".success", "is no condition: %s", text.Clean(err.Error()))
	}
}
