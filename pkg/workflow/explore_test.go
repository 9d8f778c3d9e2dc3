package workflow_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// TestEveryHistoryOfThreeSteps walks through every state that runs of three steps
// can get into, whatever ends well or badly and wherever the reconciler dies: after
// it computed, after it saved, after it acted on part of what it saved.
func TestEveryHistoryOfThreeSteps(t *testing.T) {
	types := []string{"job", "deploy", "approval", "notify"}
	shapes := [][][]int{{{}, {0}, {1}}, {{}, {}, {0, 1}}}
	flows, states := 0, 0
	for _, first := range types {
		for _, second := range types[:2] {
			for _, third := range types[:2] {
				for _, shape := range shapes {
					for _, onFailure := range []string{"stop", "rollback"} {
						d := threeSteps([]string{first, second, third}, shape, onFailure)
						flows++
						states += explore(t, &d)
					}
				}
			}
		}
	}
	t.Logf("%d workflows, %d states", flows, states)
}

func threeSteps(types []string, shape [][]int, onFailure string) (d declared) {
	d.Components, d.Jobs = map[string]int{"web": 1}, []string{"job", "unjob"}
	for i, kind := range types {
		d.Steps = append(d.Steps, declaredStep{})
		s := &d.Steps[i]
		s.Name, s.Type, s.OnFailure = fmt.Sprintf("s%d", i), kind, onFailure
		for _, j := range shape[i] {
			s.DependsOn = append(s.DependsOn, fmt.Sprintf("s%d", j))
		}
		switch kind {
		case "job":
			s.Component, s.Undo = "job", "unjob"
			if i == 0 {
				s.Retry.Attempts = 2
			}
		case "deploy":
			s.Components = []string{"web"}
		case "notify":
			s.Properties = json.RawMessage(`{"url":"https://x.example.com"}`)
		}
	}
	return d
}

// outside is all that outlives the reconciler: what it saved, and what the edges
// have done and seen.
type outside struct {
	Run      model.Run
	Now      time.Time
	Ready    bool                 // what is placed
	Placed   model.Digest         // that Ready is about
	Tasks    map[string]taskState // by key
	Approved int
	Late     bool // time has passed once to where something is due
}

type taskState struct {
	State string // started | ok | failed
	Step  string
	Undo  bool
}

func (o outside) clone() outside {
	o.Tasks = maps.Clone(o.Tasks)
	return o
}

func explore(t *testing.T, d *declared) int {
	spec := d.application("shop", "v1")
	first := outside{Run: workflow.Start("", spec, 1, nil, start), Now: start, Tasks: map[string]taskState{}}
	seen := map[model.Digest]bool{}
	queue := []outside{first}
	for len(queue) > 0 {
		state := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if digest := model.DigestOf(state); seen[digest] {
			continue
		} else {
			seen[digest] = true
		}
		require.Less(t, len(seen), 20_000, "too many states")
		check(t, spec, &state)
		if state.Run.Phase.Ended() {
			continue
		}
		queue = append(queue, following(spec, state)...)
	}
	return len(seen)
}

// following are the states that can come after one. A crash is that the next thing
// to happen is something else than what the reconciler was about to do: it keeps
// nothing in memory that is not here.
func following(spec *model.Application, now outside) (next []outside) {
	add := func(change func(*outside)) {
		o := now.clone()
		change(&o)
		next = append(next, o)
	}
	if after := compute(spec, now); !reflect.DeepEqual(after, now.Run) {
		add(func(o *outside) { o.Run = after })
	}
	intents := workflow.Intents(&now.Run, spec, nil)
	for _, i := range intents {
		task, begun := now.Tasks[i.Key]
		switch {
		case !begun:
			add(func(o *outside) {
				o.Tasks[i.Key] = taskState{State: "started", Step: i.Step, Undo: strings.Contains(i.Key, "/undo/")}
			})
		case task.State == "started":
			for _, end := range []string{"ok", "failed"} {
				add(func(o *outside) {
					task.State = end
					o.Tasks[i.Key] = task
				})
			}
		}
	}
	uses := func(kind string) bool {
		return slices.ContainsFunc(spec.Workflow.Steps, func(s model.Step) bool { return s.Type == kind })
	}
	if placed := model.DigestOf(now.Run.Targets); uses("deploy") && (!now.Ready || now.Placed != placed) {
		add(func(o *outside) { o.Ready, o.Placed = true, placed })
	}
	if uses("approval") && now.Approved == 0 {
		add(func(o *outside) { o.Approved = 1 })
		add(func(o *outside) { o.Approved = -1 })
	}
	if !now.Late {
		add(func(o *outside) { o.Now, o.Late = workflow.Due(&now.Run, now.Now), true })
	}
	return next
}

