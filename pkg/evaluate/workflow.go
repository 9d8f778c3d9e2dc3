package evaluate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow/condition"
)

type workflowDoc struct {
	Parallelism    int       `json:"parallelism"`
	Timeout        string    `json:"timeout"`
	RollbackWindow int       `json:"rollbackWindow"`
	Steps          []stepDoc `json:"steps"`
}

type stepDoc struct {
	Name      string   `json:"name"`
	Type      string   `json:"type"`
	DependsOn []string `json:"dependsOn"`
	If        string   `json:"if"`
	Timeout   string   `json:"timeout"`
	OnFailure string   `json:"onFailure"`
	Lock      string   `json:"lock"`
	Memo      bool     `json:"memo"`
	Retry     struct {
		Attempts     int        `json:"attempts"`
		Backoff      backoffDoc `json:"backoff"`
		NonRetryable []string   `json:"nonRetryable"`
	} `json:"retry"`
	Inputs     map[string]json.RawMessage `json:"inputs"` // a string, or {from}
	Outputs    map[string]string          `json:"outputs"`
	Components []string                   `json:"components"`
	Component  string                     `json:"component"`
	Undo       string                     `json:"undo"`
	Properties json.RawMessage            `json:"properties"`
}

func (d *workflowDoc) workflow() *model.Workflow {
	if d == nil {
		return nil
	}
	w := &model.Workflow{Parallelism: d.Parallelism, Timeout: duration(d.Timeout), RollbackWindow: d.RollbackWindow}
	for _, s := range d.Steps {
		w.Steps = append(w.Steps, s.step())
	}
	return w
}

func (d stepDoc) step() model.Step {
	s := model.Step{
		Name: d.Name, Type: d.Type, DependsOn: sorted(d.DependsOn), If: d.If,
		Timeout: duration(d.Timeout), OnFailure: d.OnFailure, Lock: d.Lock, Memo: d.Memo,
		Retry: model.Retry{
			Attempts: cmp.Or(d.Retry.Attempts, 1), Backoff: d.Retry.Backoff.backoff(), NonRetryable: sorted(d.Retry.NonRetryable),
		},
		Components: sorted(d.Components), Component: d.Component, Undo: d.Undo,
		Properties: canonical(d.Properties),
	}
	for _, name := range slices.Sorted(maps.Keys(d.Inputs)) {
		in := model.Input{Name: name}
		if json.Unmarshal(d.Inputs[name], &in.Value) != nil {
			var source struct {
				From string `json:"from"`
			}
			json.Unmarshal(d.Inputs[name], &source) // the schema has no third form
			in.From = source.From
		}
		s.Inputs = append(s.Inputs, in)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Outputs)) {
		s.Outputs = append(s.Outputs, model.Output{Name: name, From: d.Outputs[name]})
	}
	return s
}

// A flow checks the workflow of one application.
type flow struct {
	app      *model.Application
	own      *layer
	at       map[string]int // place of a step in the list
	problems []model.Problem
}

// checkWorkflow says what the steps of a workflow refer to in vain.
func checkWorkflow(a *model.Application, own *layer) []model.Problem {
	if a.Workflow == nil {
		return nil
	}
	f := flow{app: a, own: own, at: map[string]int{}}
	steps := a.Workflow.Steps
	for i := range steps {
		if first, twice := f.at[steps[i].Name]; twice {
			f.bad(i, codeStepName, ".name", "names step %s, as step %d does", steps[i].Name, first+1)
			continue
		}
		f.at[steps[i].Name] = i
	}
	f.order()
	for i := range steps {
		earlier := f.earlier(i)
		f.components(i)
		f.condition(i, earlier)
		f.inputs(i, earlier)
		f.properties(i)
	}
	f.jobs()
	return f.problems
}

func (f *flow) bad(step int, code, below, format string, args ...any) {
	f.problems = append(f.problems, f.own.blame(code, fmt.Sprintf("application.workflow.steps.%d%s", step, below), fmt.Sprintf(format, args...)))
}

func (f *flow) step(i int) *model.Step { return &f.app.Workflow.Steps[i] }

// order checks that steps depend on steps, and not on themselves.
func (f *flow) order() {
	for i := range f.app.Workflow.Steps {
		for _, name := range f.step(i).DependsOn {
			if _, ok := f.at[name]; !ok {
				f.bad(i, codeStepRef, ".dependsOn", "depends on %s, which is no step of the workflow", name)
			}
		}
		if trail := f.loop(i); trail != nil && i == slices.Min(f.places(trail)) {
			f.bad(i, codeStepCycle, ".dependsOn", "waits for itself: %s", strings.Join(trail, " → "))
		}
	}
}

func (f *flow) places(names []string) (out []int) {
	for _, name := range names {
		out = append(out, f.at[name])
	}
	return out
}

// loop returns the shortest way from a step back to itself.
func (f *flow) loop(i int) []string {
	name := f.step(i).Name
	seen := map[string]bool{}
	trails := [][]string{{name}}
	for len(trails) > 0 {
		trail := trails[0]
		trails = trails[1:]
		at, ok := f.at[trail[len(trail)-1]]
		if !ok {
			continue
		}
		for _, next := range f.step(at).DependsOn {
			if next == name {
				return append(slices.Clone(trail), name)
			}
			if !seen[next] {
				seen[next] = true
				trails = append(trails, append(slices.Clone(trail), next))
			}
		}
	}
	return nil
}

