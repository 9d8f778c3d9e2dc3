package announce

import (
	"fmt"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// What says what changed, such as "Scheduled → Running" or "step migrate: stage 1 passed".
func (a *Announcement) What() string {
	step := "step " + a.Step
	switch a.Kind {
	case Transition, Admission:
		if a.From == a.To {
			return "stays " + a.To
		}
		return a.arrow()
	case Run:
		return fmt.Sprintf("run %d: %s", a.Run, a.arrow())
	case Step:
		return step + ": " + a.arrow()
	case Stage:
		return fmt.Sprintf("%s: stage %d %s", step, a.Stage, a.To)
	case Undo:
		return "undo of " + step + ": " + a.arrow()
	case Command:
		if a.Step == "" {
			return fmt.Sprintf("%s run %d", a.To, a.Run)
		}
		return fmt.Sprintf("%s %s of run %d", a.To, step, a.Run)
	case Outcome, Drift:
		return a.Object + ": " + a.arrow()
	case Commit:
		return "commit " + brief(a.To)
	case MovedBack:
		return "moved back: commit " + brief(a.From) + " → " + brief(a.To)
	case Refusal:
		return "commit " + brief(a.Commit) + " refused"
	}
	return string(a.Kind) + ": " + a.arrow()
}

func brief(commit string) string { return commit[:min(10, len(commit))] }

func (a *Announcement) arrow() string {
	if a.From == "" {
		return a.To
	}
	return a.From + " → " + a.To
}

// Why says why, and who did it, "" if there is nothing to say.
func (a *Announcement) Why() string {
	why := string(a.Reason)
	switch {
	case why == "":
		why = a.Message
	case a.Message != "":
		why += ": " + a.Message
	}
	if a.By != "" {
		why = strings.TrimSpace(why + " by " + a.By)
	}
	return why
}

// Event is what a Kubernetes Event says to people who look at the cluster.
type Event struct {
	Key     string // of the announcement, so that whoever repeats it makes the same Event
	At      time.Time
	Reason  string
	Text    string
	Warning bool
}

// Event returns what a Kubernetes Event says of the announcement, and false if there is
// nothing that people have to know.
func (a *Announcement) Event() (e Event, ok bool) {
	reason, text, warning := a.says()
	return Event{a.Key.String(), a.At, reason, text, warning}, reason != ""
}

func (a *Announcement) says() (reason, text string, warning bool) {
	because := func(text string) string { return strings.TrimSuffix(text+": "+a.Message, ": ") }
	switch a.Kind {
	case Transition:
		return string(a.Reason), because(a.App.Name + " is " + a.To), a.To == string(model.PhaseDegraded) || a.To == string(model.PhaseRejected)
	case Hold:
		if a.To == "held" {
			return "ReleaseHeld", a.Message + " was rolled back and is not tried again", true
		}
		return "HoldLifted", a.Message + " may be tried again", false
	case Run:
		if e, told := ofRuns[model.RunPhase(a.To)]; told {
			return e.reason, because(strings.ReplaceAll(e.text, "APPLICATION", a.App.String())), e.warning
		}
	case Step:
		switch {
		case a.To == string(model.StepFailed):
			return "StepFailed", because("step " + a.Step + " has failed"), true
		case a.To == string(model.StepActive) && a.Type == "approval":
			return "ApprovalNeeded", "step " + a.Step + " waits for approval: reconciler approve " + a.App.String() + " " + a.Step, false
		}
	case Stage:
		return "StagePassed", fmt.Sprintf("step %s has passed stage %d", a.Step, a.Stage), false
	case Undo:
		switch a.To {
		case string(model.StepSucceeded):
			return "StepUndone", "step " + a.Step + " was taken back", true
		case string(model.StepFailed):
			return "UndoFailed", because("step " + a.Step + " could not be taken back"), true
		}
	case Command:
		if a.Reason == ReasonRefused {
			return "CommandRefused", because(a.What() + " by " + a.By + " was refused"), true
		}
		return "CommandTaken", a.What() + " by " + a.By, false
	case Outcome:
		return a.outcomeEvent()
	case Drift:
		return "DriftCorrected", a.Object + ": " + a.Message, true
	case MovedBack:
		return "SourceMovedBack", "commit " + brief(a.To) + " does not follow from " + brief(a.From) + ", which was in force", true
	case Source:
		if a.To == "lost" {
			return "SourceLost", because("the fleet repo cannot be read"), true
		}
		return "SourceBack", "the fleet repo can be read again", false
	case Refusal:
		return "CommitRefused", because("commit " + brief(a.Commit) + " is not followed"), true
	}
	return "", "", false
}

func (a *Announcement) outcomeEvent() (reason, text string, warning bool) {
	switch {
	case a.Reason == model.OutcomeEvictionAsked && a.To != "refused":
		return "PromiseKept", a.Object + " has memory again, and asks for nobody's end", false
	case a.Reason == model.OutcomeReservationReduced || a.Reason == model.OutcomeSettingRefused || a.Reason == model.OutcomeEvictionAsked:
		if a.To != "refused" {
			return "PromiseKept", a.Object + " keeps again what it promised (" + string(a.Reason) + ")", false
		}
		return string(a.Reason), a.Message, true
	case a.To != "refused":
		return "ApplySettled", a.Object + " is not refused any more (" + string(a.Reason) + ")", false
	case a.Reason == model.OutcomeImageUnavailable, a.Reason == model.OutcomeSecretMissing, a.Reason == model.OutcomeNothingAdopted:
		return string(a.Reason), a.Message, true
	}
	return "ApplyFailed", a.Message + " (" + string(a.Reason) + ")", true
}

// ofRuns is what Events say of runs that come to a phase.
var ofRuns = map[model.RunPhase]struct {
	reason, text string
	warning      bool
}{
	model.RunSucceeded:   {"WorkflowSucceeded", "the workflow has succeeded", false},
	model.RunSuperseded:  {"WorkflowSuperseded", "a newer run takes the place of the workflow's", false},
	model.RunPaused:      {"WorkflowPaused", "the workflow is paused; go on with: reconciler resume APPLICATION", true},
	model.RunStopped:     {"WorkflowStopped", "the workflow was stopped", true},
	model.RunRollingBack: {"WorkflowRollingBack", "the workflow takes back what it did", true},
	model.RunRolledBack:  {"WorkflowRolledBack", "the workflow has taken back what it did", true},
	model.RunFailed:      {"WorkflowFailed", "the workflow has failed", true},
}
