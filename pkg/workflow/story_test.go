package workflow_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

var update = flag.Bool("update", false, "write the histories of the stories anew")

// TestStories plays the stories in testdata/*.txtar and compares what happened.
// Files *.yaml declare applications; the story has one statement a line, about the
// application named first in the line as "blog:", else about the first:
//
//	ran v1                     the application runs, without a workflow until now
//	git v2                     Git declares the application with images of version v2
//	pass                       the reconciler looks, until nothing changes any more
//	crash                      it looks, and dies before it has saved what it saw
//	done STEP [body=…] [status=…] [value=…]    what is done for the step ended well
//	fails STEP CLASS [TEXT]    … badly
//	ready COMPONENT            the runtime shows what runs of it as ready
//	broken COMPONENT REASON    … as failed for good
//	grant COMPONENT 2          arbitration gives it that many replicas
//	gone                       the application is removed
//	wait 5m                    time passes
//	approve|reject|resume|restart STEP by=NAME roles=A,B why=…    somebody commits a command
//	resume STEP stage=2 by=NAME
//	pause|resume|stop|restart by=NAME
//	old approve …              the same, with the name of an earlier run
//	tenant steps=1             the tenant takes that many steps at a time
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			require.NoError(t, err)
			got := play(t, ar)
			last := &ar.Files[len(ar.Files)-1]
			require.Equal(t, "history", last.Name)
			if *update {
				last.Data = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(ar), 0o644))
			}
			require.Equal(t, string(last.Data), got)
		})
	}
}

// teller plays a story and writes down what happens.
type teller struct {
	world
	t        *testing.T
	versions map[model.Digest]string // by spec
	earlier  []model.Digest          // runs of the first application
	was      workflow.Tallies        // before the pass
	log      strings.Builder
	at       string
}

func play(t *testing.T, ar *txtar.Archive) string {
	w := &teller{t: t, versions: map[model.Digest]string{}}
	w.now = start
	for _, f := range ar.Files {
		if !strings.HasSuffix(f.Name, ".yaml") {
			continue
		}
		a := &app{}
		require.NoError(t, yaml.UnmarshalStrict(f.Data, &a.declared), f.Name)
		w.apps = append(w.apps, a)
	}
	names := map[string]*app{}
	n := 0
	for _, f := range ar.Files {
		if name, ok := strings.CutSuffix(f.Name, ".yaml"); ok {
			names[name] = w.apps[n]
			n++
		}
		if f.Name != "story" {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			words := strings.Fields(line)
			if len(words) == 0 || words[0] == "#" {
				continue
			}
			a, name := w.apps[0], strings.TrimSuffix(ar.Files[0].Name, ".yaml")
			if first, ok := strings.CutSuffix(words[0], ":"); ok {
				require.Contains(t, names, first)
				a, name, words = names[first], first, words[1:]
			}
			w.tell(a, name, words)
		}
	}
	return w.log.String()
}

func (w *teller) tell(a *app, name string, words []string) {
	switch words[0] {
	case "git":
		spec := a.declared.application(name, words[1])
		w.versions[spec.Release] = words[1]
		w.accept(a, spec)
	case "ran":
		spec := a.declared.application(name, words[1])
		w.versions[spec.Release] = words[1]
		ran := workflow.Ran("", spec, 1, a.run, w.now)
		a.spec, a.runs, a.run = spec, spec, &ran
	case "gone":
		a.gone = true
	case "pass":
		w.pass()
	case "crash":
		turns, _ := w.turns()
		workflow.Advance(turns, w.limits, w.now)
	case "restart-reconciler":
		w.restart()
	case "wait":
		w.now = w.now.Add(parse(words[1]))
	case "tenant":
		n, err := strconv.Atoi(strings.TrimPrefix(words[1], "steps="))
		require.NoError(w.t, err)
		w.limits.Steps = n
	case "grant":
		n, err := strconv.Atoi(words[2])
		require.NoError(w.t, err)
		a.seen[words[1]].Granted = n
	case "ready":
		for _, c := range words[1:] {
			a.runtime(c, true, nil)
		}
	case "broken":
		a.runtime(words[1], false, &model.Failure{Reason: words[2], Message: "does not start", Final: true})
	case "done", "fails":
		w.report(a, words)
	case "old":
		w.command(a, w.earlier[0], words[1:])
	default:
		w.command(a, a.run.ID, words)
	}
}

