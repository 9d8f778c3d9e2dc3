package announce_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
)

var id = model.AppID{Tenant: "acme", Name: "shop"}

func at(minutes int) time.Time { return time.Date(2026, 1, 1, 12, minutes, 0, 0, time.UTC) }

func saved(sequence int64, instances ...model.Instance) *model.Ledger {
	return &model.Ledger{Identity: model.LedgerIdentity{ID: "l", Sequence: sequence, Fleet: "f"}, Instances: instances}
}

// told writes announcements, a line each.
func told(list []announce.Announcement) (lines []string) {
	for i := range list {
		a := &list[i]
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s | %s", a.Key, a.At.Format("15:04"), a.What(), a.Why())))
	}
	return lines
}

// events writes what Kubernetes Events say, a line each.
func events(list []announce.Announcement) (lines []string) {
	for i := range list {
		if e, ok := list[i].Event(); ok {
			lines = append(lines, e.Reason+" "+e.Text)
		}
	}
	return lines
}

var (
	created   = model.Transition{At: at(0), Instance: 1, To: model.PhaseCreated, Reason: model.ReasonDeclared}
	admitted  = model.Transition{At: at(1), Instance: 1, From: model.PhaseCreated, To: model.PhaseAdmitted, Reason: model.ReasonAdmissionPassed}
	scheduled = model.Transition{At: at(5), Instance: 1, From: model.PhaseAdmitted, To: model.PhaseScheduled, Reason: model.ReasonGranted}
	running   = model.Transition{At: at(8), Instance: 1, From: model.PhaseScheduled, To: model.PhaseRunning, Reason: model.ReasonReady}
)

// TestWhatIsNew: what became of an application between two ledgers, in the order of
// time, and how long it took.
func TestWhatIsNew(t *testing.T) {
	spec := model.Application{ID: id, Workflow: &model.Workflow{Steps: []model.Step{{Name: "migrate", Type: "job"}, {Name: "agree", Type: "approval"}}}}.Seal()
	before := model.Instance{App: id, Number: 1, Phase: model.PhaseAdmitted, Since: at(1), Spec: &spec, History: []model.Transition{created, admitted}}
	now := before
	now.Phase, now.Since = model.PhaseRunning, at(8)
	now.History = []model.Transition{created, admitted, scheduled, running}
	now.Run = &model.Run{ID: "r", Instance: 1, Number: 3, Spec: spec.Release, Phase: model.RunRunning, Since: at(5), Steps: []model.StepRun{
		{Name: "migrate", Phase: model.StepFailed, Since: at(7), Started: at(6), Message: "exit code 1"},
		{Name: "agree", Phase: model.StepActive, Since: at(7), Started: at(7)},
	}}
	list := announce.Between(saved(6, before), saved(7, now), at(9))
	require.Equal(t, []string{
		"l/acme/shop/7-1 12:05 Admitted → Scheduled | Granted",
		"l/acme/shop/7-2 12:05 run 3: running |",
		"l/acme/shop/7-3 12:07 step migrate: failed | exit code 1",
		"l/acme/shop/7-4 12:07 step agree: active |",
		"l/acme/shop/7-5 12:08 Scheduled → Running | Ready",
	}, told(list))
	require.Equal(t, announce.Times{Took: 4 * time.Minute, Queued: 5 * time.Minute}, list[0].Times)
	require.Equal(t, announce.Times{Took: time.Minute}, list[2].Times)
	require.Equal(t, announce.Times{Took: 3 * time.Minute}, list[4].Times)
	require.Equal(t, "approval", list[3].Type)
	require.Equal(t, []string{
		"Granted shop is Scheduled", "StepFailed step migrate has failed: exit code 1",
		"ApprovalNeeded step agree waits for approval: reconciler approve acme/shop agree", "Ready shop is Running",
	}, events(list))
	require.Empty(t, announce.Between(saved(7, now), saved(8, now), at(9)))
	require.Equal(t, list, announce.Between(saved(6, before), saved(7, now), at(9)), "whoever compares them says the same")
}

