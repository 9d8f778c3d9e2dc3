package lifecycle_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
)

var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// TestHistories plays the stories in testdata/*.txtar on one pool of 8 cores and
// compares the histories. A story has one statement a line:
//
//	git NAME web=2x1 db=1x1 web.after=db job.migrate=1x1   Git declares this application of tenant acme; mail.at=HOST:PORT: mail runs elsewhere
//	broken NAME                  Git holds an invalid file for it
//	gone NAME                    Git does not declare it
//	confirm NAME#2               a file confirms the removal of this instance
//	stop NAME                    Git says desired: terminated; suspend NAME: … suspended
//	pass                         one pass at the present time
//	ready NAME/COMPONENT         from now on the runtime shows it ready as it was told last
//	crash NAME/COMPONENT 3       … failing, started again 3 times so far; final: … failed for good; done: … ended well
//	unready NAME/COMPONENT 2     … running, and 2 of it ready; told NAME/COMPONENT 2: … told to run 2, all ready
//	away NAME/COMPONENT          … failing for want of a node; vanish NAME/COMPONENT: … not at all
//	refuse NAME/COMPONENT Invalid   the cluster refused an object when the accepted spec was applied; applied NAME: it took all
//	forget                       the reconciler starts anew: it reads the ledger, which knows no secrets
//	wait 5m                      time passes
//	cores 4                      the pool shrinks or grows
func TestHistories(t *testing.T) {
	playStories(t, "testdata/*.txtar", func() player { return newWorld() })
}

// player lives through a story, a line at a time, and tells what came of it.
type player interface {
	play(t *testing.T, words []string)
	history() string
}

func (w *world) history() string { return w.log.String() }

// playStories plays the stories of some files, each with a player of its own, and
// compares what they tell with the histories in the files.
func playStories(t *testing.T, pattern string, begin func() player) {
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.Len(t, ar.Files, 2, "a story and a history")
			w := begin()
			for line := range strings.Lines(string(ar.Files[0].Data)) {
				w.play(t, strings.Fields(line))
			}
			got := w.history()
			if flag.Lookup("update").Value.String() == "true" {
				ar.Files[1].Data = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(ar), 0o644))
			}
			require.Equal(t, string(ar.Files[1].Data), got)
		})
	}
}

// world is a fleet of one tenant and one pool, and a runtime that does what a
// story says.
type world struct {
	fleet     model.Fleet
	confirmed []model.InstanceID // whose removal a file confirms
	ledger    model.Ledger
	seen      model.Observation
	now       time.Time
	log       strings.Builder
}

func newWorld() *world {
	w := &world{now: start}
	w.fleet.Platform = &model.Platform{Name: "test", Pools: []model.PoolSpec{{Name: "general", OS: []string{"linux"}, Runtimes: []string{"container"}}}}
	w.fleet.Tenants = []model.Tenant{{Name: "acme"}}
	w.cores(8)
	return w
}

func (w *world) cores(n int) {
	w.seen.Pools = []model.Pool{{Name: "general", Nodes: n, Capacity: model.Resources{CPU: int64(n) * 1000, Memory: int64(n) << 32}}}
}

