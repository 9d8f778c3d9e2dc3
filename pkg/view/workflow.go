package view

import (
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// Workflow is the latest run of an application's workflow in short.
type Workflow struct {
	Run     model.Digest    `json:"run"`
	Number  int             `json:"number"`
	Phase   model.RunPhase  `json:"phase"`
	Message string          `json:"message,omitempty"`
	Waits   []workflow.Wait `json:"waits,omitempty"`
}

func workflowOf(in *model.Instance) *Workflow {
	r := in.Run
	if r == nil {
		return nil
	}
	return &Workflow{Run: r.ID, Number: r.Number, Phase: r.Phase, Message: r.Message, Waits: workflow.Waits(r, in.RunSpec())}
}

// Run is the latest run of the workflow of an application, with what it runs.
type Run struct {
	Run   *model.Run      `json:"run"`   // null: there was none yet
	Waits []workflow.Wait `json:"waits"` // of its steps
	Steps []model.Step    `json:"steps"` // as the spec of the run declares them; null: no record has that spec any more
}

// RunOf returns the latest run of an application. An application that the ledger does not know is an error.
func RunOf(l *model.Ledger, app model.AppID) (Run, error) {
	x, err := Explain(l, app)
	if err != nil {
		return Run{}, err
	}
	return Run{Run: x.Run, Waits: x.Waits, Steps: x.Instance.RunSpec().Steps()}, nil
}
