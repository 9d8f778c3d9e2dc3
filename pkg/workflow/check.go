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

func (c checkStep) begin(s *step) error {
	ask(s.rec)
	return c.valid()
}

func (c checkStep) progress(s *step) {
	r := c.takeAnswer(s)
	if s.rec.Phase == model.StepActive && s.rec.Passed >= c.times() {
		s.succeed(reasonDone, r)
	}
}

func (c checkStep) intent(run *model.Run, _ *model.Step, rec *model.StepRun) Intent {
	return c.probe(run, rec)
}

func (c checkStep) wait(_ *model.Step, rec *model.StepRun) Wait {
	return Wait{For: c.answers(rec), Until: rec.Deadline}
}

func (c *checkProperties) times() int { return max(1, c.Times) }

// answers counts the good answers, in words.
func (c *checkProperties) answers(rec *model.StepRun) string {
	return fmt.Sprintf("good answers: %d of %d so far", rec.Passed, c.times())
}

// probe is the probe that is out, if one is. There may be no check at all.
func (c *checkProperties) probe(run *model.Run, rec *model.StepRun) Intent {
	if c == nil || rec.Probe == 0 || !rec.Next.IsZero() {
		return Intent{}
	}
	return Intent{Key: probeKey(run, rec), Probe: &Probe{URL: c.URL, Prometheus: c.Prometheus, Query: c.Query}}
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

// ask sends the next probe out.
func ask(rec *model.StepRun) {
	rec.Probe++
	rec.Next = time.Time{}
}

// takeAnswer takes in the answer to the probe that is out, or sends the next probe
// when it is time. It fails the step when too many answers were bad.
func (c *checkProperties) takeAnswer(s *step) *Result {
	rec, now := s.rec, s.x.now
	if !rec.Next.IsZero() {
		if !now.Before(rec.Next) {
			ask(rec)
		}
		return nil
	}
	r := s.x.turn.result(probeKey(&s.x.run, rec))
	if r == nil {
		return nil
	}
	good, err := c.good(r)
	if err != nil {
		s.fail(ClassInvalid, err.Error())
		return r
	}
	if good {
		rec.Passed++
	} else {
		rec.Missed++
	}
	rec.Next = now.Add(cmp.Or(time.Duration(c.Every), everyDefault))
	if rec.Missed > c.Failures {
		s.fail(ClassCheck, cmp.Or(r.Message, "status "+strconv.Itoa(r.Status)+", value "+r.part("value")))
	}
	return r
}

func probeKey(run *model.Run, rec *model.StepRun) string {
	return keyOf(run, rec) + "/" + strconv.Itoa(rec.Probe)
}
