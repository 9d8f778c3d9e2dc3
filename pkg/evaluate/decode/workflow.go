package decode

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

type workflowDoc struct {
	model.Workflow
	Timeout string    `json:"timeout"`
	Order   string    `json:"order"`
	Steps   []stepDoc `json:"steps"`
}

// listed is the order in which each step depends on the one before it. In the other one,
// no step depends on any: what a workflow without order means that was accepted before
// there was one.
const listed = "listed"

type stepDoc struct {
	model.Step
	Timeout string `json:"timeout"`
	Retry   struct {
		model.Retry
		Backoff backoffDoc `json:"backoff"`
	} `json:"retry"`
	Inputs  map[string]json.RawMessage `json:"inputs"` // a string, or {from}
	Outputs map[string]string          `json:"outputs"`
}

func (d *workflowDoc) workflow() *model.Workflow {
	if d == nil {
		return nil
	}
	w := d.Workflow
	w.Timeout = duration(d.Timeout)
	for i, s := range d.Steps {
		w.Steps = append(w.Steps, s.step())
		if d.Order == listed && i > 0 {
			w.Steps[i].DependsOn = []string{w.Steps[i-1].Name}
		}
	}
	return &w
}

func (d stepDoc) step() model.Step {
	s := d.Step
	s.DependsOn, s.Components = sorted(s.DependsOn), sorted(s.Components)
	s.Timeout = duration(d.Timeout)
	s.Retry = model.Retry{
		Attempts: cmp.Or(d.Retry.Attempts, 1), Backoff: d.Retry.Backoff.backoff(), NonRetryable: sorted(d.Retry.NonRetryable),
	}
	s.Properties = layer.Canonical(s.Properties)
	for _, name := range slices.Sorted(maps.Keys(d.Inputs)) {
		in := model.Input{Name: name}
		if json.Unmarshal(d.Inputs[name], &in.Value) != nil {
			in.From = gjson.GetBytes(d.Inputs[name], "from").String() // the schema has no third form
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
