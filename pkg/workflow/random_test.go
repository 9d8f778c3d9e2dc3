package workflow_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// TestRandomHistories plays random histories of two applications of a tenant:
// results, readiness, commands, new specs, crashes and jumps of the clock, in any
// order. What is checked after every pass stands in watch.
func TestRandomHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &watched{t: t, keys: map[string]model.Digest{}}
		w.now = start
		w.limits.Steps = rapid.IntRange(0, 3).Draw(t, "limit")
		for i := range rapid.IntRange(1, 2).Draw(t, "apps") {
			a := &app{declared: randomFlow(t)}
			w.apps = append(w.apps, a)
			w.accept(a, a.declared.application(fmt.Sprintf("app%d", i), "v1"))
		}
		w.pass()
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			w.event()
			w.pass()
		}
		w.runOut()
	})
}

func randomFlow(t *rapid.T) (d declared) {
	d.Components = map[string]int{"web": 4, "db": 1, "rest": 1}
	d.Jobs = []string{"job", "unjob"}
	d.Parallelism = rapid.IntRange(0, 2).Draw(t, "parallelism")
	d.RollbackWindow = rapid.IntRange(0, 1).Draw(t, "window")
	d.Timeout = rapid.SampledFrom([]string{"", "40m"}).Draw(t, "run timeout")
	for i := range rapid.IntRange(1, 6).Draw(t, "steps") {
		d.Steps = append(d.Steps, declaredStep{})
		s := &d.Steps[i]
		s.Name = fmt.Sprintf("s%d", i)
		s.Type = rapid.SampledFrom([]string{"job", "job", "deploy", "deploy", "canary", "blue-green", "wait", "approval", "check", "notify"}).Draw(t, "type")
		for j := range i {
			if rapid.IntRange(0, 2).Draw(t, "depends") == 0 {
				s.DependsOn = append(s.DependsOn, fmt.Sprintf("s%d", j))
			}
		}
		if len(s.DependsOn) > 0 {
			s.If = rapid.SampledFrom([]string{"", "", "", "always", "failed." + s.DependsOn[0], "outputs." + s.DependsOn[0] + ".out == 'yes'"}).Draw(t, "if")
		}
		s.OnFailure = rapid.SampledFrom([]string{"stop", "continue", "rollback", "rollback"}).Draw(t, "onFailure")
		s.Timeout = rapid.SampledFrom([]string{"", "5m"}).Draw(t, "timeout")
		s.Lock = rapid.SampledFrom([]string{"", "", "red", "blue"}).Draw(t, "lock")
		s.Retry.Attempts = rapid.IntRange(0, 3).Draw(t, "attempts")
		s.Retry.Pause = "10s"
		switch s.Type {
		case "job":
			s.Component = "job"
			s.Undo = rapid.SampledFrom([]string{"", "unjob"}).Draw(t, "undo")
			s.Memo = rapid.Bool().Draw(t, "memo")
			s.Outputs = []model.Output{{Name: "out", From: "body"}}
		case "deploy":
			s.Components = rapid.SampledFrom([][]string{nil, {"web"}, {"db", "web"}}).Draw(t, "components")
		case "canary":
			s.Components = []string{"web"}
			s.Properties = json.RawMessage(rapid.SampledFrom([]string{
				`{"stages":[{"weight":25,"pause":"2m"},{"replicas":3,"manual":true}]}`,
				`{"stages":[{"replicas":1}],"check":{"url":"https://x.example.com","times":2}}`,
			}).Draw(t, "canary"))
		case "blue-green":
			s.Components = []string{"web"}
			s.Properties = json.RawMessage(`{"pause":"1m","keep":"2m"}`)
		case "wait":
			s.Properties = json.RawMessage(`{"for":"3m"}`)
		case "check":
			s.Properties = json.RawMessage(`{"url":"https://x.example.com","times":2,"failures":1}`)
		case "notify":
			s.Properties = json.RawMessage(`{"url":"https://x.example.com"}`)
		}
	}
	return d
}

// watched is a world that is looked at closely.
type watched struct {
	world
	t    *rapid.T
	keys map[string]model.Digest // what was done by each key
}