func (w *world) play(t *testing.T, words []string) {
	if len(words) == 0 {
		return
	}
	switch words[0] {
	case "git":
		w.forget(words[1])
		w.fleet.Applications = append(w.fleet.Applications, new(application(t, words[1], words[2:])))
	case "broken":
		w.forget(words[1])
		w.fleet.Unusable = append(w.fleet.Unusable, model.Unusable{App: id(words[1]), Code: "DA1001", Message: "does not parse"})
	case "gone":
		w.forget(words[1])
	case "confirm":
		instance, err := model.ParseInstanceID("acme/" + words[1])
		require.NoError(t, err)
		w.confirmed = append(w.confirmed, instance)
	case "stop", "suspend":
		for i := range w.fleet.Applications {
			if a := *w.fleet.Applications[i]; a.ID == id(words[1]) {
				a.Desired = map[string]model.Desired{"stop": "terminated", "suspend": "suspended"}[words[0]]
				w.fleet.Applications[i] = new(a.Seal())
			}
		}
	case "pass":
		w.pass(t)
	case "ready", "crash", "final", "done", "away", "unready", "told":
		n := 0
		if len(words) > 2 {
			var err error
			n, err = strconv.Atoi(words[2])
			require.NoError(t, err)
		}
		w.show(t, words[0], words[1], n)
	case "forget":
		w.ledger.Unsaved = nil
		for i := range w.ledger.Instances {
			inst := &w.ledger.Instances[i]
			for _, spec := range []**model.Application{&inst.Spec, &inst.Previous} {
				if *spec != nil {
					redacted := (*spec).Redact()
					*spec = &redacted
				}
			}
		}
	case "refuse", "applied":
		w.applied(words[1:]...)
	case "vanish":
		w.vanish(words[1])
	case "wait":
		d, err := time.ParseDuration(words[1])
		require.NoError(t, err)
		w.now = w.now.Add(d)
	case "cores":
		n, err := strconv.Atoi(words[1])
		require.NoError(t, err)
		w.cores(n)
	default:
		t.Fatalf("unknown statement %v", words)
	}
}

// applied is the attempt to apply the accepted spec: an object of the component was refused
// for the reason, or all went well.
func (w *world) applied(words ...string) {
	app, component, _ := strings.Cut(words[0], "/")
	inst, _ := w.ledger.Find(id(app))
	a := model.Applied{App: inst.App, Instance: inst.Number, Release: inst.Release()}
	if len(words) > 1 {
		a.Outcomes = []model.Outcome{{
			Object: "Deployment acme/" + component, Component: component, Reason: model.Reason(words[1]), Field: "spec.selector",
			Message: "Deployment acme/" + component + ": no", First: w.now, Last: w.now, Next: w.now.Add(time.Second),
		}}
	}
	w.seen.Applied = slices.DeleteFunc(w.seen.Applied, func(old model.Applied) bool { return old.App == a.App })
	w.seen.Applied = append(w.seen.Applied, a)
}

func id(name string) model.AppID { return model.AppID{Tenant: "acme", Name: name} }

func (w *world) forget(name string) {
	w.fleet.Applications = slices.DeleteFunc(w.fleet.Applications, func(a *model.Application) bool { return a.ID == id(name) })
	w.fleet.Unusable = slices.DeleteFunc(w.fleet.Unusable, func(u model.Unusable) bool { return u.App == id(name) })
}

