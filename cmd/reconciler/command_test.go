package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// released is the story of the commands that ask something of a run: shop brings a
// new spec, and waits for people.
func released(now time.Time) *model.Instance {
	in := shop(now.Add(-time.Hour))
	spec := *in.Spec
	spec.Workflow = &model.Workflow{Steps: []model.Step{
		{Name: "agree", Type: "approval", OnFailure: "rollback", Properties: []byte(`{"roles":["tenant-admin"]}`)},
		{Name: "look", Type: "approval", OnFailure: "stop"},
		{Name: "release", Type: "deploy", DependsOn: []string{"agree", "look"}, OnFailure: "stop"},
		{Name: "rest", Type: "wait", DependsOn: []string{"release"}, OnFailure: "stop", Properties: []byte(`{"for":"1h"}`)},
	}}
	spec = spec.Seal()
	in.Spec = &spec
	run := workflow.Start("", &spec, 1, nil, now.Add(-time.Hour))
	in.Run = &run
	in.Run.Deadline = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	return &in
}

// stands brings the run to where a script wants it.
var stands = map[string]func(run *model.Run){
	"nothing": func(*model.Run) {},
	"orphan":  func(*model.Run) {},
	"agree":   func(run *model.Run) { run.Steps[0].Phase = model.StepActive },
	"both":    func(run *model.Run) { run.Steps[0].Phase, run.Steps[1].Phase = model.StepActive, model.StepActive },
	"rest": func(run *model.Run) {
		for i := range 3 {
			run.Steps[i].Phase = model.StepSucceeded
		}
		run.Steps[3].Phase, run.Steps[3].Until = model.StepActive, run.Since.Add(time.Hour)
	},
	"paused":     func(run *model.Run) { run.Phase = model.RunPaused },
	"failed":     func(run *model.Run) { run.Phase = model.RunFailed },
	"superseded": func(run *model.Run) { run.Phase, run.Superseded = model.RunSuperseded, "0123456789abcdef" },
}

// holds are where an application stands that has a release on hold.
var holds = map[string]func(*model.Instance){
	"held": func(in *model.Instance) {
		in.Held = []model.Digest{"0123456789abcdef0123456789abcdef"}
		in.Refused = &model.Refusal{Spec: in.Held[0], Reason: model.ReasonRolledBackSpec, Message: "it was rolled back"}
		in.Run.Spec, in.Run.Phase = in.Held[0], model.RunRolledBack
		in.Run.Base, in.Run.Good = []model.Target{{Component: "web"}}, []model.Digest{in.Release()}
	},
	"stages": func(in *model.Instance) {
		spec := *in.Spec
		spec.Workflow = &model.Workflow{Steps: []model.Step{{Name: "release", Type: "canary", Components: []string{"web"}, OnFailure: "rollback",
			Properties: []byte(`{"stages":[{"weight":10,"manual":true},{"weight":30,"manual":true},{"weight":60,"manual":true}]}`)}}}
		spec = spec.Seal()
		run := workflow.Start("", &spec, 1, nil, in.Run.Since)
		run.Deadline, run.Steps[0].Phase, run.Steps[0].Stage = in.Run.Deadline, model.StepActive, 1
		in.Spec, in.Run = &spec, &run
	},
	"other": func(in *model.Instance) { in.Held = []model.Digest{"0123456789abcdef0123456789abcdef"} },
}

// TestRequests runs the real commands on a fleet repo whose status branch tells
// where the run of acme/shop stands.
func TestRequests(t *testing.T) {
	example, err := filepath.Abs("../../examples/repo")
	require.NoError(t, err)
	now := time.Now().UTC().Truncate(time.Second)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/requests",
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// fleet DIR makes a repo of examples/repo.
			"fleet": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(example)))
				for _, do := range [][]string{{"init", "-q", "-b", "main"}, {"add", "--all"}, {"commit", "-q", "-m", "first release"}} {
					ts.Check(ts.Exec("git", append([]string{"-C", ts.MkAbs(args[0])}, do...)...))
				}
			},
			// run DIR WHERE writes to the status branch where the run stands.
			"run": func(ts *testscript.TestScript, _ bool, args []string) {
				next := fixture(now)[0]
				in := released(now)
				if hold := holds[args[1]]; hold != nil {
					hold(in)
				} else {
					stands[args[1]](in.Run)
				}
				for i := range next.Instances {
					if next.Instances[i].App == in.App {
						next.Instances[i] = *in
					}
				}
				if args[1] == "orphan" {
					next.Orphans = []model.Inventory{{App: id("acme", "docs"), Instance: 2, Namespace: "acme", Objects: 5}}
				}
				ts.Check(saveLedger(t.Context(), ts, args[0], now, next))
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("CUE_REGISTRY", "none")
			env.Setenv("CUE_CACHE_DIR", filepath.Join(env.WorkDir, ".cue-cache"))
			env.Setenv("RUN", string(released(now).Run.ID))
			env.Setenv("RUN12", string(released(now).Run.ID)[:12])
			return isolate(env)
		},
	})
}
