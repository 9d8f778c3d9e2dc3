package workflow

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Why a step is where it is.
const (
	reasonDone       model.Reason = "Done"
	reasonMemo       model.Reason = "UnchangedInputs"
	reasonCondition  model.Reason = "ConditionNotMet"
	reasonFast       model.Reason = "FastRollback"
	reasonDependency model.Reason = "DependencyFailed"
	reasonEnded      model.Reason = "RunEnded"
	reasonFailing    model.Reason = "RunFailing"
	reasonSuperseded model.Reason = "Superseded"
	reasonStopped    model.Reason = "Stopped"
	reasonTurn       model.Reason = "WaitsForTurn"
	reasonAttempt    model.Reason = "AttemptFailed"
	reasonFinal      model.Reason = "NotRetryable"
	reasonNoAttempt  model.Reason = "AttemptsExhausted"
	reasonActing     model.Reason = "Acting"
	reasonApproved   model.Reason = "Approved"
	reasonResumed    model.Reason = "Resumed"
	reasonForgotten  model.Reason = "Restarted"
)

// Classes of failure that the engine finds itself. Those of components and jobs
// come with what the runtimes report. Trying again does not help against those in
// finalClasses.
const (
	ClassTimeout  = "timeout"
	ClassCheck    = "check-failed"
	ClassRejected = "rejected"
	ClassInput    = "input-missing"
	ClassOutput   = "output-too-large"
	ClassInvalid  = "invalid"
)

var finalClasses = []string{ClassRejected, ClassInput, ClassOutput, ClassInvalid, classExpired}

// kind is what a type of step does.
type kind interface {
	// begin prepares an attempt: what it sets is what the saved run says is to
	// be done.
	begin(p *pass, s *step) error
	// progress looks at what was reported of the attempt.
	progress(p *pass, s *step)
}

// An aborter undoes at once what an attempt that ends badly left half done.
type aborter interface{ abort(p *pass, s *step) }

// passive kinds wait for others and take no place among steps that act.
type passive interface{ passive() }

func kindOf(name string) kind {
	switch name {
	case "deploy":
		return deployStep{}
	case "canary", "blue-green":
		return stagedStep{}
	case "job":
		return jobStep{}
	case "check":
		return checkStep{}
	case "notify":
		return notifyStep{}
	case "wait":
		return waitStep{}
	case "approval":
		return approvalStep{}
	}
	return unknownStep{}
}

type unknownStep struct{}

func (unknownStep) begin(_ *pass, s *step) error {
	return fmt.Errorf("there is no type of step named %q", s.Type)
}
func (unknownStep) progress(*pass, *step) {}

func (s *step) acts() bool {
	_, waits := s.kind.(passive)
	return !waits && (s.rec.Phase == model.StepActive || s.rec.Phase == model.StepRetrying)
}

// key names the attempt: it is the idempotency key of what is done for it.
func (p *pass) key(s *step) string { return keyOf(&p.run, s.rec) }

func keyOf(run *model.Run, rec *model.StepRun) string {
	return string(run.ID) + "/" + rec.Name + "/" + strconv.Itoa(rec.Attempt)
}

// attempt begins the next attempt of a step.
func (p *pass) attempt(s *step) {
	rec := s.rec
	rec.Attempt++
	if rec.First == 0 {
		rec.First = rec.Attempt
	}
	if rec.Order == 0 {
		rec.Order = p.lastOrder() + 1
	}
	rec.Stage, rec.Probe, rec.Passed, rec.Missed, rec.Resumed, rec.Actors = 0, 0, 0, 0, false, nil
	rec.Next, rec.Until, rec.Outputs, rec.Job = time.Time{}, time.Time{}, nil, ""
	rec.Started = p.now
	rec.Deadline = p.now.Add(cmp.Or(s.Timeout, stepTimeout))
	p.enter(rec, model.StepActive, reasonActing, "")

	inputs, err := p.inputs(s)
	if err != nil {
		p.fail(s, ClassInput, err.Error())
		return
	}
	rec.Inputs = inputs
	if p.remembered(s) {
		return
	}
	if err := s.kind.begin(p, s); err != nil {
		p.fail(s, ClassInvalid, err.Error())
	}
}

func (p *pass) lastOrder() (last int) {
	for i := range p.run.Steps {
		last = max(last, p.run.Steps[i].Order)
	}
	return last
}

// progress carries a step on that has been started.
func (p *pass) progress(s *step) {
	switch s.rec.Phase {
	case model.StepActive:
		s.kind.progress(p, s)
		if s.rec.Phase == model.StepActive && !p.now.Before(s.rec.Deadline) {
			p.fail(s, ClassTimeout, "not done by "+s.rec.Deadline.UTC().Format(time.RFC3339))
		}
	case model.StepRetrying:
		if p.run.Phase == model.RunPaused || p.now.Before(s.rec.Next) {
			return
		}
		p.attempt(s)
	}
}

// succeed ends a step well.
func (p *pass) succeed(s *step, reason model.Reason, r *Result) {
	outputs, err := p.outputs(s, r)
	if err != nil {
		p.fail(s, ClassOutput, err.Error())
		return
	}
	s.rec.Outputs, s.rec.Next, s.rec.Until = outputs, time.Time{}, time.Time{}
	p.enter(s.rec, model.StepSucceeded, reason, "")
	p.remember(s)
}

// fail ends an attempt, and the step if it was the last or trying again is no use.
func (p *pass) fail(s *step, class, message string) {
	rec := s.rec
	if a, ok := s.kind.(aborter); ok && rec.Phase == model.StepActive {
		a.abort(p, s)
	}
	message = class + ": " + message
	rec.Next, rec.Until = time.Time{}, time.Time{}
	final := slices.Contains(finalClasses, class) || slices.Contains(s.Retry.NonRetryable, class)
	done := rec.Attempt - rec.First + 1
	switch {
	case !final && done < s.Retry.Attempts && !p.leaving(s):
		rec.Next = p.now.Add(p.pause(s, done))
		p.enter(rec, model.StepRetrying, reasonAttempt, message)
		return
	case final:
		p.enter(rec, model.StepFailed, reasonFinal, message)
	default:
		p.enter(rec, model.StepFailed, reasonNoAttempt, message)
	}
	p.failed(s)
}

// pause is the back-off after n attempts, and up to a tenth more, so that steps
// that failed together do not come back together.
func (p *pass) pause(s *step, n int) time.Duration {
	pause := s.Retry.Backoff.After(n)
	h := fnv.New32a()
	h.Write([]byte(p.key(s)))
	return pause + pause/10*time.Duration(h.Sum32()%1000)/1000
}

// cancel ends a step from outside.
func (p *pass) cancel(s *step, reason model.Reason) {
	switch s.rec.Phase {
	case model.StepActive:
		if a, ok := s.kind.(aborter); ok {
			a.abort(p, s)
		}
		fallthrough
	case model.StepRetrying:
		p.enter(s.rec, model.StepCancelled, reason, "")
	case model.StepPending, model.StepQueued:
		p.enter(s.rec, model.StepSkipped, reason, "")
	}
	s.rec.Next, s.rec.Until = time.Time{}, time.Time{}
}

func (p *pass) cancelAll(reason model.Reason) {
	for i := range p.steps {
		p.cancel(&p.steps[i], reason)
	}
}