// report answers the intent of a step.
func (w *teller) report(a *app, words []string) {
	for _, intent := range workflow.Intents(a.run, a.runs, w.tallies) {
		if intent.Step != words[1] {
			continue
		}
		r := workflow.Result{Key: intent.Key, OK: words[0] == "done"}
		rest := words[2:]
		if !r.OK {
			r.Class, rest = rest[0], rest[1:]
			r.Message = strings.Join(rest, " ")
		} else {
			for _, word := range rest {
				key, value, _ := strings.Cut(word, "=")
				var err error
				switch key {
				case "status":
					r.Status, err = strconv.Atoi(value)
				case "value":
					r.Value, err = strconv.ParseFloat(value, 64)
				case "body":
					r.Body = value
				case "bytes":
					var n int
					n, err = strconv.Atoi(value)
					r.Body = strings.Repeat("x", n)
				}
				require.NoError(w.t, err)
			}
		}
		a.results = append(a.results, r)
		return
	}
	w.t.Fatalf("nothing is done for step %s at %s", words[1], w.now.Sub(start))
}

// command lets somebody ask something of a run.
func (w *teller) command(a *app, run model.Digest, words []string) {
	c := model.Command{Action: words[0], Run: run, Commit: fmt.Sprintf("c%d", len(a.commands)+1)}
	for i, word := range words[1:] {
		switch key, value, ok := strings.Cut(word, "="); {
		case !ok:
			c.Step = word
		case key == "by":
			c.By = value
		case key == "stage":
			n, err := strconv.Atoi(value)
			require.NoError(w.t, err)
			c.Stage = n
		case key == "roles":
			c.Roles = strings.Split(value, ",")
		case key == "why":
			c.Why = strings.Join(append([]string{value}, words[i+2:]...), " ")
			a.commands = append(a.commands, c)
			return
		}
	}
	a.commands = append(a.commands, c)
}

// pass looks until nothing changes, writes down what did, and demands that what
// was saved can be read back.
func (w *teller) pass() {
	for range 20 {
		before := make([]*model.Run, len(w.apps))
		for i, a := range w.apps {
			before[i] = a.run
		}
		w.was = w.tallies
		if !w.step() {
			return
		}
		for i, a := range w.apps {
			if a.run != nil {
				w.tellRun(a, before[i])
			}
		}
	}
	w.t.Fatal("never comes to rest")
}