// event lets something happen.
func (w *watched) event() {
	t := w.t
	a := w.apps[rapid.IntRange(0, len(w.apps)-1).Draw(t, "app")]
	switch rapid.IntRange(0, 10).Draw(t, "event") {
	case 10:
		w.restart()
	case 0, 1, 2, 3:
		intents := workflow.Intents(a.run, a.runs, w.tallies)
		if len(intents) == 0 {
			return
		}
		i := intents[rapid.IntRange(0, len(intents)-1).Draw(t, "intent")]
		a.results = append(a.results, workflow.Result{
			Key: i.Key, OK: rapid.IntRange(0, 3).Draw(t, "ok") > 0, Status: 200, Class: "JobFailed",
			Body: rapid.SampledFrom([]string{"yes", "no", strings.Repeat("x", 5000)}).Draw(t, "body"),
		})
	case 4, 5:
		for name := range a.declared.Components {
			a.runtime(name, true, nil)
		}
	case 6:
		if rapid.IntRange(0, 4).Draw(t, "broken") == 0 {
			a.runtime("web", false, &model.Failure{Reason: "ImageUnavailable", Final: true})
		}
		a.seen["web"].Granted = rapid.IntRange(0, 4).Draw(t, "granted")
	case 7:
		w.now = w.now.Add(rapid.SampledFrom([]time.Duration{time.Second, time.Minute, 6 * time.Minute, time.Hour, -time.Minute}).Draw(t, "passes"))
	case 8:
		a.commands = append(a.commands, model.Command{
			Action: rapid.SampledFrom([]string{"approve", "approve", "reject", "pause", "resume", "stop", "restart", "restart"}).Draw(t, "action"),
			Run:    a.run.ID, Commit: fmt.Sprint(len(a.commands)), By: "ann",
			Step: rapid.SampledFrom([]string{"", "s0", "s1", "s2"}).Draw(t, "step"),
		})
	case 9:
		if rapid.IntRange(0, 9).Draw(t, "gone") == 0 {
			a.gone = true
		}
		version := rapid.SampledFrom([]string{"v1", "v2", "v3"}).Draw(t, "version")
		w.accept(a, a.declared.application(a.spec.ID.Name, version))
	}
}

// pass advances all runs; now and then what came out is lost and found again.
func (w *watched) pass() {
	turns, of := w.turns()
	before := model.DigestOf(runsOf(turns))
	known := maps.Clone(w.tallies)
	next, tallies := workflow.Advance(turns, w.limits, w.now)
	require.Equal(w.t, before, model.DigestOf(runsOf(turns)), "what was handed over is changed")
	require.Equal(w.t, known, w.tallies, "what was handed over is changed")

	reversed := slices.Clone(turns)
	slices.Reverse(reversed)
	other, counted := workflow.Advance(reversed, w.limits, w.now)
	slices.Reverse(other)
	require.True(w.t, reflect.DeepEqual(next, other) && maps.Equal(tallies, counted), "after a crash, or in another order, something else comes out")

	w.tallies = tallies
	for i := range next {
		w.watch(of[i], &turns[i].Run, &next[i])
		of[i].run = saved(w.t, next[i])
	}
	w.watchAll()
}

func runsOf(turns []workflow.Turn) (runs []model.Run) {
	for _, t := range turns {
		runs = append(runs, t.Run)
	}
	return runs
}

// saved returns the run as it comes back from where it was saved.
func saved(t require.TestingT, run model.Run) *model.Run {
	b, err := json.Marshal(run)
	require.NoError(t, err)
	var back model.Run
	require.NoError(t, json.Unmarshal(b, &back))
	again, err := json.Marshal(back)
	require.NoError(t, err)
	require.True(t, bytes.Equal(b, again), "something is lost where it is saved")
	return &back
}

// watch demands what holds for every run.
func (w *watched) watch(a *app, before, after *model.Run) {
	t := w.t
	if after.Phase.Ended() {
		require.Empty(t, workflow.Intents(after, a.runs, w.tallies), "a run that has ended does something")
		for _, s := range after.Steps {
			require.True(t, s.Phase.Ended(), "run %s, step %s %s", after.Phase, s.Name, s.Phase)
		}
	} else {
		require.True(t, after.Deadline.After(w.now), "a run waits without an end")
		due := workflow.Due(after, w.now)
		require.True(t, due.After(w.now) && !due.After(after.Deadline))
	}
	if before.Phase.Ended() && before.Superseded != "" {
		require.Equal(t, before.Steps, after.Steps, "a superseded run goes on")
	}
	if after.Phase == model.RunRolledBack && before.Phase != after.Phase {
		require.Equal(t, stable(after.Base), stable(after.Targets), "what is taken back is not what ran before")
	}
	for i := range after.Steps {
		w.watchStep(a, before, after, i)
	}
	for _, intent := range workflow.Intents(after, a.runs, w.tallies) {
		digest := model.DigestOf(intent)
		if known, ok := w.keys[intent.Key]; ok {
			require.Equal(t, known, digest, "key %s means two things", intent.Key)
		}
		w.keys[intent.Key] = digest
	}
}

