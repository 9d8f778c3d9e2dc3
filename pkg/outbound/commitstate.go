package outbound

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// CommitState is the state of a commit of the fleet repo.
type CommitState struct {
	Commit      string
	State       string // pending, success, failure
	Description string // at most 140 characters
}

// maxDescription is the limit of Git hosts, in bytes: theirs counts characters.
const maxDescription = 140

// StateOf returns the state of the commit that the ledger reflects. It is a failure if
// files of the commit have problems, or if an application was rejected, rolled back or
// ended because of it. Otherwise it is pending while an application that it changed is
// not running yet. Applications that the commit did not change only count as running.
func StateOf(ledger *model.Ledger) CommitState {
	s := CommitState{Commit: ledger.Commit, State: "success"}
	running, under, failed := 0, []model.AppID{}, []model.AppID{}
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		if inst.Phase == model.PhaseRunning {
			running++
		}
		n := len(inst.History)
		if n == 0 || inst.History[n-1].Commit != ledger.Commit || inst.History[n-1].OfAdmission() {
			continue
		}
		switch last := &inst.History[n-1]; {
		case last.To == model.PhaseRejected, refusing[last.Reason]:
			failed = append(failed, inst.App)
		case underWay(inst):
			under = append(under, inst.App)
		}
	}
	switch {
	case len(ledger.Problems) > 0:
		s.State = "failure"
		s.Description = text.Count(len(ledger.Problems), "problem") + ": " + problem(&ledger.Problems[0])
	case len(failed) > 0:
		s.State, s.Description = "failure", "refused or taken back: "+names(failed)
	case len(under) > 0:
		s.State, s.Description = "pending", "on the way: "+names(under)
	default:
		s.Description = fmt.Sprintf("%d of %s running", running, text.Count(len(ledger.Instances), "application"))
	}
	s.Description = text.Line(s.Description, maxDescription)
	return s
}

// refusing are the reasons of transitions that make a commit a failure.
var refusing = map[model.Reason]bool{
	model.ReasonUpdateRefused: true, model.ReasonRolledBack: true, model.ReasonStartFailed: true, model.ReasonUnrecoverable: true,
	model.ReasonFailedTooOften: true, model.ReasonWorkflowFailed: true, model.ReasonWorkflowStopped: true,
}

// underWay reports whether an application has not reached its final phase yet.
func underWay(inst *model.Instance) bool {
	return slices.Contains([]model.Phase{model.PhaseCreated, model.PhaseAdmitted, model.PhaseScheduled}, inst.Phase) ||
		inst.Run != nil && !inst.Run.Phase.Ended() && inst.Phase.Active()
}

func problem(p *model.Problem) string {
	if len(p.Places) > 0 {
		return fmt.Sprintf("%s at %s", p.Code, p.Places[0].At)
	}
	return p.Code + " " + p.Path
}

// names lists a few applications.
func names(apps []model.AppID) string {
	const most = 3
	var list []string
	for _, app := range apps[:min(len(apps), most)] {
		list = append(list, app.String())
	}
	if more := len(apps) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}
