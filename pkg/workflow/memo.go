package workflow

import (
	"encoding/json"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// remembered ends a step that was done before with the same inputs, properties
// and component, and reports whether it was. Its outputs are those it left then.
func (s *step) remembered() bool {
	if !memoizes(s.Step) {
		return false
	}
	memo, ok := model.Find(s.x.run.Memos, s.Name)
	if !ok || memo.Digest != s.memoDigest((*model.Component).Content) && memo.Digest != s.memoDigest((*model.Component).FormerContent) {
		return false
	}
	s.rec.Outputs = memo.Outputs
	s.enter(model.StepSucceeded, reasonMemo, "")
	return true
}

// remember keeps what a step was given and left.
func (s *step) remember() {
	if !memoizes(s.Step) {
		return
	}
	run := &s.x.run
	forget(run, s.Name)
	run.Memos = append(run.Memos, model.Memo{Step: s.Name, Digest: s.memoDigest((*model.Component).Content), Outputs: s.rec.Outputs})
	run.Memos = slices.DeleteFunc(run.Memos, func(m model.Memo) bool {
		other := s.x.steps.find(m.Step)
		return other == nil || !memoizes(other.Step)
	})
}

// memoizes reports whether a step need not be done again with the same inputs. A
// rollout is compared with what runs, and a message is always sent.
func memoizes(s *model.Step) bool { return s.Memo && kindOf(s).traits().memo }

// forget makes a step be done again.
func forget(run *model.Run, step string) {
	run.Memos = slices.DeleteFunc(run.Memos, func(m model.Memo) bool { return m.Step == step })
}

// memoDigest identifies what the step is given, with the content of its component.
func (s *step) memoDigest(of func(*model.Component, model.AppID) model.Digest) model.Digest {
	var content model.Digest
	if c, ok := s.x.spec.Component(s.Component); ok {
		content = of(c, s.x.spec.ID)
	}
	return model.DigestOf(struct {
		Type       string
		Properties json.RawMessage
		Component  model.Digest
		Inputs     []model.Value
	}{s.Type, s.Properties, content, s.rec.Inputs})
}
