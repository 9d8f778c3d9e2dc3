package lifecycle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// TestRuns plays the stories in testdata/runs/*.txtar, of applications with
// workflows, as TestHistories does. Besides there are
//
//	flow NAME deploy:web job:migrate   the steps of the application, each after the one before
//	failing rollback                   … of which those that follow have this onFailure
//	result STEP ok                     from now on the latest attempt of a step has ended so; or with a class of failure
//	ask NAME restart                   somebody asks something of the latest run; approve STEP and so on
func TestRuns(t *testing.T) {
	playStories(t, "testdata/runs/*.txtar", func() player {
		return &flowing{world: newWorld(), asked: map[model.AppID][]model.Command{}}
	})
}

// flowing is a world whose applications have workflows.
type flowing struct {
	*world
	results []workflow.Result
	asked   map[model.AppID][]model.Command
}

func (w *flowing) play(t *testing.T, words []string) {
	if len(words) == 0 {
		return
	}
	switch words[0] {
	case "flow":
		w.flow(t, words[1], words[2:])
	case "result":
		for i := range w.ledger.Instances {
			run := w.ledger.Instances[i].Run
			if s, ok := run.Step(words[1]); ok {
				key := fmt.Sprintf("%s/%s/%d", run.ID, s.Name, s.Attempt)
				w.results = append(w.results, workflow.Result{Key: key, OK: words[2] == "ok", Class: words[2]})
			}
		}
	case "ask":
		inst, ok := w.ledger.Find(id(words[1]))
		require.True(t, ok)
		c := model.Command{Run: inst.Run.ID, Action: words[2], By: "ann", Commit: fmt.Sprint(len(w.asked[inst.App]))}
		if len(words) > 3 {
			c.Step = words[3]
		}
		w.asked[inst.App] = append(w.asked[inst.App], c)
	case "pass":
		w.pass(t)
	default:
		w.world.play(t, words)
	}
}

// flow gives an application that Git declares a workflow.
func (w *flowing) flow(t *testing.T, name string, words []string) {
	for i, a := range w.fleet.Applications {
		if a.ID != id(name) {
			continue
		}
		flow, onFailure := &model.Workflow{}, "stop"
		for _, word := range words {
			kind, component, _ := strings.Cut(word, ":")
			if kind == "failing" {
				onFailure = component
				continue
			}
			s := model.Step{Name: kind, Type: kind, OnFailure: model.StepFailure(onFailure), Retry: model.Retry{Attempts: 1}}
			switch kind {
			case "job":
				s.Component = component
			case "deploy", "canary", "blue-green":
				s.Components = strings.Split(component, ",")
			}
			if n := len(flow.Steps); n > 0 {
				s.DependsOn = []string{flow.Steps[n-1].Name}
			}
			flow.Steps = append(flow.Steps, s)
		}
		with := *a
		with.Workflow = flow
		w.fleet.Applications[i] = new(with.Seal())
	}
}

// pass runs one pass and writes down what it changed. A second one changes nothing.
func (w *flowing) pass(t *testing.T) {
	advance := func(ledger model.Ledger) model.Ledger {
		fleet, _ := lifecycle.KeepLastGood(w.fleet, ledger, nil)
		next := lifecycle.Advance(ledger, fleet, arbitration.Rule(fleet, w.seen, ledger, w.now), w.seen, w.now)
		runs, _ := workflow.Carry(&ledger, &next, workflow.Reports{Commands: w.asked, Results: w.results, Seen: &w.seen}, workflow.Limits{}, w.now)
		return lifecycle.Follow(next, runs, w.seen, w.now)
	}
	next := advance(w.ledger)
	for before := w.ledger; surprised(before, next, w.now) || len(before.Instances) > 0 && more(&next); {
		// what was ruled did not know of it
		if before, next = next, advance(next); text(t, before) == text(t, next) {
			break
		}
	}
	require.Equal(t, text(t, next), text(t, advance(next)), "a second pass changes the ledger")
	for i := range next.Instances {
		inst := &next.Instances[i]
		for _, tr := range inst.History {
			if tr.At.Equal(w.now) && !w.told(inst.App, tr) {
				fmt.Fprintf(&w.log, "%s %s#%d %s → %s %s: %s\n", w.now.Sub(start), inst.App.Name, tr.Instance, tr.From, tr.To, tr.Reason, tr.Message)
			}
		}
		if inst.Run != nil {
			fmt.Fprintf(&w.log, "    run %d is %s\n", inst.Run.Number, inst.Run.Phase)
		}
		if inst.Phase.Active() {
			w.log.WriteString("   ")
			for _, s := range inst.Components {
				fmt.Fprintf(&w.log, " %s %d/%d %s", s.Grant.Component, s.Run, s.Grant.Replicas, s.State)
				if c, ok := inst.Spec.Component(s.Grant.Component); !ok || c.Content(inst.App) != s.Spec {
					w.log.WriteString(" before")
				}
				if s.Beside != nil {
					fmt.Fprintf(&w.log, " beside %d", s.Beside.Run)
				}
			}
			w.log.WriteString("\n")
		}
	}
	w.ledger = next
	w.now = w.now.Add(1e9)
}

// more reports whether something is kept that the accepted spec does not have.
func more(ledger *model.Ledger) bool {
	for i := range ledger.Instances {
		if inst := &ledger.Instances[i]; inst.Phase.Active() && len(inst.Components) > len(inst.Spec.Components) {
			return true
		}
	}
	return false
}
