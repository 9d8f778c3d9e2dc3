package workflow

import "github.com/d-aros/d-aros/pkg/model"

// notifyStep sends a message to a receiver outside, at least once.
type notifyStep struct {
	simple
	notifyProperties
}

func (notifyStep) traits() traits { return traits{fast: true, finishes: leavingPhases} }

func (notifyStep) begin(*step) error { return nil }

func (notifyStep) progress(s *step) { s.takeResult() }

func (n notifyStep) intent(run *model.Run, decl *model.Step, rec *model.StepRun) Intent {
	first := *rec
	first.Attempt = rec.First
	notice := &Notice{
		URL: n.URL, Secret: n.Secret, Event: keyOf(run, &first), Message: n.Message,
		App: run.App, Run: run.ID, Spec: run.Spec, Inputs: rec.Inputs,
	}
	for _, name := range decl.DependsOn {
		if dep, ok := run.Step(name); ok {
			notice.Steps = append(notice.Steps, NoticeStep{dep.Name, dep.Phase, dep.Message})
		}
	}
	return Intent{Key: keyOf(run, rec), Notice: notice}
}

func (notifyStep) wait(_ *model.Step, rec *model.StepRun) Wait {
	return Wait{For: "the receiver to take the message", Until: rec.Deadline}
}