// pass runs one pass, writes the transitions and the states of components down,
// and demands that a second pass with the same inputs changes nothing.
func (w *world) pass(t *testing.T) {
	slices.SortFunc(w.fleet.Applications, func(x, y *model.Application) int { return x.ID.Compare(y.ID) })
	advance := func(ledger model.Ledger, advance func(model.Ledger, model.Fleet, model.Ruling, model.Observation, time.Time) model.Ledger) model.Ledger {
		fleet, leaving := lifecycle.KeepLastGood(w.fleet, ledger, w.confirmed)
		fleet, _ = lifecycle.HoldMoves(fleet, &ledger, leaving, func(f model.Fleet) model.Ruling { return arbitration.Rule(f, w.seen, ledger, w.now) })
		return advance(ledger, fleet, arbitration.Rule(fleet, w.seen, ledger, w.now), w.seen, w.now)
	}
	next := advance(w.ledger, lifecycle.Advance)
	again := advance(next, lifecycle.AdvanceAll)
	for before := w.ledger; surprised(before, next, w.now) && model.DigestOf(next) != model.DigestOf(again); { // what was ruled did not know of it
		before, next = next, again
		again = advance(next, lifecycle.Advance)
	}
	require.Equal(t, text(t, next), text(t, again), "a second pass changes the ledger")
	for i := range next.Instances {
		inst := &next.Instances[i]
		for _, tr := range inst.History {
			if tr.At.Equal(w.now) && !w.told(inst.App, tr) {
				fmt.Fprintf(&w.log, "%s %s#%d %s → %s %s: %s\n", w.now.Sub(start), inst.App.Name, tr.Instance, tr.From, tr.To, tr.Reason, tr.Message)
			}
		}
		if inst.Phase.Active() {
			fmt.Fprintf(&w.log, "    %s:", inst.App.Name)
			for _, s := range inst.Components {
				fmt.Fprintf(&w.log, " %s %d/%d %s", s.Grant.Component, s.Run, s.Grant.Replicas, s.State)
				if s.Hold {
					w.log.WriteString(" held")
				}
			}
			w.log.WriteString("\n")
		}
		for _, o := range inst.Outcomes {
			fmt.Fprintf(&w.log, "    %s refused: %s %s, first at %s\n", inst.App.Name, o.Component, o.Reason, o.First.Sub(start))
		}
		if inst.Ending() {
			fmt.Fprintf(&w.log, "    %s ends:", inst.App.Name)
			for _, s := range inst.Components {
				fmt.Fprintf(&w.log, " %s kept", s.Grant.Component)
			}
			w.log.WriteString("\n")
		}
	}
	w.ledger = next
	w.now = w.now.Add(time.Second)
}

// text is a ledger as people can compare it.
func text(t *testing.T, l model.Ledger) string {
	b, err := json.MarshalIndent(l, "", " ")
	require.NoError(t, err)
	return string(b)
}

// surprised reports whether something happened at a time that no ruling knew before.
func surprised(before, l model.Ledger, now time.Time) bool {
	for i := range l.Instances {
		if old, ok := before.Find(l.Instances[i].App); ok && old.Ending() && !l.Instances[i].Ending() {
			return true
		}
		for _, tr := range l.Instances[i].History {
			switch tr.Reason {
			case model.ReasonRolledBack, model.ReasonQuarantined, model.ReasonFailedTooOften, model.ReasonUnrecoverable, model.ReasonRemoved:
				if tr.At.Equal(now) {
					return true
				}
			}
		}
	}
	return false
}

func (w *world) told(app model.AppID, tr model.Transition) bool {
	old, ok := w.ledger.Find(app)
	return ok && slices.ContainsFunc(old.History, func(t model.Transition) bool { return t.Equal(&tr) })
}

// show makes the runtime report on the component as it was told to run it.
func (w *world) show(t *testing.T, what, where string, n int) {
	name, component, _ := strings.Cut(where, "/")
	inst, ok := w.ledger.Find(id(name))
	require.True(t, ok, where)
	s, ok := inst.Component(component)
	require.True(t, ok, where)
	work := model.Workload{App: id(name), Component: component, Digest: s.Workload, Replicas: s.Run}
	switch what {
	case "ready":
		work.Ready, work.Current = s.Run, true
	case "unready":
		work.Ready, work.Why = n, "readiness probe fails"
	case "told":
		work.Replicas, work.Ready, work.Current = n, n, true
	case "done":
		work.Done = true
	case "away":
		work.Failure = &model.Failure{Class: model.ClassInfrastructure, Reason: "Unschedulable"}
	default:
		work.Failure = &model.Failure{Class: model.ClassRuntime, Reason: model.ContainerCrash, ExitCode: 1, Final: what == "final", Restarts: n}
	}
	w.vanish(where)
	w.seen.Workloads = append(w.seen.Workloads, work)
	slices.SortFunc(w.seen.Workloads, func(x, y model.Workload) int {
		if c := x.App.Compare(y.App); c != 0 {
			return c
		}
		return strings.Compare(x.Component, y.Component)
	})
}