// TestPeopleStagesAndUndo: who asked what of a run and whether that counted, the stages
// that were passed, and what was taken back.
func TestPeopleStagesAndUndo(t *testing.T) {
	run := func(phase model.RunPhase, since int, commands []model.Handled, steps ...model.StepRun) model.Instance {
		return model.Instance{App: id, Number: 1, Since: at(0), Run: &model.Run{ID: "r", Instance: 1, Number: 3, Phase: phase, Since: at(since), Commands: commands, Steps: steps}}
	}
	agree := model.StepRun{Name: "agree", Phase: model.StepActive, Since: at(1), Started: at(1), Attempt: 1}
	canary := model.StepRun{Name: "canary", Phase: model.StepPending}
	first := run(model.RunRunning, 0, nil, agree, canary)

	agree.Phase, agree.Reason, agree.Since, agree.Actors = model.StepSucceeded, "Approved", at(4), []string{"ann", "cid"}
	canary.Phase, canary.Since, canary.Started, canary.Attempt, canary.Staged = model.StepActive, at(4), at(4), 1, at(4)
	asked := []model.Handled{
		{ID: "1", Action: "approve", Step: "agree", By: "ann", Commit: "1111111111111", At: at(3)},
		{ID: "2", Action: "approve", Step: "agree", By: "bob", Refused: "step agree needs the role tenant-admin", At: at(3)},
		{ID: "3", Action: "approve", Step: "agree", By: "cid", At: at(4)},
	}
	second := run(model.RunRunning, 0, asked, agree, canary)
	require.Equal(t, []string{
		"l/acme/shop/2-1 12:03 approve step agree of run 3 | by ann",
		"l/acme/shop/2-2 12:03 approve step agree of run 3 | Refused: step agree needs the role tenant-admin by bob",
		"l/acme/shop/2-3 12:04 approve step agree of run 3 | by cid",
		"l/acme/shop/2-4 12:04 step agree: active → succeeded | Approved by ann, cid",
		"l/acme/shop/2-5 12:04 step canary: pending → active |",
	}, told(announce.Between(saved(1, first), saved(2, second), at(9))))

	canary.Stage, canary.Staged = 2, at(6)
	third := run(model.RunRunning, 0, asked, agree, canary)
	list := announce.Between(saved(2, second), saved(3, third), at(9))
	require.Equal(t, []string{
		"l/acme/shop/3-1 12:06 step canary: stage 1 passed |",
		"l/acme/shop/3-2 12:06 step canary: stage 2 passed |",
	}, told(list))
	require.Equal(t, []string{"StagePassed step canary has passed stage 1", "StagePassed step canary has passed stage 2"}, events(list))

	canary.Phase, canary.Since, canary.Reason, canary.Message = model.StepFailed, at(7), "AttemptsUsedUp", "timeout: not done"
	canary.Undo = &model.Undo{Phase: model.StepActive, Since: at(7)}
	fourth := run(model.RunRollingBack, 7, asked, agree, canary)
	require.Equal(t, []string{
		"l/acme/shop/4-1 12:07 step canary: active → failed | AttemptsUsedUp: timeout: not done",
		"l/acme/shop/4-2 12:07 undo of step canary: pending → active |",
		"l/acme/shop/4-3 12:07 run 3: running → rolling-back |",
	}, told(announce.Between(saved(3, third), saved(4, fourth), at(9))))

	undone := canary
	undone.Undo = &model.Undo{Phase: model.StepSucceeded, Since: at(8)}
	fifth := run(model.RunRolledBack, 8, asked, agree, undone)
	fifth.Held = []model.Digest{"abcdef0123456789"}
	list = announce.Between(saved(4, fourth), saved(5, fifth), at(9))
	require.Equal(t, []string{
		"l/acme/shop/5-1 12:00 hold: held | release abcdef01",
		"l/acme/shop/5-2 12:08 undo of step canary: active → succeeded |",
		"l/acme/shop/5-3 12:08 run 3: rolling-back → rolled-back |",
	}, told(list))
	require.Equal(t, []string{
		"ReleaseHeld release abcdef01 was rolled back and is not tried again", "StepUndone step canary was taken back",
		"WorkflowRolledBack the workflow has taken back what it did",
	}, events(list))
	sixth := fifth
	sixth.Held = nil
	require.Equal(t, []string{"l/acme/shop/6-1 12:09 hold: lifted | release abcdef01"}, told(announce.Between(saved(5, fifth), saved(6, sixth), at(9))))
}

