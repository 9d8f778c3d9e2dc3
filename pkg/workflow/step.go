package workflow

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Reasons for the phase of a step.
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

// Classes of failure that the engine finds itself. The runtimes report the classes
// of components and jobs. A retry does not help against the classes in finalClasses.
const (
	ClassTimeout  = "timeout"
	ClassCheck    = "check-failed"
	ClassRejected = "rejected"
	ClassInput    = "input-missing"
	ClassOutput   = "output-too-large"
	ClassInvalid  = "invalid"
)

var finalClasses = []string{
	ClassRejected, ClassInput, ClassOutput, ClassInvalid, classExpired,
	string(model.OutcomeImmutable), string(model.OutcomeInvalid), string(model.OutcomeKindUnknown), string(model.OutcomeForeign),
	string(model.OutcomeSecretUnreadable),
}

// step is a step as declared, its record and what its type does.
type step struct {
	x *execution
	*model.Step
	rec  *model.StepRun
	kind kind
}

// acts reports whether the step takes a place among the steps that act.
func (s *step) acts() bool {
	return !s.kind.traits().passive && (s.rec.Phase == model.StepActive || s.rec.Phase == model.StepRetrying)
}

// enter moves the step into a phase.
func (s *step) enter(phase model.StepPhase, reason model.Reason, message string) {
	enter(s.rec, phase, reason, message, s.x.now)
}

// keyOf names the attempt of a step: it is the idempotency key of what is done for
// it.
func keyOf(run *model.Run, rec *model.StepRun) string {
	return string(run.ID) + "/" + rec.Name + "/" + strconv.Itoa(rec.Attempt)
}

// attempt begins the next attempt of a step.
func (s *step) attempt() {
	rec := s.rec
	rec.Attempt++
	rec.First = cmp.Or(rec.First, rec.Attempt)
	if rec.Order == 0 {
		for i := range s.x.run.Steps {
			rec.Order = max(rec.Order, s.x.run.Steps[i].Order)
		}
		rec.Order++
	}
	rec.Stage, rec.Resumed, rec.Actors = 0, false, nil
	rec.Staged, rec.Next, rec.Until, rec.Outputs, rec.Job, rec.Key = time.Time{}, time.Time{}, time.Time{}, nil, "", ""
	rec.Started = s.x.now
	rec.Deadline = s.x.now.Add(cmp.Or(s.Timeout, stepTimeout))
	s.enter(model.StepActive, reasonActing, "")

	inputs, err := s.x.steps.inputs(s.Inputs)
	if err != nil {
		s.fail(ClassInput, err.Error())
		return
	}
	rec.Inputs = inputs
	if s.remembered() {
		return
	}
	if err := s.kind.begin(s); err != nil {
		s.fail(ClassInvalid, err.Error())
	}
}

// progress carries a started step on.
func (s *step) progress() {
	switch s.rec.Phase {
	case model.StepActive:
		s.rec.Probe, s.rec.Passed, s.rec.Missed, s.rec.Next = 0, 0, 0, time.Time{}
		s.kind.progress(s)
		if s.rec.Phase == model.StepActive && !s.x.now.Before(s.rec.Deadline) {
			s.fail(ClassTimeout, "not done by "+s.rec.Deadline.UTC().Format(time.RFC3339)+s.x.turn.lastSeen(keyOf(&s.x.run, s.rec)))
		}
	case model.StepRetrying:
		if s.x.run.Phase == model.RunPaused || s.x.now.Before(s.rec.Next) {
			return
		}
		s.attempt()
	}
}

// succeed ends a step well.
func (s *step) succeed(reason model.Reason, r *Result) {
	outputs, err := s.outputs(r)
	if err != nil {
		s.fail(ClassOutput, err.Error())
		return
	}
	s.rec.Outputs, s.rec.Next, s.rec.Until = outputs, time.Time{}, time.Time{}
	s.enter(model.StepSucceeded, reason, "")
	s.remember()
}

// fail ends an attempt. It ends the step too if that was the last attempt, or a
// retry does not help.
func (s *step) fail(class, message string) {
	rec := s.rec
	if rec.Phase == model.StepActive {
		s.kind.abort(s)
	}
	message = class + ": " + message
	rec.Next, rec.Until = time.Time{}, time.Time{}
	final := slices.Contains(finalClasses, class) || slices.Contains(s.Retry.NonRetryable, class)
	done := rec.Attempt - rec.First + 1
	switch {
	case !final && done < s.Retry.Attempts && !s.x.leaving(s.Step):
		rec.Next = s.x.now.Add(s.backoff(done))
		s.enter(model.StepRetrying, reasonAttempt, message)
		return
	case final:
		s.enter(model.StepFailed, reasonFinal, message)
	default:
		s.enter(model.StepFailed, reasonNoAttempt, message)
	}
	s.x.failed(s.Step)
}

// takeResult ends an attempt as its result says.
func (s *step) takeResult() {
	switch r := s.x.turn.result(keyOf(&s.x.run, s.rec)); {
	case r == nil:
	case r.OK:
		s.succeed(reasonDone, r)
	default:
		s.fail(cmp.Or(r.Class, "failed"), r.Message)
	}
}

// backoff is the pause after n attempts, and up to a tenth more, so that steps that
// failed together do not retry together.
func (s *step) backoff(n int) time.Duration {
	pause := s.Retry.Backoff.After(n)
	h := fnv.New32a()
	h.Write([]byte(keyOf(&s.x.run, s.rec)))
	return pause + pause/10*time.Duration(h.Sum32()%1000)/1000
}

// cancel ends a step from outside.
func (s *step) cancel(reason model.Reason) {
	switch s.rec.Phase {
	case model.StepActive:
		s.kind.abort(s)
		fallthrough
	case model.StepRetrying:
		s.enter(model.StepCancelled, reason, "")
	case model.StepPending, model.StepQueued:
		s.enter(model.StepSkipped, reason, "")
	}
	s.rec.Next, s.rec.Until = time.Time{}, time.Time{}
}
