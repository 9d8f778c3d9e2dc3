package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// statusView is what the status command answers, and its JSON.
type statusView struct {
	Fleet        string              `json:"fleet,omitempty"`
	Commit       string              `json:"commit"` // of the source branch, that the answer reflects
	Phases       map[model.Phase]int `json:"phases"` // how many of the applications are in each
	Applications []applicationView   `json:"applications"`
	Problems     []model.Problem     `json:"problems"` // what in Git cannot be used, and where
}

// applicationView is one application at a glance.
type applicationView struct {
	App        model.AppID     `json:"application"`
	Instance   int             `json:"instance"`
	Phase      model.Phase     `json:"phase"`
	Reason     model.Reason    `json:"reason"`
	Message    string          `json:"message,omitempty"`
	Since      time.Time       `json:"since"`
	Commit     string          `json:"commit,omitempty"` // that the running spec was read from
	Components []componentView `json:"components"`
	Waiting    *waitingView    `json:"waiting,omitempty"`
	Workflow   *workflowView   `json:"workflow,omitempty"`
	Refused    *model.Refusal  `json:"refused,omitempty"` // the newer spec in Git that is not accepted
}

// componentView is a component that runs, or would.
type componentView struct {
	Name    string      `json:"name"`
	Granted int         `json:"granted"`
	Asked   int         `json:"asked"`
	State   model.State `json:"state"`
	Message string      `json:"message,omitempty"`
	Pool    string      `json:"pool,omitempty"`
}

// waitingView says what an application without capacity waits for.
type waitingView struct {
	Position   int           `json:"position"` // from 1
	BlockedBy  []model.AppID `json:"blockedBy,omitempty"`
	WouldAdmit []string      `json:"wouldAdmit,omitempty"`
}

// viewStatus picks from the ledger what was asked for.
func viewStatus(l *model.Ledger, s selection) statusView {
	v := statusView{
		Commit: l.Commit, Phases: map[model.Phase]int{}, Applications: []applicationView{}, Problems: []model.Problem{},
	}
	if l.Platform != nil {
		v.Fleet = l.Platform.Name
	}
	for i := range l.Instances {
		in := &l.Instances[i]
		if s.has(in.App.Tenant, in.App.Name) {
			v.Applications = append(v.Applications, viewApplication(l, in))
			v.Phases[in.Phase]++
		}
	}
	for _, p := range l.Problems {
		if concerns(p, s) {
			v.Problems = append(v.Problems, p)
		}
	}
	return v
}

// concerns reports whether a problem has to do with the selection: one of the
// platform or of a tenant concerns everything below it.
func concerns(p model.Problem, s selection) bool {
	return (p.Tenant == "" || s.tenant == "" || p.Tenant == s.tenant) && (p.App == "" || s.app == "" || p.App == s.app)
}

func viewApplication(l *model.Ledger, in *model.Instance) applicationView {
	v := applicationView{
		App: in.App, Instance: in.Number, Phase: in.Phase, Reason: in.Reason, Message: in.Message, Since: in.Since,
		Components: viewComponents(in), Refused: in.Refused,
	}
	if in.Spec != nil {
		v.Commit = in.Spec.Commit
	}
	if in.Phase.Active() {
		v.Workflow = viewWorkflow(in)
	}
	if d := findDecision(l, in.App); d != nil && d.Verdict == model.VerdictWaiting && in.Phase == model.PhaseAdmitted {
		v.Waiting = &waitingView{Position: d.Position, BlockedBy: d.BlockedBy, WouldAdmit: d.WouldAdmit}
	}
	return v
}

// viewComponents leaves out configuration: it neither runs nor takes capacity.
func viewComponents(in *model.Instance) []componentView {
	views := []componentView{}
	if !in.Phase.Active() {
		return views
	}
	for _, c := range in.Components {
		v := componentView{
			Name: c.Grant.Component, Granted: c.Grant.Replicas, Asked: c.Grant.Replicas,
			State: c.State, Message: c.Message, Pool: c.Grant.Pool,
		}
		if in.Spec != nil {
			if spec, ok := in.Spec.Component(v.Name); ok {
				if !spec.Runs() {
					continue
				}
				v.Asked = spec.Replicas
			}
		}
		views = append(views, v)
	}
	return views
}

func findDecision(l *model.Ledger, app model.AppID) *model.Decision {
	i, ok := slices.BinarySearchFunc(l.Decisions, app, func(d model.Decision, id model.AppID) int { return d.App.Compare(id) })
	if !ok {
		return nil
	}
	return &l.Decisions[i]
}

// grant writes what an application was given: "database 1/1 · web 2/4". A
// component that is not ready says so.
func (v *applicationView) grant() string {
	parts := make([]string, 0, len(v.Components))
	for _, c := range v.Components {
		text := fmt.Sprintf("%s %d/%d", c.Name, c.Granted, c.Asked)
		switch c.State {
		case model.StateReady, model.StateOff:
		case model.StateDone:
			text = c.Name + " done"
		default:
			text += " " + string(c.State)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// why is the reason and the sentence that matters most: a refused update comes
// before why all is well.
func (v *applicationView) why() string {
	reason, message, prefix := v.Reason, v.Message, ""
	if v.Refused != nil {
		reason, message, prefix = v.Refused.Reason, v.Refused.Message, "update refused: "
	}
	if message == "" {
		return prefix + string(reason)
	}
	return prefix + string(reason) + ": " + message
}

// waitingLine lists those that wait, first in line first.
func (v *statusView) waitingLine() []*applicationView {
	var line []*applicationView
	for i := range v.Applications {
		if v.Applications[i].Waiting != nil {
			line = append(line, &v.Applications[i])
		}
	}
	slices.SortStableFunc(line, func(a, b *applicationView) int { return cmp.Compare(a.Waiting.Position, b.Waiting.Position) })
	return line
}
