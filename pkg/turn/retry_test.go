package turn_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// TestRetryLiftsAHold: a release that was rolled back is tried again when somebody asks
// for it, with a run of its own, once. What is not on hold cannot be retried.
func TestRetryLiftsAHold(t *testing.T) {
	r, tree := newRunner(t), example(t)
	r.commit("1", tree)
	r.settle()
	api := model.AppID{Tenant: "globex", Name: "api"}
	find := func() *model.Instance {
		in, ok := r.ledger.Find(api)
		require.True(t, ok)
		return in
	}
	fail := func() {
		r.broken = api
		r.turn()
		r.now = r.now.Add(time.Hour)
		r.turn()
		r.broken = model.AppID{}
		r.settle()
	}
	before := find().Release()
	r.commit("2", tree.edited(t, "tenants/globex/apps/api/app.cue", `redis:7.4`, `redis:7.5`))
	fail()
	held := find().Held
	require.Len(t, held, 1)
	require.Equal(t, before, find().Release())

	ask := func(commit string, release model.Digest) {
		r.requests.List = append(r.requests.List, access.Request{
			App: api, File: "approvals/globex/api/" + commit + ".cue", Commit: access.Commit{Hash: commit, Author: "ann"},
			Asks: []model.Command{{Action: model.CommandRetry, Release: release, Why: "the registry is back"}},
		})
	}
	ask("c1", "0123456789abcdef0123456789abcdef")
	r.settle()
	require.Equal(t, held, find().Held)
	require.Contains(t, find().Retries[0].Refused, "release 01234567 of globex/api is not on hold; on hold: "+held[0].Short())

	ask("c2", held[0])
	r.turn()
	in := find()
	require.Empty(t, in.Held)
	require.Equal(t, held[0], in.Release(), "it is admitted in the same pass")
	require.Equal(t, model.PhaseScheduled, in.Phase)
	reasons := []model.Reason{}
	for _, h := range in.History[len(in.History)-2:] {
		reasons = append(reasons, h.Reason)
	}
	require.Equal(t, []model.Reason{model.ReasonHoldLifted, model.ReasonUpdateAdmitted}, reasons)
	require.Contains(t, in.History[len(in.History)-2].Message, "as ann asked: the registry is back")
	require.Equal(t, "", in.Retries[1].Refused)

	// It fails again: the same file does not lift the hold once more, another one does.
	fail()
	require.Equal(t, held, find().Held)
	r.settle()
	require.Equal(t, held, find().Held)
	require.Equal(t, before, find().Release())
	ask("c3", held[0])
	r.settle()
	require.Equal(t, model.PhaseRunning, find().Phase)
	require.Equal(t, held[0], find().Release())

	// A file that is gone is forgotten when the next one comes.
	r.requests.List = r.requests.List[2:]
	ask("c4", held[0])
	r.turn()
	require.Len(t, find().Retries, 2)
	require.Contains(t, find().Retries[1].Refused, "has no release on hold")
}

// TestRetryBeginsANewRun: the run that took the release back takes no more part.
func TestRetryBeginsANewRun(t *testing.T) {
	r, tree := newRunner(t), example(t)
	approve := func() {
		in, _ := r.ledger.Find(shop)
		r.requests.List = append(r.requests.List, access.Request{App: shop, File: string(in.Run.ID), Commit: access.Commit{Hash: string(in.Run.ID), Author: "ann"},
			Asks: []model.Command{{Action: model.CommandApprove, Run: in.Run.ID, Step: "agree"}}})
	}
	tree = tree.edited(t, shopFile, `, properties: roles: ["tenant-admin"]`, ``)
	r.commit("1", tree)
	r.settle()
	approve()
	r.settle()
	in, _ := r.ledger.Find(shop)
	require.Equal(t, model.RunSucceeded, in.Run.Phase)
	good := in.Release()

	r.commit("2", tree.edited(t, shopFile, `type: "approval", dependsOn`, `type: "approval", onFailure: "rollback", dependsOn`).
		edited(t, shopFile, `{name: "migrate", type: "job", component: "migrate"}`, `{name: "migrate", type: "job", component: "migrate", undo: "migrate"}`))
	r.settle()
	in, _ = r.ledger.Find(shop)
	bad, run := in.Release(), in.Run.ID
	require.NotEqual(t, good, bad)
	r.requests.List = append(r.requests.List, access.Request{App: shop, File: "no", Commit: access.Commit{Hash: "no", Author: "ann"},
		Asks: []model.Command{{Action: model.CommandReject, Run: run, Step: "agree"}}})
	r.settle()
	in, _ = r.ledger.Find(shop)
	require.Equal(t, []model.Digest{bad}, in.Held)
	require.Equal(t, good, in.Release())
	// A restart cannot help, and says what does.
	_, refused := workflow.AskOf(in, workflow.Ask{Action: model.CommandRestart}, r.now)
	require.Contains(t, refused, "reconciler retry acme/shop")

	r.requests.List = append(r.requests.List, access.Request{App: shop, File: "again", Commit: access.Commit{Hash: "again", Author: "ann"},
		Asks: []model.Command{{Action: model.CommandRetry, Release: bad}}})
	r.settle()
	in, _ = r.ledger.Find(shop)
	require.Equal(t, bad, in.Release())
	require.NotEqual(t, run, in.Run.ID)
	require.Equal(t, bad, in.Run.Spec)
	step, _ := in.Run.Step("agree")
	require.Equal(t, model.StepActive, step.Phase, "it asks for its approval again")
}