func (w *teller) say(a *app, format string, args ...any) {
	if at := w.now.Sub(start).String(); at != w.at {
		fmt.Fprintf(&w.log, "%s\n", at)
		w.at = at
	}
	name := ""
	if len(w.apps) > 1 {
		name = a.spec.ID.Name + ": "
	}
	fmt.Fprintf(&w.log, "    %s%s\n", name, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

func (w *teller) tellRun(a *app, before *model.Run) {
	run := a.run
	if before == nil || before.ID != run.ID {
		w.say(a, "run %d brings %s", run.Number, w.versions[run.Spec])
		if before != nil && a == w.apps[0] {
			w.earlier = append(w.earlier, before.ID)
		}
		fresh := &model.Run{}
		if before != nil {
			fresh.Targets, fresh.Commands = before.Targets, before.Commands
		}
		before = fresh
	}
	for _, h := range run.Commands[len(before.Commands):] {
		if h.Refused != "" {
			w.say(a, "%s %s by %s is refused: %s", h.Action, h.Step, h.By, w.readable(h.Refused))
		} else {
			w.say(a, "%s %s by %s", h.Action, h.Step, h.By)
		}
	}
	for i := range run.Steps {
		w.tellStep(a, &run.Steps[i], before)
	}
	w.tellTargets(a, before)
	w.tellIntents(a, before)
	if run.Phase != before.Phase && (before.Phase != "" || run.Phase != model.RunRunning) {
		w.say(a, "run %d is %s %s", run.Number, run.Phase, w.readable(run.Message))
	}
}

func (w *teller) tellStep(a *app, now *model.StepRun, before *model.Run) {
	was := model.StepRun{Phase: model.StepPending}
	if old, ok := before.Step(now.Name); ok {
		was = *old
	}
	switch {
	case now.Phase != was.Phase || now.Message != was.Message || now.Attempt != was.Attempt:
		line := string(now.Phase)
		if now.Phase == model.StepActive && now.Attempt > 1 {
			line += fmt.Sprintf(", attempt %d", now.Attempt)
		}
		if now.Phase != model.StepActive {
			line += " " + string(now.Reason)
		}
		if now.Message != "" {
			line += ": " + w.readable(now.Message)
		}
		for _, o := range now.Outputs {
			line += fmt.Sprintf(", leaves %s=%s", o.Name, o.Value)
		}
		w.say(a, "%s: %s", now.Name, line)
	case now.Stage != was.Stage:
		w.say(a, "%s: stage %d", now.Name, now.Stage+1)
	}
	var undo model.Undo
	if was.Undo != nil {
		undo = *was.Undo
	}
	if now.Undo != nil && now.Undo.Phase != undo.Phase && now.Undo.Phase != model.StepPending {
		w.say(a, "take back %s: %s %s", now.Name, now.Undo.Phase, now.Undo.Message)
	}
}

func (w *teller) tellTargets(a *app, before *model.Run) {
	type place struct{ what, how string }
	places := func(run *model.Run) (list []place) {
		granted := func(name string) int { return a.seen[name].Granted }
		for _, p := range workflow.Placements(run, granted) {
			how := strconv.Itoa(p.Replicas)
			if !p.Traffic {
				how += " without traffic"
			}
			list = append(list, place{p.Component + " " + w.versions[p.Version.Spec], how})
		}
		return list
	}
	old := map[string]string{}
	for _, p := range places(before) {
		old[p.what] = p.how
	}
	for _, p := range places(a.run) {
		if old[p.what] != p.how {
			w.say(a, "place %s × %s", p.what, p.how)
		}
		delete(old, p.what)
	}
	for _, p := range places(before) {
		if _, gone := old[p.what]; gone {
			w.say(a, "remove %s", p.what)
		}
	}
}

func (w *teller) tellIntents(a *app, before *model.Run) {
	spec := a.runs
	old := map[string]bool{}
	if before.ID == a.run.ID {
		for _, i := range workflow.Intents(before, spec, w.was) {
			old[i.Key] = true
		}
	}
	for _, i := range workflow.Intents(a.run, spec, w.tallies) {
		if old[i.Key] {
			delete(old, i.Key)
			continue
		}
		what := ""
		switch {
		case i.Job != nil:
			what = "run job " + i.Job.Component
			for _, in := range i.Job.Inputs {
				what += fmt.Sprintf(" %s=%s", in.Name, in.Value)
			}
		case i.Probe != nil:
			what = "ask " + i.Probe.URL + i.Probe.Query
		case i.Notice != nil:
			what = "tell " + i.Notice.URL
			for _, s := range i.Notice.Steps {
				what += fmt.Sprintf(" %s=%s", s.Name, s.Phase)
			}
			what += " event " + strings.TrimPrefix(i.Notice.Event, string(a.run.ID)+"/")
		}
		w.say(a, "do %s: %s", strings.TrimPrefix(i.Key, string(a.run.ID)+"/"), what)
	}
}

// readable puts names for digests.
func (w *teller) readable(text string) string {
	for digest, version := range w.versions {
		text = strings.ReplaceAll(text, digest.Short(), version)
	}
	for i, id := range w.earlier {
		text = strings.ReplaceAll(text, id.Short(), fmt.Sprintf("run-%d", i+1))
	}
	for _, a := range w.apps {
		if a.run != nil {
			text = strings.ReplaceAll(text, a.run.ID.Short(), fmt.Sprintf("run-%d", a.run.Number))
		}
	}
	return strings.ReplaceAll(text, start.Format(time.RFC3339), "the start")
}
