package workflow_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// world is a tenant whose applications have workflows, and edges that do and
// report what a test says.
type world struct {
	apps   []*app
	now    time.Time
	limits workflow.Limits

	tallies workflow.Tallies // in memory
}

// app is an application with its latest run.
type app struct {
	declared declared
	spec     *model.Application // accepted by now
	runs     *model.Application // the spec that the run is of
	run      *model.Run
	commands []model.Command
	results  []workflow.Result
	seen     map[string]*workflow.Seen
	gone     bool
}

// declared is an application of a test, as people would write it.
type declared struct {
	Components     map[string]int `json:"components"` // replicas
	Jobs           []string       `json:"jobs"`
	Parallelism    int            `json:"parallelism"`
	Timeout        string         `json:"timeout"`
	RollbackWindow int            `json:"rollbackWindow"`
	Steps          []declaredStep `json:"steps"`
}

type declaredStep struct {
	Name       string   `json:"name"`
	Type       string   `json:"type"`
	DependsOn  []string `json:"dependsOn"`
	If         string   `json:"if"`
	Timeout    string   `json:"timeout"`
	OnFailure  string   `json:"onFailure"`
	Lock       string   `json:"lock"`
	Memo       bool     `json:"memo"`
	Components []string `json:"components"`
	Component  string   `json:"component"`
	Undo       string   `json:"undo"`
	Retry      struct {
		Attempts     int      `json:"attempts"`
		Pause        string   `json:"pause"`
		NonRetryable []string `json:"nonRetryable"`
	} `json:"retry"`
	Inputs  []model.Input  `json:"inputs"`
	Outputs []model.Output `json:"outputs"`

	Properties json.RawMessage `json:"properties"`
}

// application returns the declared application with images of a version.
func (d *declared) application(name, version string) *model.Application {
	a := model.Application{ID: model.AppID{Tenant: "acme", Name: name}, Desired: "running", Workflow: &model.Workflow{
		Parallelism: d.Parallelism, Timeout: parse(d.Timeout), RollbackWindow: d.RollbackWindow}}
	add := func(c model.Component) {
		c.Properties = fmt.Appendf(nil, `{"image":"%s:%s"}`, c.Name, version)
		a.Components = append(a.Components, c)
	}
	for name, n := range d.Components {
		add(model.Component{Name: name, Type: "webservice", Replicas: n})
	}
	for _, name := range d.Jobs {
		add(model.Component{Name: name, Type: "job", Replicas: 1})
	}
	slices.SortFunc(a.Components, func(x, y model.Component) int { return strings.Compare(x.Name, y.Name) })
	for _, s := range d.Steps {
		a.Workflow.Steps = append(a.Workflow.Steps, model.Step{
			Name: s.Name, Type: s.Type, DependsOn: s.DependsOn, If: s.If, Timeout: parse(s.Timeout), OnFailure: model.StepFailure(s.OnFailure),
			Lock: s.Lock, Memo: s.Memo, Components: s.Components, Component: s.Component, Undo: s.Undo,
			Retry: model.Retry{Attempts: s.Retry.Attempts, NonRetryable: s.Retry.NonRetryable,
				Backoff: model.Backoff{Initial: parse(s.Retry.Pause), Factor: 2, Max: 5 * time.Minute}},
			Inputs: s.Inputs, Outputs: s.Outputs, Properties: s.Properties,
		})
	}
	a = a.Seal()
	return &a
}

func parse(s string) time.Duration {
	if s == "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return d
}

// accept makes a spec the accepted one of the application. Its run begins with
// the next step, once the run before has ended.
func (w *world) accept(a *app, spec *model.Application) {
	a.spec = spec
	for i := range spec.Components {
		c := &spec.Components[i]
		if a.seen == nil {
			a.seen = map[string]*workflow.Seen{}
		}
		if a.seen[c.Name] == nil {
			a.seen[c.Name] = &workflow.Seen{Component: c.Name}
		}
		a.seen[c.Name].Granted = c.Replicas
	}
}

// turns returns what is known of all runs, some of which begin now.
func (w *world) turns() (turns []workflow.Turn, of []*app) {
	for _, a := range w.apps {
		if a.spec == nil {
			continue
		}
		run := a.run
		if run == nil || run.Phase.Ended() && run.Spec != a.spec.Release {
			begun := workflow.Start("", a.spec, 1, run, w.now)
			if run != nil {
				begun.Commands = run.Commands
			}
			run, a.runs = &begun, a.spec
		}
		t := workflow.Turn{Run: *run, Spec: a.runs, Wanted: a.spec.Release, Commands: a.commands, Results: a.results, Gone: a.gone, Tallies: w.tallies}
		for _, s := range a.seen {
			t.Seen = append(t.Seen, *s)
		}
		slices.SortFunc(t.Seen, func(x, y workflow.Seen) int { return strings.Compare(x.Component, y.Component) })
		turns, of = append(turns, t), append(of, a)
	}
	return turns, of
}

// step advances all runs once and reports whether anything changed, on the branch or in
// memory.
func (w *world) step() (changed bool) {
	turns, of := w.turns()
	runs, tallies := workflow.Advance(turns, w.limits, w.now)
	changed = !maps.Equal(tallies, w.tallies)
	w.tallies = tallies
	for i, next := range runs {
		changed = changed || of[i].run == nil || model.DigestOf(next) != model.DigestOf(*of[i].run)
		of[i].run = &next
	}
	return changed
}

// restart is a reconciler that begins anew: nothing is in memory.
func (w *world) restart() {
	w.tallies = nil
	for _, a := range w.apps {
		a.results = slices.DeleteFunc(a.results, func(r workflow.Result) bool { return strings.Count(r.Key, "/") == 3 }) // of probes
	}
}

func (a *app) placements() []workflow.Placement {
	return workflow.Placements(a.run, func(name string) int {
		if s := a.seen[name]; s != nil {
			return s.Granted
		}
		return 0
	})
}

// runtime makes the runtime show the component as it is placed now, ready or not.
func (a *app) runtime(component string, ready bool, failure *model.Failure) {
	s := a.seen[component]
	s.Versions = nil
	for _, p := range a.placements() {
		if p.Component != component {
			continue
		}
		v := workflow.SeenVersion{Content: p.Version.Content, Replicas: p.Replicas, Beside: p.Beside, Failure: failure}
		if ready {
			v.Ready = p.Replicas
		}
		s.Versions = append(s.Versions, v)
	}
}

// advance carries the run of a turn forward, and what is counted for it.
func advance(turn *workflow.Turn, now time.Time) {
	runs, tallies := workflow.Advance([]workflow.Turn{*turn}, workflow.Limits{}, now)
	turn.Run, turn.Tallies = runs[0], tallies
}
