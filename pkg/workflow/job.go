package workflow

import (
	"cmp"
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// Result is the final answer to an intent.
type Result struct {
	Key     string // of the intent
	OK      bool   // the job ended well, an answer came, the notification was taken
	Class   string // of failure, if not OK
	Message string
	Status  int     // HTTP status, exit code
	Value   float64 // of a query
	Body    string  // of an HTTP answer; what a job left
}

// jobStep runs a component once, to its end.
type jobStep struct{}

func (jobStep) begin(p *pass, s *step) error {
	for _, name := range []string{s.Component, s.Undo} {
		if _, ok := p.spec.Component(name); !ok && (name != "" || s.Component == "") {
			return fmt.Errorf("there is no component %q", name)
		}
	}
	s.rec.Job = s.Component
	if s.Undo != "" {
		s.rec.Undo = &model.Undo{Component: s.Undo, Phase: model.StepPending}
	}
	return nil
}

func (jobStep) progress(p *pass, s *step) { p.takeResult(s) }

// takeResult ends an attempt as its result says.
func (p *pass) takeResult(s *step) {
	switch r := p.results[p.key(s)]; {
	case r == nil:
	case r.OK:
		p.succeed(s, reasonDone, r)
	default:
		p.fail(s, cmp.Or(r.Class, "failed"), r.Message)
	}
}

// notifyStep tells somebody outside, at least once.
type notifyStep struct{}

func (notifyStep) begin(_ *pass, s *step) error {
	var n notifyProperties
	return read(s.Step, &n)
}

func (notifyStep) progress(p *pass, s *step) { p.takeResult(s) }
