package decode

import (
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// approvalDoc is schema.#Approval.
type approvalDoc struct {
	Run    string `json:"run"`
	Action string `json:"action"`
	Step   string `json:"step"`
	Stage  int    `json:"stage"`
	Why    string `json:"why"`

	Release string `json:"release"` // retry
}

// Approval returns the commands of one file of approvals, in order of the names in it.
// Only the commit of the file tells the person who asks, and the roles of that person.
func Approval(d layer.Document) ([]model.Command, []model.Problem) {
	if d.Problems != nil {
		return nil, d.Problems
	}
	var all map[string]approvalDoc
	if err := decode(d.JSON, &all); err != nil || len(all) == 0 {
		return nil, []model.Problem{d.Layer.Blame(catalogue.Required, "approval", "must decide something")}
	}
	var commands []model.Command
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a := all[name]
		commands = append(commands, model.Command{Action: a.Action, Run: model.Digest(a.Run), Step: a.Step, Stage: a.Stage, Release: model.Digest(a.Release), Why: a.Why})
	}
	return commands, nil
}
