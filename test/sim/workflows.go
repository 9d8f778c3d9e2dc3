package sim

import (
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/sim/reference"
)

// ruleWorkflow is what the reference model of workflows judges; it says which rule of docs/workflow.md.
const ruleWorkflow = "workflows do what their page says"

// workflows has the reference model judge a new version of the status branch.
func (w *World) workflows(before, after *model.Ledger) {
	w.disagree(w.reference.Judge(reference.Save{Before: before, After: after, Asked: func(app model.AppID) (asked []reference.Asked) {
		for _, r := range w.repo.commits[after.Commit].files {
			for _, c := range r.Asks {
				a := reference.Asked{Command: c}
				if a.Commit = r.Commit.Hash; r.App == app {
					if len(r.Commit.Signature) > 0 {
						a.By = "ann"
					}
					asked = append(asked, a)
				}
			}
		}
		return asked
	}}))
}

// executes has it judge the job of a step that a process is about to make. A process that cannot know the latest version
// does again what it did, whatever the other has ended since: a Lease keeps it from that, and there is none here.
func (w *World) executes(p *process, o *object, part part, t told) {
	if inst := p.says(part.app); o == nil && inst != nil && t.intent != "" && p.acts == w.origin.tip() {
		w.disagree(w.reference.Executes(inst, t.intent))
	}
}

func (w *World) disagree(b *reference.Broken) {
	if b != nil {
		w.violate(ruleWorkflow+": "+b.Rule, "%s", b.Detail)
	}
}
