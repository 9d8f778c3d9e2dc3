package decode

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

type workflowDoc struct {
	Parallelism    int       `json:"parallelism"`
	Timeout        string    `json:"timeout"`
	RollbackWindow int       `json:"rollbackWindow"`
	Steps          []stepDoc `json:"steps"`
}

type stepDoc struct {
	Name      string            `json:"name"`
	Type      string            `json:"type"`
	DependsOn []string          `json:"dependsOn"`
	If        string            `json:"if"`
	Timeout   string            `json:"timeout"`
	OnFailure model.StepFailure `json:"onFailure"`
	Lock      string            `json:"lock"`
	Memo      bool              `json:"memo"`
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
		Properties: layer.Canonical(d.Properties),
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