// compute is the reconciler: it looks at what is outside and computes.
func compute(spec *model.Application, o outside) model.Run {
	turn := workflow.Turn{Run: o.Run, Spec: spec}
	for _, key := range slices.Sorted(maps.Keys(o.Tasks)) {
		if s := o.Tasks[key].State; s != "started" {
			turn.Results = append(turn.Results, workflow.Result{Key: key, OK: s == "ok", Class: "Failed"})
		}
	}
	if o.Ready && o.Placed == model.DigestOf(o.Run.Targets) {
		for _, p := range workflow.Placements(&o.Run, func(string) int { return 1 }) {
			turn.Seen = append(turn.Seen, workflow.Seen{Component: p.Component, Granted: 1,
				Versions: []workflow.SeenVersion{{Content: p.Version.Content, Beside: p.Beside, Replicas: 1, Ready: 1}}})
		}
	}
	for _, s := range o.Run.Steps {
		if o.Approved != 0 {
			action := map[int]string{1: "approve", -1: "reject"}[o.Approved]
			turn.Commands = append(turn.Commands, model.Command{Action: action, Run: o.Run.ID, Step: s.Name, By: "ann"})
		}
	}
	runs, _ := workflow.Advance([]workflow.Turn{turn}, workflow.Limits{}, o.Now)
	return runs[0]
}

// check demands what has to be so in every state.
func check(t *testing.T, spec *model.Application, o *outside) {
	ok := func(step string, undo bool) bool {
		for _, task := range o.Tasks {
			if task.Step == step && task.Undo == undo && task.State == "ok" {
				return true
			}
		}
		return false
	}
	for i := range spec.Workflow.Steps {
		s := &spec.Workflow.Steps[i]
		rec, _ := o.Run.Step(s.Name)
		var begun []taskState
		for _, task := range o.Tasks {
			if task.Step == s.Name && !task.Undo {
				begun = append(begun, task)
			}
		}
		if len(begun) > 0 {
			require.GreaterOrEqual(t, rec.Attempt, len(begun), "step %s acts without having been saved", s.Name)
			for _, name := range s.DependsOn {
				dep, _ := o.Run.Step(name)
				require.Equal(t, model.StepSucceeded, dep.Phase, "step %s acts before %s has succeeded", s.Name, name)
			}
		}
		if rec.Phase == model.StepSucceeded && (s.Type == "job" || s.Type == "notify") {
			require.True(t, ok(s.Name, false), "step %s succeeded without being done", s.Name)
		}
		if o.Run.Phase == model.RunSucceeded {
			require.Equal(t, model.StepSucceeded, rec.Phase)
		}
		if o.Run.Phase == model.RunRolledBack && s.Type == "job" && len(begun) > 0 {
			require.True(t, ok(s.Name, true), "step %s was not taken back", s.Name)
		}
	}
	if o.Run.Phase == model.RunRolledBack {
		require.Empty(t, o.Run.Targets, "something runs that was taken back")
	}
	if o.Run.Phase == model.RunSucceeded {
		require.NotEmpty(t, o.Run.Targets)
	}
	require.False(t, o.Run.Phase == model.RunFailed && o.Run.Message == "", "a run fails without a word")
}
