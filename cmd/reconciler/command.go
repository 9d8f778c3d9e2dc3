package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// requests are the commands with which people control a workflow run.
var requests = []struct {
	action, args, short, long, example string
}{
	{
		action: model.CommandApprove, args: "TENANT/APPLICATION [STEP]", short: "Approve a workflow step that waits for approval",
		long: `Approve approves a step of type approval. Without STEP it approves the step that waits
for approval now; a step that has not begun can be approved in advance. If the step
requires a role, the approval counts only if somebody with that role signed its commit.`,
		example: `  reconciler approve acme/shop -m "tested on Thursday"
  git push

  reconciler approve acme/shop agree --run 3f2a91c04be7`,
	},
	{
		action: model.CommandReject, args: "TENANT/APPLICATION [STEP]", short: "Reject a workflow step that waits for approval",
		long: `Reject rejects a step of type approval: the step fails, and its onFailure decides what
happens next. One rejection is enough, even if others have approved the step.`,
		example: `  reconciler reject acme/shop -m "the figures are not right"
  git push`,
	},
	{
		action: model.CommandPause, args: "TENANT/APPLICATION", short: "Pause a workflow run before its next step",
		long: `Pause keeps further steps of a run from beginning until the run is resumed. Steps that
have begun go on, and deadlines keep counting.`,
		example: `  reconciler pause acme/shop -m "the database is being moved"
  git push`,
	},
	{
		action: model.CommandResume, args: "TENANT/APPLICATION [STEP]", short: "Resume a paused workflow run, or a step that waits",
		long: `Resume ends the pause of a run. With STEP it ends the wait of that step: the time of a
wait, the pause of a stage, a stage that people move on, or the time until the next attempt.
Without STEP it resumes the run if the run is paused, else the one step that waits for people.
The request names the present stage, or that of --stage, and ends the pause of no other.`,
		example: `  reconciler resume acme/shop
  reconciler resume acme/shop release -m "the canary looks well"
  reconciler resume acme/shop release --stage 2
  git push`,
	},
	{
		action: model.CommandStop, args: "TENANT/APPLICATION", short: "Stop a workflow run at once",
		long: `Stop ends a run where it is: no further step begins, and no step is rolled back. Only
what runs beside the old version is removed. A restart, or another spec, goes on from there.

The application itself goes on. To end it for good, declare desired: "terminated" in its
directory, which keeps the declaration, or delete the directory; "suspended" pauses it.`,
		example: `  reconciler stop acme/shop -m "wrong day"
  git push`,
	},
	{
		action: model.CommandRestart, args: "TENANT/APPLICATION [STEP]", short: "Restart a workflow run, or a part of it from a step on",
		long: `Restart runs a step and all steps that depend on it again, or without STEP the whole run.
The results of other steps stay. A run that has ended can be restarted too, unless another
run has taken its place.`,
		example: `  reconciler restart acme/shop migrate
  git push`,
	},
	{
		action: model.CommandRetry, args: "TENANT/APPLICATION", short: "Try a release again that was rolled back and is on hold",
		long: `Retry lifts the hold of the release that Git declares: it was rolled back, and is not
tried again by itself. It is then decided about as any update, and its workflow runs from
the beginning. If it fails again, it is on hold again.`,
		example: `  reconciler retry acme/shop -m "the registry is back"
  git push`,
	},
}

// newRequestCommands returns a command for each action in requests.
func newRequestCommands() (all []*cobra.Command) {
	const common = `

The command writes a file into the approvals directory of the application and commits only
that file. Push the commit to put it into force. The file names the latest run, or the
release, by its digest, so it applies to no other. A request that would be refused is not
committed.`
	for _, r := range requests {
		var f requestFlags
		most := strings.Count(r.args, " ") + 1
		cmd := &cobra.Command{
			Use: r.action + " " + r.args, Short: r.short, Long: r.long + common, Example: r.example,
			Args: cobra.RangeArgs(1, most),
			RunE: func(cmd *cobra.Command, args []string) error {
				return f.run(cmd, r.action, args)
			},
		}
		if r.action == model.CommandResume {
			cmd.Flags().IntVar(&f.stage, "stage", 0, "stage of the step, from 1 (default: the present one)")
		}
		all = append(all, f.addTo(cmd))
	}
	return all
}

