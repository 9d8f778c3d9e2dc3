package workflow

import (
	"encoding/json"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// remembered ends a step that was done before with the same inputs, properties
// and component, and says so. Its outputs are those it left then.
func (p *pass) remembered(s *step) bool {
	if !memoizes(s) {
		return false
	}
	n := p.memo(s)
	if n < 0 || p.run.Memos[n].Digest != p.memoDigest(s) {
		return false
	}
	s.rec.Outputs = p.run.Memos[n].Outputs
	p.enter(s.rec, model.StepSucceeded, reasonMemo, "")
	return true
}

// remember keeps what a step was given and left.
func (p *pass) remember(s *step) {
	if !memoizes(s) {
		return
	}
	p.forget(s)
	p.run.Memos = append(p.run.Memos, model.Memo{Step: s.Name, Digest: p.memoDigest(s), Outputs: s.rec.Outputs})
	p.run.Memos = slices.DeleteFunc(p.run.Memos, func(m model.Memo) bool {
		other := p.step(m.Step)
		return other == nil || !memoizes(other)
	})
}

// memoizes says whether the step can be spared: what is brought to run is
// compared with what runs, and who is to be told is told.
func memoizes(s *step) bool { return s.Memo && (s.Type == "job" || s.Type == "check") }

// forget makes the step be done again.
func (p *pass) forget(s *step) {
	if n := p.memo(s); n >= 0 {
		p.run.Memos = slices.Delete(p.run.Memos, n, n+1)
	}
}

func (p *pass) memo(s *step) int {
	return slices.IndexFunc(p.run.Memos, func(m model.Memo) bool { return m.Step == s.Name })
}

func (p *pass) memoDigest(s *step) model.Digest {
	var content model.Digest
	if c, ok := p.spec.Component(s.Component); ok {
		content = c.Content(p.spec.ID)
	}
	return model.DigestOf(struct {
		Type       string
		Properties json.RawMessage
		Component  model.Digest
		Inputs     []model.Value
	}{s.Type, s.Properties, content, s.rec.Inputs})
}
