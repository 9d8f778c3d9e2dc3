package workflow

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// kind is what a type of step does. Everything that depends on the type of a step
// is answered here.
type kind interface {
	traits() traits
	// begin prepares an attempt. The saved run then shows what is to be done.
	begin(s *step) error
	// progress looks at what was reported of the attempt.
	progress(s *step)
	// abort takes back at once what an attempt that ends badly left half done.
	abort(s *step)
	// asks is what the attempt probes, nil if that is nothing.
	asks() *checkProperties
	// intent is the request to the outside for the attempt; its Job and Notice are nil
	// if there is nothing. What it probes is no part of it.
	intent(run *model.Run, decl *model.Step, rec *model.StepRun) Intent
	// wait describes what the attempt waits for.
	wait(decl *model.Step, rec *model.StepRun) Wait
}

// traits are how the engine treats a type of step.
type traits struct {
	passive   bool             // waits for people or time, and takes no place among steps that act
	rollout   bool             // rolls out components
	fast      bool             // is done in a fast rollback, too
	memo      bool             // need not be done again with the same inputs
	people    bool             // cannot end well before a person acts
	resumable bool             // a command ends its wait early
	finishes  []model.RunPhase // run phases in which a begun attempt still goes on to its end
}

// leavingPhases are the phases of a run that failed and has not ended.
var leavingPhases = []model.RunPhase{model.RunFailing, model.RunRollingBack}

// kindOf returns what a step does, with its properties.
func kindOf(decl *model.Step) kind {
	switch decl.Type {
	case "deploy":
		return deployStep{}
	case "canary":
		return kindWith(decl, canaryProperties.staged)
	case "blue-green":
		return kindWith(decl, blueGreenProperties.staged)
	case "job":
		return jobStep{}
	case "notify":
		return kindWith(decl, func(p notifyProperties) kind { return notifyStep{notifyProperties: p} })
	case "check":
		return kindWith(decl, func(p checkProperties) kind { return checkStep{checkProperties: p} })
	case "wait":
		return kindWith(decl, func(p waitProperties) kind { return waitStep{waitProperties: p} })
	case "approval":
		return kindWith(decl, func(p approvalProperties) kind { return approvalStep{approvalProperties: p} })
	}
	return invalidStep{deployStep{}, traits{}, fmt.Errorf("there is no type of step named %q", decl.Type)}
}

// kindWith decodes the properties of a step.
func kindWith[P any](decl *model.Step, of func(P) kind) kind {
	var p P
	err := read(decl, &p)
	k := of(p)
	if err != nil {
		return invalidStep{k, k.traits(), err}
	}
	return k
}

// simple answers for the types of steps with nothing to abort, nothing to probe and nothing to do
// outside.
type simple struct{}

func (simple) asks() *checkProperties                                { return nil }
func (simple) abort(*step)                                           {}
func (simple) intent(*model.Run, *model.Step, *model.StepRun) Intent { return Intent{} }

// invalidStep is a step whose type or properties are invalid: it fails when it begins.
type invalidStep struct {
	kind
	as  traits
	err error
}

func (k invalidStep) traits() traits                                      { return k.as }
func (k invalidStep) begin(*step) error                                   { return k.err }
func (k invalidStep) progress(s *step)                                    { s.fail(ClassInvalid, k.err.Error()) }
func (invalidStep) asks() *checkProperties                                { return nil }
func (invalidStep) intent(*model.Run, *model.Step, *model.StepRun) Intent { return Intent{} }
func (invalidStep) wait(_ *model.Step, rec *model.StepRun) Wait {
	return Wait{For: "being done", Until: rec.Deadline}
}