// request is one command for one workflow run.
type request struct {
	app  model.AppID
	inst *model.Instance
	spec *model.Application // of the run; nil: unknown
	model.Command
}

// refusal is the error for a request that the run cannot take.
func refusal(format string, args ...any) error {
	return &exitCode{exitDiffers, fmt.Sprintf(format, args...)}
}

// refusedFor prints the problems because of which a command does not go on, and returns its refusal.
func refusedFor(problems []model.Problem, to io.Writer, format string, args ...any) error {
	return cmp.Or(writeTo(to, "text", problems, func(p *printer) { p.problems("", problems) }), refusal(format, args...))
}

// newRequest finds the run and the step that the arguments name.
func newRequest(ledger *model.Ledger, app model.AppID, action, run, step string, stage int) (*request, error) {
	inst, ok := ledger.Find(app)
	if !ok {
		return nil, view.Of(app).Missing(ledger)
	}
	r, refused := &request{app: app, inst: inst}, ""
	switch {
	case action == model.CommandRetry: // of the release that Git declares and that is on hold
		r.Command, refused = lifecycle.AskRetry(inst)
	case inst.Run == nil:
		refused = fmt.Sprintf("%s has no run of a workflow yet%s", app, endForGood(app, action))
	default:
		r.spec = inst.RunSpec()
		r.Command, refused = workflow.AskOf(inst, workflow.Ask{Action: action, Run: run, Step: step, Stage: stage}, time.Now())
		if refused != "" && inst.Run.Phase.Ended() {
			refused += endForGood(app, action)
		}
	}
	if refused != "" {
		return nil, refusal("%s", refused)
	}
	return r, nil
}

// endForGood tells a person who stops a run how to end the application. It is empty for other actions.
func endForGood(app model.AppID, action string) string {
	if action != model.CommandStop {
		return ""
	}
	return fmt.Sprintf("; to end the application for good, declare desired: \"terminated\" in %s", layer.ApplicationDir(app))
}

// declared returns the step in the spec of the run, nil if the spec is unknown.
func (r *request) declared() *model.Step {
	step, _ := model.Find(r.spec.Steps(), r.Step)
	return step
}

// roles are the roles that may approve the step; empty: all.
func (r *request) roles() []string {
	var p struct{ Roles []string }
	if s := r.declared(); s == nil || s.Type != "approval" || json.Unmarshal(s.Properties, &p) != nil {
		return nil
	}
	return p.Roles
}

// effect describes what the commit will do once it is pushed.
func (r *request) effect() string {
	if r.Action == model.CommandRetry {
		return fmt.Sprintf("has release %s tried again; what runs stays until it is admitted", r.Release.Short())
	}
	run := fmt.Sprintf("run %d", r.inst.Run.Number)
	switch r.Action {
	case model.CommandApprove:
		if roles := r.roles(); len(roles) > 0 {
			return fmt.Sprintf("approves step %s of %s; it counts if it is signed by a %s", r.Step, run, strings.Join(roles, " or "))
		}
		return fmt.Sprintf("approves step %s of %s", r.Step, run)
	case model.CommandReject:
		onFailure := "the run fails"
		if s := r.declared(); s != nil {
			switch s.OnFailure {
			case model.StepFailureRollback:
				onFailure = "what the run did is taken back"
			case model.StepFailureContinue:
				onFailure = "the run goes on"
			}
		}
		return fmt.Sprintf("rejects step %s of %s: the step fails, and %s", r.Step, run, onFailure)
	case model.CommandPause:
		return fmt.Sprintf("keeps further steps of %s from beginning until it is resumed; its deadline stays %s", run, moment(r.inst.Run.Deadline))
	case model.CommandResume:
		if r.Step == "" {
			return fmt.Sprintf("lets %s go on", run)
		}
		if r.Stage > 0 {
			return fmt.Sprintf("ends what stage %d of step %s of %s waits for", r.Stage, r.Step, run)
		}
		return fmt.Sprintf("ends what step %s of %s waits for", r.Step, run)
	case model.CommandStop:
		return fmt.Sprintf("ends %s at once; what it brought stays%s", run, endForGood(r.app, r.Action))
	}
	if r.Step == "" {
		return fmt.Sprintf("does all steps of %s again", run)
	}
	return fmt.Sprintf("does step %s of %s again, and all that depends on it", r.Step, run)
}
