package turn_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// TestOlderRecordOfAProbe: an older version counted the answers to probes in the record. That
// is dropped with one save; the attempt goes on, counts from the beginning, and nothing starts.
func TestOlderRecordOfAProbe(t *testing.T) {
	p := newProber(t, model.Step{Name: "well", Type: "check", Timeout: time.Hour, OnFailure: "stop", Properties: []byte(
		`{"url":"https://shop.example.com/","every":"2s","times":30,"failures":5}`)})
	p.release("1")
	for range 30 {
		p.pass()
	}
	in, _ := p.ledger.Find(shop)
	require.Equal(t, model.StepActive, in.Run.Steps[0].Phase)
	was, older := *in.Run, *in.Run
	older.Steps = slices.Clone(in.Run.Steps)
	rec := &older.Steps[0]
	rec.Probe, rec.Passed, rec.Missed, rec.Next = 20, 19, 1, p.now.Add(2*time.Second)
	in.Run, p.tallies, p.probes, p.runs, p.records = &older, nil, 0, 0, 0

	for range 10 {
		p.pass()
	}
	require.Equal(t, []int{1, 1}, []int{p.runs, p.records})
	in, _ = p.ledger.Find(shop)
	require.Equal(t, was, *in.Run, "the counts are gone, and nothing else differs")
	in = p.until(model.RunSucceeded)
	require.Equal(t, 30, p.probes, "counting began again")
	require.Equal(t, was.ID, in.Run.ID)
	require.Equal(t, 1, in.Run.Steps[0].Attempt)
}

// TestOlderRecordOfAJob: an older version called the job of a run that failed done. One save
// says failed; the run stays as it is, and nothing starts.
func TestOlderRecordOfAJob(t *testing.T) {
	r := newRunner(t)
	r.commit("1", example(t).edited(t, shopFile, `, properties: roles: ["tenant-admin"]`, ``))
	r.settle()
	in, _ := r.ledger.Find(shop)
	r.requests.List = []access.Request{{App: shop, File: "agree", Commit: access.Commit{Hash: "agree", Author: "ann"},
		Asks: []model.Command{{Action: model.CommandApprove, Run: in.Run.ID, Step: "agree"}}}}
	r.settle()
	in, _ = r.ledger.Find(shop)
	require.Equal(t, model.RunSucceeded, in.Run.Phase)
	job := in.Spec.Workflow.Steps[slices.IndexFunc(in.Spec.Workflow.Steps, func(s model.Step) bool { return s.Type == "job" })]
	failed := *in.Run
	failed.Phase, failed.Message, failed.Steps = model.RunFailed, "step "+job.Name+" failed", slices.Clone(in.Run.Steps)
	failed.Good, failed.Base = nil, nil
	for i := range failed.Steps {
		if rec := &failed.Steps[i]; rec.Name == job.Name {
			rec.Phase, rec.Reason = model.StepFailed, "JobFailed"
		} else {
			rec.Phase = model.StepSkipped
		}
	}
	in.Run, in.Phase, in.Reason = &failed, model.PhaseDegraded, model.ReasonWorkflowFailed
	in.History = append(slices.Clone(in.History), model.Transition{At: r.now, Instance: in.Number, From: model.PhaseRunning, To: in.Phase, Reason: in.Reason})
	state, _ := in.Component(job.Component)
	require.Equal(t, model.StateDone, state.State)
	was := *in

	saves := 0
	for range 10 {
		before := model.DigestOf(r.ledger.Instances)
		r.turn()
		if model.DigestOf(r.ledger.Instances) != before {
			saves++
		}
	}
	require.Equal(t, 1, saves)
	in, _ = r.ledger.Find(shop)
	state, _ = in.Component(job.Component)
	require.Equal(t, model.StateFailed, state.State)
	require.Equal(t, was.Run, in.Run)
	require.Equal(t, was.History, in.History)
	require.Empty(t, workflow.Intents(in.Run, in.Spec, nil))
	for i := range in.Components {
		require.Equal(t, was.Components[i].Workload, in.Components[i].Workload)
	}
}
