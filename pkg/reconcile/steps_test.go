package reconcile

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// A run that waits for a tenant admin, then asks whether all is well, and tells: with
// real commits, signatures and requests, and without a cluster.
func TestRunWithPeopleAndTheWorld(t *testing.T) {
	var asked, heard atomic.Int32
	world := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/healthy":
			if asked.Add(1) == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			fmt.Fprint(w, "fine")
		case "/hook":
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), `"name":"well","phase":"succeeded"`) && r.Header.Get("webhook-signature") != "" {
				heard.Add(1)
			}
		}
	}))
	defer world.Close()
	keys := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(keys, "acme"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(keys, "acme", "hooks"), []byte("0123456789abcdef"), 0o600))

	shop := model.AppID{Tenant: "acme", Name: "shop"}
	spec := model.Application{ID: shop, Policy: &model.Policy{Egress: []string{"127.0.0.1"}}, Workflow: &model.Workflow{Steps: []model.Step{
		{Name: "agree", Type: "approval", OnFailure: "stop", Properties: []byte(`{"roles": ["tenant-admin"]}`)},
		{Name: "well", Type: "check", DependsOn: []string{"agree"}, OnFailure: "stop", Outputs: []model.Output{{Name: "said", From: "body"}},
			Properties: fmt.Appendf(nil, `{"url": %q, "every": "1ms", "failures": 1, "success": "status == 200"}`, world.URL+"/healthy")},
		{Name: "tell", Type: "notify", DependsOn: []string{"well"}, OnFailure: "stop",
			Properties: fmt.Appendf(nil, `{"url": %q, "secret": "hooks"}`, world.URL+"/hook")},
	}}}.Seal()
	p := newPetition(t)
	dispatcher := outbound.NewDispatcher(outbound.Options{Keys: keys})
	defer dispatcher.Close()
	run, tallies := workflow.Start("", &spec, 1, nil, time.Now()), workflow.Tallies(nil)

	// pass carries the run forward with what is asked and what came back.
	pass := func() {
		t.Helper()
		snap, fleet := p.pass()
		requests := p.approvals.Requests(snap)
		require.Empty(t, requests.Problems)
		turn := workflow.Turn{Run: run, Spec: &spec, Commands: p.commands(requests.List, fleet), Results: dispatcher.Results(), Tallies: tallies}
		var runs []model.Run
		runs, tallies = workflow.Advance([]workflow.Turn{turn}, workflow.Limits{}, time.Now())
		run = runs[0]
		var tasks []outbound.Task
		for _, intent := range workflow.Intents(&run, &spec, tallies) {
			tasks = append(tasks, outbound.Task{App: shop, Egress: spec.Policy.Egress, Intent: intent})
		}
		dispatcher.Do(tasks)
	}
	approve := func(file, who string) {
		p.Write("approvals/acme/shop/"+file+".cue", fmt.Sprintf("package fleet\n\napproval: %q: {run: %q, step: \"agree\"}\n", file, run.ID[:12]))
		p.by(who)
		pass()
	}
	pass()
	approve("by-bob", "bob")
	require.Equal(t, model.StepActive, run.Steps[0].Phase)
	require.Equal(t, "step agree needs the role tenant-admin, and acme/bob has application-owner", run.Commands[0].Refused)
	approve("by-ann", "ann")
	require.Equal(t, model.StepSucceeded, run.Steps[0].Phase)
	require.Equal(t, []string{"acme/ann"}, run.Steps[0].Actors)

	limit := time.After(2 * time.Minute)
	for !run.Phase.Ended() {
		select {
		case <-dispatcher.Changed():
		case <-time.After(5 * time.Millisecond): // the next probe is due
		case <-limit:
			require.Fail(t, "the run does not end", "%+v", run.Steps)
		}
		pass()
	}
	require.Equal(t, model.RunSucceeded, run.Phase, "%+v", run.Steps)
	require.Equal(t, []model.Value{{Name: "said", Value: "fine"}}, run.Steps[1].Outputs)
	require.EqualValues(t, 2, asked.Load())
	require.EqualValues(t, 1, heard.Load())
	require.Len(t, run.Commands, 2, "what was asked once is not asked again")
}
