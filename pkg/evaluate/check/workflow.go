package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// A flow checks the workflow of one application.
type flow struct {
	app      *model.Application
	own      *layer.Layer
	at       map[string]int // place of a step in the list
	problems []model.Problem
}

// checkWorkflow blames steps of a workflow for references to nothing.
func checkWorkflow(a *model.Application, own *layer.Layer) []model.Problem {
	if a.Workflow == nil {
		return nil
	}
	f := flow{app: a, own: own, at: map[string]int{}}
	steps := a.Workflow.Steps
	for i := range steps {
		if first, twice := f.at[steps[i].Name]; twice {
			f.bad(i, catalogue.StepName, ".name", "names step %s, as step %d does", steps[i].Name, first+1)
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
	f.attempts()
	return f.problems
}

func (f *flow) bad(step int, code, below, format string, args ...any) {
	f.problems = append(f.problems, f.own.Blame(code, fmt.Sprintf("application.workflow.steps.%d%s", step, below), fmt.Sprintf(format, args...)))
}

func (f *flow) step(i int) *model.Step { return &f.app.Workflow.Steps[i] }

// order checks that steps depend on other steps of the workflow, without cycles.
func (f *flow) order() {
	for i := range f.app.Workflow.Steps {
		for _, name := range f.step(i).DependsOn {
			if _, ok := f.at[name]; !ok {
				f.bad(i, catalogue.StepRef, ".dependsOn", "depends on %s, which is no step of the workflow", name)
			}
		}
		trail := loop(f.step(i).Name, f.dependsOn)
		if trail != nil && !slices.ContainsFunc(trail, func(name string) bool { return f.at[name] < i }) { // once for each cycle
			f.bad(i, catalogue.StepCycle, ".dependsOn", "waits for itself: %s", strings.Join(trail, " → "))
		}
	}
}

func (f *flow) dependsOn(name string) []string {
	if at, ok := f.at[name]; ok {
		return f.step(at).DependsOn
	}
	return nil
}

// earlier returns the steps that have ended when step i begins.
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