// TestOnlyTheFleet: which commit it follows, and which it refuses, once.
func TestOnlyTheFleet(t *testing.T) {
	refused := model.Problem{Code: "DA2001", Path: "commit 222222222222222", Message: "is not signed; the fleet stays at 111"}
	one, two := saved(1), saved(2)
	two.Commit, two.Problems = "111111111111111", []model.Problem{{Code: "DA1001", Path: "application"}, refused}
	list := announce.Between(one, two, at(2))
	require.Equal(t, []string{
		"l/fleet/2-1 12:02 commit 1111111111 |",
		"l/fleet/2-2 12:02 commit 2222222222 refused | DA2001: is not signed; the fleet stays at 111",
	}, told(list))
	require.False(t, list[0].Kind.Told())
	three := saved(3)
	three.Commit, three.Problems = two.Commit, two.Problems
	require.Empty(t, announce.Between(two, three, at(3)))
}

// TestHistoriesAreCut: only what is new is told, also when the history was cut at its
// beginning.
func TestHistoriesAreCut(t *testing.T) {
	var history []model.Transition
	for i := range 5 {
		history = append(history, model.Transition{At: at(i), Instance: 1, To: model.PhaseRunning, Message: fmt.Sprint(i)})
	}
	for _, c := range []struct {
		before, after []model.Transition
		want          string
	}{
		{nil, history[:2], "01"},
		{history[:3], history[:3], ""},
		{history[:3], history[:5], "34"},
		{history[:4], history[2:5], "4"},
		{history[:1], history[2:5], "234"},
	} {
		list := announce.Between(saved(1, model.Instance{App: id, History: c.before}), saved(2, model.Instance{App: id, History: c.after}), at(9))
		got := ""
		for _, a := range list {
			got += a.Message
		}
		require.Equal(t, c.want, got)
	}
}

