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
