package evaluate

import (
	"encoding/json"
	"maps"
	"path"
	"slices"

	"cuelang.org/go/cue"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/schema"
)

// approvalDoc is schema.#Approval.
type approvalDoc struct {
	Run    string `json:"run"`
	Action string `json:"action"`
	Step   string `json:"step"`
	Why    string `json:"why"`
}

// approvalResult is what one file of approvals/<tenant>/<app> asks for, in order of
// the names that it gives. Who asks, and with which roles, its commit says. There are
// no commands if there are problems.
type approvalResult struct {
	commands []model.Command
	problems []model.Problem
}

// evaluateApproval evaluates one file by itself: what is wrong with it is no reason
// to pass over what others decided.
func evaluateApproval(file source) (r approvalResult) {
	doc, own, problems := approvalDocument(file)
	if problems != nil {
		return approvalResult{problems: problems}
	}
	var all map[string]approvalDoc
	if err := decode(doc, &all); err != nil || len(all) == 0 {
		return approvalResult{problems: []model.Problem{own.blame(codeRequired, "approval", "must decide something")}}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d := all[name]
		r.commands = append(r.commands, model.Command{Action: d.Action, Run: model.Digest(d.Run), Step: d.Step, Why: d.Why})
	}
	return r
}

// approvalDocument returns what a file says, by the names that it gives.
func approvalDocument(file source) (json.RawMessage, layer, []model.Problem) {
	own, trees, problems := parseLayer("approval", []source{file})
	for _, tree := range trees {
		problems = append(problems, writtenOut(tree)...)
	}
	if len(problems) > 0 {
		return nil, own, problems
	}
	doc, _, problems := own.export("", []*layer{&own}, func(files []source) (cue.Value, error) {
		return buildValue(path.Dir(file.name), append([]source{bindApproval}, files...), schemaOfApproval())
	})
	return doc, own, problems
}

// approvalOf evaluates a file of approvals, here or elsewhere. Digest is that of its
// content. The error is as that of Backend.Evaluate.
func (e *Evaluator) approvalOf(digest string, file source) (approvalResult, error) {
	if e.backend == nil {
		return evaluateApproval(file), nil
	}
	a, err := e.answer(keyOf("approval", file.name, digest), request{Layer: "approval", Files: blobs([]source{file})})
	return approvalResult{a.Commands, a.Problems}, err
}

// bindApproval stands in for the file at the root of the repo.
var bindApproval = source{"fleet.cue", []byte("package fleet\n\nimport \"" + schema.ImportPath + "\"\n\nschema.#Decided\n")}

// schemaOfApproval is what of the schema concerns approvals.
func schemaOfApproval() (out []source) {
	for _, f := range schema.Files() {
		if f.Name == "approval.cue" || f.Name == "words.cue" {
			out = append(out, source{schema.ImportPath + "/" + f.Name, f.Data})
		}
	}
	return append(out, source{schema.ImportPath + "/decided.cue", []byte("package schema\n\n#Decided: approval: {#Approvals}\n")})
}