// TestObjects: what the cluster refuses and what others changed, each cause once, and
// again where its count was saved anew.
func TestObjects(t *testing.T) {
	refused := model.Outcome{Object: "Deployment acme/web", Component: "web", Reason: model.OutcomeImmutable, Field: "spec.selector", Message: "Deployment acme/web: field is immutable", First: at(1), Last: at(1)}
	image := model.Outcome{Object: "pods of web", Component: "web", Reason: model.OutcomeImageUnavailable, Message: "container web: image web:9 cannot be pulled", First: at(2), Last: at(2)}
	drifted := model.Drift{Object: "Service acme/web", Fields: []string{"spec.ports", "spec.type"}, Manager: "kubectl", Count: 1, Time: at(2)}
	inst := func(outcomes []model.Outcome, drift ...model.Drift) model.Instance {
		return model.Instance{App: id, Number: 1, Outcomes: outcomes, Drift: drift}
	}
	first, second := inst(nil), inst([]model.Outcome{refused, image}, drifted)
	list := announce.Between(saved(1, first), saved(2, second), at(9))
	require.Equal(t, []string{
		"l/acme/shop/2-1 12:01 Deployment acme/web: refused | Immutable: Deployment acme/web: field is immutable",
		"l/acme/shop/2-2 12:02 pods of web: refused | ImageUnavailable: container web: image web:9 cannot be pulled",
		"l/acme/shop/2-3 12:02 Service acme/web: corrected | spec.ports, spec.type (changed by kubectl)",
	}, told(list))
	require.Equal(t, []string{
		"ApplyFailed Deployment acme/web: field is immutable (Immutable)", "ImageUnavailable container web: image web:9 cannot be pulled",
		"DriftCorrected Service acme/web: spec.ports, spec.type (changed by kubectl)",
	}, events(list))

	reduced := model.Outcome{Object: "node n1", Component: "web", Reason: model.OutcomeReservationReduced, Field: "cpu", Message: "node n1 keeps 0 of the 1 cpu", First: at(3), Last: at(3)}
	require.Equal(t, []string{"ReservationReduced node n1 keeps 0 of the 1 cpu"}, events(announce.Between(saved(1, first), saved(2, inst([]model.Outcome{reduced})), at(9))))
	require.Equal(t, []string{"PromiseKept node n1 keeps again what it promised (ReservationReduced)"}, events(announce.Between(saved(2, inst([]model.Outcome{reduced})), saved(3, inst(nil)), at(9))))
	ends := reduced
	ends.Reason, ends.Field, ends.Message = model.OutcomeEvictionAsked, "evict", "node n1 asks for the end of web: it is short"
	require.Equal(t, []string{"EvictionAsked node n1 asks for the end of web: it is short"}, events(announce.Between(saved(1, first), saved(2, inst([]model.Outcome{ends})), at(9))))
	require.Equal(t, []string{"PromiseKept node n1 has memory again, and asks for nobody's end"}, events(announce.Between(saved(2, inst([]model.Outcome{ends})), saved(3, inst(nil)), at(9))))

	gone := model.Drift{Object: "Service acme/web", Count: 1, Time: at(4)}
	again := drifted
	again.Count, again.Time = 40, at(12)
	refused.Objects, refused.Last = 2, at(5)
	third := inst([]model.Outcome{refused}, gone, again)
	list = announce.Between(saved(2, second), saved(3, third), at(13))
	require.Equal(t, []string{
		"l/acme/shop/3-1 12:04 Service acme/web: corrected | the whole object was gone",
		"l/acme/shop/3-2 12:12 Service acme/web: corrected | spec.ports, spec.type (changed by kubectl)",
		"l/acme/shop/3-3 12:13 pods of web: settled | ImageUnavailable: container web: image web:9 cannot be pulled",
	}, told(list))
	fourth := third
	fourth.Number, fourth.Outcomes = 2, nil
	require.Empty(t, announce.Between(saved(3, third), saved(4, fourth), at(14)), "what was refused has ended with its instance")
}

// TestKeysDoNotDependOnTheTime: whoever repeats an announcement knows the time of the
// commit, and whoever saved it that of the pass.
func TestKeysDoNotDependOnTheTime(t *testing.T) {
	before := model.Instance{App: id, Number: 1, Since: at(0), Held: []model.Digest{"abcdef0123456789"}, History: []model.Transition{created}}
	now := before
	now.Held, now.History = nil, []model.Transition{created, admitted, scheduled}
	keys := func(saved []announce.Announcement) (list []string) {
		for i := range saved {
			list = append(list, saved[i].Key.String()+" "+saved[i].What())
		}
		return list
	}
	want := []string{"l/acme/shop/2-1 Created → Admitted", "l/acme/shop/2-2 Admitted → Scheduled", "l/acme/shop/2-3 hold: lifted"}
	for _, minute := range []int{0, 3, 9} {
		require.Equal(t, want, keys(announce.Between(saved(1, before), saved(2, now), at(minute))))
	}
}

// TestEveryKindIsDescribed: each has a row of the table, and each row another kind.
func TestEveryKindIsDescribed(t *testing.T) {
	known := map[announce.Kind]bool{}
	for _, row := range announce.Kinds {
		require.False(t, known[row.Kind])
		known[row.Kind] = true
		require.NotEmpty(t, row.Means)
		require.Equal(t, row.Log != "", row.Type != "", row.Kind)
	}
}
