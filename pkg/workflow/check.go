package workflow

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow/condition"
)

// everyDefault is the time between two probes where none is given.
const everyDefault = 10 * time.Second

// checkStep asks an address or a query until enough answers were good, or too
// many bad.
type checkStep struct{}

func (checkStep) begin(p *pass, s *step) error {
	var c checkProperties
	if err := read(s.Step, &c); err != nil {
		return err
	}
	p.ask(s)
	return c.valid()
}

func (checkStep) progress(p *pass, s *step) {
	var c checkProperties
	if err := read(s.Step, &c); err != nil {
		p.fail(s, ClassInvalid, err.Error())
		return
	}
	r := p.answer(s, &c)
	if s.rec.Phase == model.StepActive && s.rec.Passed >= c.times() {
		p.succeed(s, reasonDone, r)
	}
}

func (c *checkProperties) times() int { return max(1, c.Times) }

func (c *checkProperties) valid() error {
	if (c.URL == "") == (c.Query == "") {
		return errors.New("a check asks either a url or a query")
	}
	if c.Query != "" && c.Success == "" {
		return errors.New(`a check with a query says what is a success, for example success: "value < 0.01"`)
	}
	_, err := c.good(&Result{OK: true})
	return err
}

// good says whether an answer is a success. No answer is none.
func (c *checkProperties) good(r *Result) (bool, error) {
	if c.Success == "" {
		return r.OK && r.Status >= 200 && r.Status < 300, nil
	}
	success, err := condition.ParseSuccess(c.Success)
	if err != nil || !r.OK {
		return false, err
	}
	yes, err := success.Accepts(condition.Answer{Status: r.Status, Value: r.Value, Body: r.Body})
	if err != nil {
		return false, nil // it is the answer that makes no sense
	}
	return yes, nil
}

// ask sends the next probe out.
func (p *pass) ask(s *step) {
	s.rec.Probe++
	s.rec.Next = time.Time{}
}

// answer takes in the answer to the probe that is out, or sends the next one when
// it is time. It fails the step when too many were bad.
func (p *pass) answer(s *step, c *checkProperties) *Result {
	if !s.rec.Next.IsZero() {
		if !p.now.Before(s.rec.Next) {
			p.ask(s)
		}
		return nil
	}
	r := p.results[probeKey(&p.run, s.rec)]
	if r == nil {
		return nil
	}
	good, err := c.good(r)
	if err != nil {
		p.fail(s, ClassInvalid, err.Error())
		return r
	}
	if good {
		s.rec.Passed++
	} else {
		s.rec.Missed++
	}
	s.rec.Next = p.now.Add(cmp.Or(time.Duration(c.Every), everyDefault))
	if s.rec.Missed > c.Failures {
		p.fail(s, ClassCheck, cmp.Or(r.Message, "status "+strconv.Itoa(r.Status)+", value "+r.part("value")))
	}
	return r
}

func probeKey(run *model.Run, rec *model.StepRun) string {
	return keyOf(run, rec) + "/" + strconv.Itoa(rec.Probe)
}