// vanish makes the runtime show nothing of a component.
func (w *world) vanish(where string) {
	name, component, _ := strings.Cut(where, "/")
	w.seen.Workloads = slices.DeleteFunc(w.seen.Workloads, func(x model.Workload) bool { return x.App == id(name) && x.Component == component })
}

// application reads name=REPLICASxCORES and options.
func application(t *testing.T, name string, words []string) model.Application {
	app := model.Application{ID: id(name), Desired: "running", Policy: &model.Policy{
		PriorityCeiling: 1000, Degradation: true, StartDeadline: 10 * time.Minute, OnUpdateFailure: "rollback"}}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		part, option, _ := strings.Cut(key, ".")
		var err error
		switch part {
		case "on":
			ownLifecycle(t, &app, option, value)
			continue
		case "priority":
			app.Priority, err = strconv.Atoi(value)
			require.NoError(t, err)
			continue
		case "egress":
			app.Policy.Egress = strings.Split(value, ",")
			continue
		case "deadline":
			app.Policy.StartDeadline, err = time.ParseDuration(value)
			require.NoError(t, err)
			continue
		}
		if part == "job" {
			part, option = option, ""
			app.Components = append(app.Components, model.Component{Name: part, Type: "job"})
		}
		n := slices.IndexFunc(app.Components, func(c model.Component) bool { return c.Name == part })
		if n < 0 {
			app.Components = append(app.Components, model.Component{Name: part, Type: "worker"})
			n = len(app.Components) - 1
		}
		c := &app.Components[n]
		c.Runtime, c.OS, c.Critical = "container", "linux", true
		switch option {
		case "":
			replicas, cores, _ := strings.Cut(value, "x")
			var err error
			c.Replicas, err = strconv.Atoi(replicas)
			require.NoError(t, err)
			c.Requests.CPU, err = model.ParseCPU(cores)
			require.NoError(t, err)
		case "after":
			c.DependsOn = strings.Split(value, ",")
		case "min":
			least, err := strconv.Atoi(value)
			require.NoError(t, err)
			c.Degrade = &model.Degrade{MinReplicas: least}
		case "volume":
			c.Traits = fmt.Appendf(nil, `{"storage":[{"name":%q,"type":"persistent"}]}`, value)
		case "secret":
			c.Type, c.Properties = "secret", fmt.Appendf(nil, `{"data":{"key":%q}}`, value)
		case "at":
			c.Type, c.Runtime, c.OS, c.Properties = "external", "", "", fmt.Appendf(nil, `{"address":%q}`, value)
		case "image":
			c.Properties = fmt.Appendf(nil, `{"image":%q}`, value)
		default:
			t.Fatalf("unknown option %q", word)
		}
	}
	slices.SortFunc(app.Components, func(x, y model.Component) int { return strings.Compare(x.Name, y.Name) })
	return app.Seal()
}

// ownLifecycle reads on.failure=terminate and the like.
func ownLifecycle(t *testing.T, app *model.Application, option, value string) {
	l := &app.Lifecycle
	var err error
	switch option {
	case "failure": // three times within ten minutes
		l.OnFailure, l.Threshold, l.Window = model.OnFailure(value), 3, 10*time.Minute
		l.Backoff = model.Backoff{Initial: time.Minute, Factor: 2, Max: 5 * time.Minute}
	case "quarantine":
		l.Quarantine, err = strconv.Atoi(value)
		l.Backoff = model.Backoff{Initial: time.Hour, Factor: 2, Max: 24 * time.Hour}
	case "grace":
		l.Grace, err = time.ParseDuration(value)
	case "deletion":
		l.Deletion, app.Policy.Deletion = model.Deletion(value), model.Deletion(value)
	case "update":
		app.Policy.OnUpdateFailure = model.OnUpdateFailure(value)
	default:
		t.Fatalf("unknown option on.%s", option)
	}
	require.NoError(t, err)
}