func (w *watched) watchStep(a *app, before, after *model.Run, i int) {
	t, decl, was, is := w.t, &a.runs.Workflow.Steps[i], &before.Steps[i], &after.Steps[i]
	begins := is.Attempt > was.Attempt
	if begins {
		require.False(t, after.Superseded != "", "a superseded run starts step %s", is.Name)
		require.NotEqual(t, model.RunPaused, after.Phase, "a paused run starts step %s", is.Name)
		for _, name := range decl.DependsOn {
			dep, _ := after.Step(name)
			require.True(t, dep.Phase.Ended(), "step %s starts before %s has ended", is.Name, name)
		}
		require.LessOrEqual(t, is.Attempt-is.First+1, max(1, decl.Retry.Attempts), "step %s has too many attempts", is.Name)
		if is.Phase == model.StepActive && (decl.Undo != "" || len(decl.Components) > 0 || decl.Type == "deploy") {
			require.NotNil(t, is.Undo, "step %s acts before it is written how to take it back", is.Name)
		}
	}
	if is.Phase == model.StepActive {
		require.True(t, is.Deadline.After(w.now) || begins, "step %s is active beyond its deadline", is.Name)
	}
	size := 0
	for _, o := range is.Outputs {
		size += len(o.Value)
	}
	require.LessOrEqual(t, size, 8<<10)
	if is.Undo != nil && is.Undo.Phase == model.StepActive && (was.Undo == nil || was.Undo.Attempt == 0) {
		for j := range after.Steps {
			require.NotEqual(t, model.StepActive, after.Steps[j].Phase, "step %s is taken back while %s acts", is.Name, after.Steps[j].Name)
			if o := &after.Steps[j]; o.Order > is.Order && o.Undo != nil {
				require.True(t, o.Undo.Phase.Ended(), "step %s is taken back before %s, which started later", is.Name, o.Name)
			}
		}
	}
}

// watchAll demands what holds across the runs of a tenant.
func (w *watched) watchAll() {
	holders, all := map[string][]string{}, 0
	for _, a := range w.apps {
		acting := 0
		for i, rec := range a.run.Steps {
			decl := &a.runs.Workflow.Steps[i]
			on := rec.Phase == model.StepActive || rec.Phase == model.StepRetrying
			undoing := rec.Undo != nil && (rec.Undo.Phase == model.StepActive || rec.Undo.Phase == model.StepRetrying)
			if decl.Lock != "" && !a.run.Phase.Ended() && (on || undoing) {
				holders[decl.Lock] = append(holders[decl.Lock], a.run.App.Name+"/"+rec.Name)
			}
			if on && decl.Type != "wait" && decl.Type != "approval" {
				acting++
			}
		}
		if most := a.runs.Workflow.Parallelism; most > 0 {
			require.LessOrEqual(w.t, acting, most, "too many steps at a time")
		}
		all += acting
	}
	if w.limits.Steps > 0 {
		require.LessOrEqual(w.t, all, w.limits.Steps, "too many steps of the tenant at a time")
	}
	for lock, of := range holders {
		require.Len(w.t, of, 1, "lock %s", lock)
	}
}

// runOut lets nothing happen any more but time: every run has to end.
func (w *watched) runOut() {
	for range 1000 {
		var due time.Time
		for _, a := range w.apps {
			if d := workflow.Due(a.run, w.now); !d.IsZero() && (due.IsZero() || d.Before(due)) {
				due = d
			}
		}
		if due.IsZero() {
			break
		}
		w.now = due
		w.pass()
	}
	for _, a := range w.apps {
		require.True(w.t, a.run.Phase.Ended(), "run is %s for ever", a.run.Phase)
	}
}

func stable(targets []model.Target) map[string]model.Digest {
	m := map[string]model.Digest{}
	for _, t := range targets {
		m[t.Component] = t.Stable.Content
		if t.Next != nil {
			m[t.Component+" next"] = t.Next.Content
		}
	}
	return m
}
