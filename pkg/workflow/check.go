package workflow

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow/condition"
)

// everyDefault is the time between two probes where none is given.
const everyDefault = 10 * time.Second

// checkStep probes an address or a query until enough answers were good, or too
// many were bad.
type checkStep struct {
	simple
	checkProperties
}

func (checkStep) traits() traits { return traits{memo: true} }

func (c checkStep) asks() *checkProperties { return &c.checkProperties }

func (c checkStep) begin(s *step) error {
	if err := c.valid(); err != nil {
		return err
	}
	c.ask(s)
	return nil
}

func (c checkStep) progress(s *step) {
	if enough, last := c.ask(s); enough {
		s.succeed(reasonDone, last)
	}
}

func (c checkStep) wait(_ *model.Step, rec *model.StepRun) Wait {
	return Wait{For: c.answers(), Until: rec.Deadline}
}

func (c *checkProperties) times() int { return max(1, c.Times) }

// answers says which answers are needed.
func (c *checkProperties) answers() string {
	if c.times() == 1 {
		return "a good answer"
	}
	return fmt.Sprintf("%d good answers", c.times())
}

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

// good reports whether an answer is a success. A missing answer is not.
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

// ask counts the answer to the probe that is out, or sends the next one when it is time.
// It reports whether enough answers were good, with the answer that it has counted, and
// fails the step when too many were bad.
func (c *checkProperties) ask(s *step) (enough bool, last *Result) {
	tally, now := s.tally(), s.x.now
	if tally.Next.IsZero() {
		if last = s.x.turn.result(tally.key(keyOf(&s.x.run, s.rec))); last == nil {
			return tally.Good >= c.times(), nil
		}
		good, err := c.good(last)
		if err != nil {
			s.fail(ClassInvalid, err.Error())
			return false, last
		}
		if good {
			tally.Good++
		} else {
			tally.Bad++
		}
		tally.Next = now.Add(cmp.Or(time.Duration(c.Every), everyDefault))
	} else if !now.Before(tally.Next) {
		tally.Probe, tally.Next = tally.Probe+1, time.Time{}
	}
	s.count(tally)
	if tally.Bad > c.Failures {
		s.fail(ClassCheck, cmp.Or(last.Message, "status "+strconv.Itoa(last.Status)+", value "+last.part("value")))
		return false, last
	}
	return tally.Good >= c.times(), last
}
