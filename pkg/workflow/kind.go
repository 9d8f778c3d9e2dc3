package workflow

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// kind is what a type of step does. Everything that depends on the type of a step
// is answered here.
type kind interface {
	traits() traits
	// begin prepares an attempt: what it sets is what the saved run says is to be
	// done.
	begin(s *step) error
	// progress looks at what was reported of the attempt.
	progress(s *step)
	// abort takes back at once what an attempt that ends badly left half done.
	abort(s *step)
	// intent is what is to be done outside for the attempt; its Job, Probe and
	// Notice are nil if there is nothing.
	intent(run *model.Run, decl *model.Step, rec *model.StepRun) Intent
	// wait says what the attempt waits for.
	wait(decl *model.Step, rec *model.StepRun) Wait
}

// traits are how the engine treats a type of step.
type traits struct {
	passive   bool             // waits for people or time, and takes no place among steps that act
	rollout   bool             // rolls out components
	fast      bool             // is done in a fast rollback, too
	memo      bool             // need not be done again with the same inputs
	approval  bool             // waits for approvals
	resumable bool             // a command ends its wait early
	finishes  []model.RunPhase // run phases in which a begun attempt still goes on to its end
}

// leavingPhases are those of a run that failed and has not ended.
var leavingPhases = []model.RunPhase{model.RunFailing, model.RunRollingBack}

func kindOf(name string) kind {
	switch name {
	case "deploy":
		return deployStep{}
	case "canary":
		return stagedStep{plan: canaryPlan}
	case "blue-green":
		return stagedStep{plan: blueGreenPlan}
	case "job":
		return jobStep{}
	case "notify":
		return notifyStep{}
	case "check":
		return checkStep{}
	case "wait":
		return waitStep{}
	case "approval":
		return approvalStep{}
	}
	return unknownStep{}
}

// simple answers for the types of steps with nothing to abort and nothing to do
// outside.
type simple struct{}

func (simple) abort(*step)                                           {}
func (simple) intent(*model.Run, *model.Step, *model.StepRun) Intent { return Intent{} }

type unknownStep struct{ simple }

func (unknownStep) traits() traits { return traits{} }
func (unknownStep) begin(s *step) error {
	return fmt.Errorf("there is no type of step named %q", s.Type)
}
func (unknownStep) progress(*step) {}
func (unknownStep) wait(_ *model.Step, rec *model.StepRun) Wait {
	return Wait{For: "being done", Until: rec.Deadline}
}