// earlier are the steps that have ended when a step begins.
func (f *flow) earlier(i int) map[string]bool {
	seen := map[string]bool{}
	var visit func(i int)
	visit = func(i int) {
		for _, name := range f.step(i).DependsOn {
			if at, ok := f.at[name]; ok && !seen[name] {
				seen[name] = true
				visit(at)
			}
		}
	}
	visit(i)
	return seen
}

func (f *flow) components(i int) {
	s := f.step(i)
	staged := s.Type == "canary" || s.Type == "blue-green"
	for _, name := range s.Components {
		switch c, ok := f.app.Component(name); {
		case !ok:
			f.bad(i, codeStepComponent, ".components", "names %s, which is no component of the application", name)
		case staged && c.Type != "webservice" && c.Type != "worker":
			f.bad(i, codeStepType, ".components", "has two versions of %s side by side, which a component of type %s does not allow; webservice and worker do", name, c.Type)
		case staged:
			f.beside(i, c)
		}
	}
	for _, ref := range []struct{ field, name string }{{".component", s.Component}, {".undo", s.Undo}} {
		switch c, ok := f.app.Component(ref.name); {
		case ref.name == "":
		case !ok:
			f.bad(i, codeStepComponent, ref.field, "names %s, which is no component of the application", ref.name)
		case c.Type != "job":
			f.bad(i, codeStepType, ref.field, "runs %s, which is a %s; a job step runs a component of type job", ref.name, c.Type)
		}
	}
}

// beside checks that two versions of a component can run side by side.
func (f *flow) beside(i int, c *model.Component) {
	var traits traitsDoc
	json.Unmarshal(c.Traits, &traits) // the schema has checked its form
	if traits.Autoscale != nil {
		f.bad(i, codeTwoVersions, ".components", "has two versions of %s side by side, and autoscale knows one: it would undo what the stages say", c.Name)
	}
	for _, s := range traits.Storage {
		if s.Type == "persistent" {
			f.bad(i, codeTwoVersions, ".components", "has two versions of %s side by side, and they would share its one volume %s", c.Name, s.Name)
		}
	}
}

// jobs checks that some step deals with every job: else it would run when the run
// begins, beside all that the workflow does, which nobody means who writes one.
func (f *flow) jobs() {
	for i := range f.app.Components {
		c := &f.app.Components[i]
		if c.Type != "job" || slices.ContainsFunc(f.app.Workflow.Steps, func(s model.Step) bool {
			return s.Component == c.Name || s.Undo == c.Name || slices.Contains(s.Components, c.Name) || s.Type == "deploy" && len(s.Components) == 0
		}) {
			continue
		}
		f.problems = append(f.problems, f.own.blame(codeNoStep, "application.components."+c.Name, "is a job, and no step of the workflow runs it"))
	}
}

func (f *flow) condition(i int, earlier map[string]bool) {
	s := f.step(i)
	if s.If == "" {
		return
	}
	c, err := condition.Parse(s.If)
	if err != nil {
		f.bad(i, codeCondition, ".if", "is no condition: %s", oneLine(err.Error()))
		return
	}
	for _, name := range c.Steps() {
		if !earlier[name] {
			f.bad(i, codeStepRef, ".if", "asks for step %s, which does not come before; name it in dependsOn", name)
		}
	}
	for _, name := range c.Inputs() {
		if !slices.ContainsFunc(s.Inputs, func(in model.Input) bool { return in.Name == name }) {
			f.bad(i, codeStepInput, ".if", "asks for input %s, which the step does not have", name)
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
			f.bad(i, codeStepRef, where, "is from %s, which is no step of the workflow", step)
		case !earlier[step]:
			f.bad(i, codeStepRef, where, "is from step %s, which does not come before; name it in dependsOn", step)
		case !slices.ContainsFunc(f.step(at).Outputs, func(o model.Output) bool { return o.Name == output }):
			f.bad(i, codeStepInput, where, "is %s of step %s, which leaves no output of that name", output, step)
		}
	}
}

// stepProperties are what of the properties of a step is checked beside the schema.
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
			f.bad(i, codeStage, fmt.Sprintf(".properties.stages.%d", n), "says how much in no or two ways; write weight or replicas")
		}
	}
}

func (f *flow) check(i int, below string, c checkProperties) {
	if (c.URL == "") == (c.Prometheus == "") || (c.Query == "") != (c.Prometheus == "") {
		f.bad(i, codeCheck, below, "asks in no or two ways; write url, or prometheus and query")
	}
	if _, err := condition.ParseSuccess(c.Success); err != nil {
		f.bad(i, codeCondition, below+".success", "is no condition: %s", oneLine(err.Error()))
	}
}

// backoffDoc is schema.#Backoff.
type backoffDoc struct {
	Initial string `json:"initial"`
	Factor  int    `json:"factor"`
	Max     string `json:"max"`
}

func (d backoffDoc) backoff() model.Backoff {
	b := model.Backoff{Initial: durationOr(d.Initial, 10*time.Second), Factor: cmp.Or(d.Factor, 2)}
	b.Max = durationOr(d.Max, max(5*time.Minute, b.Initial))
	return b
}
