package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// flows are the workflows of applications that have one, by shape. Each deals with
// something in a way of its own: jobs that are taken back, people who agree, two
// versions at once, others who are asked and told.
var flows = map[string]func(version int) *model.Workflow{
	"migrated": func(int) *model.Workflow {
		return &model.Workflow{Steps: []model.Step{
			{Name: "migrate", Type: "job", Component: "migrate", Undo: "unmigrate", Lock: "database", Timeout: 10 * time.Minute,
				Retry: model.Retry{Attempts: 2, Backoff: model.Backoff{Initial: 5 * time.Second, Factor: 2, Max: time.Minute}}, OnFailure: "stop"},
			{Name: "release", Type: "deploy", DependsOn: []string{"migrate"}, Timeout: 5 * time.Minute, Retry: once, OnFailure: "rollback"},
			{Name: "tell", Type: "notify", DependsOn: []string{"release"}, If: "always", Timeout: 5 * time.Minute, Retry: once, OnFailure: "continue",
				Properties: []byte(`{"url":"https://hooks.example.com/","secret":"hooks"}`)},
		}}
	},
	"gated": func(int) *model.Workflow {
		return &model.Workflow{RollbackWindow: 1, Steps: []model.Step{
			{Name: "agree", Type: "approval", Timeout: time.Hour, Retry: once, OnFailure: "stop", Properties: []byte(`{"roles":["application-owner"]}`)},
			{Name: "release", Type: "canary", Components: []string{"web"}, DependsOn: []string{"agree"}, Timeout: 20 * time.Minute, Retry: once, OnFailure: "rollback",
				Properties: []byte(`{"stages":[{"weight":30,"pause":"10s"},{"weight":60,"manual":true}],"check":{"url":"https://shop.example.com/","every":"10s","times":2,"failures":1}}`)},
		}}
	},
	"seeded": func(int) *model.Workflow {
		return &model.Workflow{Parallelism: 1, RollbackWindow: 2, Steps: []model.Step{
			{Name: "seed", Type: "job", Component: "seed", Undo: "unseed", Memo: true, Timeout: 5 * time.Minute, Retry: once, OnFailure: "stop"},
			{Name: "rest", Type: "wait", Timeout: time.Minute, Retry: once, OnFailure: "continue", Properties: []byte(`{"for":"5s"}`)},
			{Name: "release", Type: "deploy", DependsOn: []string{"seed", "rest"}, Timeout: 2 * time.Minute, Retry: once, OnFailure: "rollback"},
			{Name: "tell", Type: "notify", DependsOn: []string{"release"}, If: "failed.release", Timeout: 5 * time.Minute, Retry: once, OnFailure: "continue",
				Properties: []byte(`{"url":"https://hooks.example.com/","secret":"hooks"}`)},
		}}
	},
	"switched": func(int) *model.Workflow {
		return &model.Workflow{Timeout: 30 * time.Minute, Steps: []model.Step{
			{Name: "release", Type: "blue-green", Components: []string{"web"}, Timeout: 10 * time.Minute, Lock: "database", Retry: once, OnFailure: "rollback",
				Properties: []byte(`{"pause":"5s","keep":"20s"}`)},
			{Name: "rest", Type: "wait", DependsOn: []string{"release"}, Timeout: time.Minute, Retry: once, OnFailure: "continue", Properties: []byte(`{"for":"20s"}`)},
		}}
	},
}

var once = model.Retry{Attempts: 1}

func init() {
	task := func(name string, version int) model.Component {
		job := worker(name, version, 1, 1)
		job.Type = "job"
		return job
	}
	shapes["migrated"] = func(version, replicas int) []model.Component {
		return []model.Component{task("migrate", version), task("unmigrate", version), worker("web", version, replicas, 1)}
	}
	shapes["seeded"] = func(version, replicas int) []model.Component {
		return []model.Component{task("seed", (version+1)/2), task("unseed", 1), worker("web", version, replicas, 1)}
	}
	shapes["gated"] = func(version, replicas int) []model.Component {
		return []model.Component{worker("web", version, replicas, 1)}
	}
	shapes["switched"] = func(version, replicas int) []model.Component {
		return []model.Component{worker("reports", version, 1, 1), worker("web", version, replicas, 1)}
	}
}

// maxFiles bounds the files of approvals; the oldest go.
const maxFiles = 20

// manner is how somebody asks.
type manner int

const (
	signed   manner = iota // about the present run
	stale                  // about the run before it
	unsigned               // so that nobody knows who
)

// asks adds a file to the fleet repo by which somebody asks something of the run
// that an application has now or had before, or has its last release on hold tried again.
func (w *World) asks(app int, action string, how manner) {
	inst, ok := w.origin.now().Find(apps[app])
	if !ok || inst.Run == nil && action != model.CommandRetry {
		return
	}
	if action == model.CommandRetry {
		if len(inst.Held) > 0 {
			w.requests(app, model.Command{Action: action, Release: inst.Held[len(inst.Held)-1]}, how)
		}
		return
	}
	c := model.Command{Action: action, Run: inst.Run.ID}
	if how == stale {
		c.Run = w.runBefore(inst)
	}
	for i := range inst.Run.Steps {
		s := &inst.Run.Steps[i]
		decl := model.Step{}
		if inst.Spec != nil && inst.Spec.Workflow != nil && i < len(inst.Spec.Workflow.Steps) {
			decl = inst.Spec.Workflow.Steps[i]
		}
		switch {
		case (action == model.CommandApprove || action == model.CommandReject) && decl.Type == "approval",
			action == model.CommandResume && s.Phase == model.StepActive && (decl.Type == "canary" || decl.Type == "wait"):
			c.Step = s.Name
		}
	}
	w.requests(app, c, how)
}

// runBefore is the run that an application had before the one that it has.
func (w *World) runBefore(inst *model.Instance) model.Digest {
	for n := len(w.origin.versions); n > 0; n-- {
		if was, ok := w.origin.says(n).Find(inst.App); ok && was.Run != nil && was.Run.ID != inst.Run.ID {
			return was.Run.ID
		}
	}
	return model.DigestOf([]any{"a run of the past", inst.Run.ID})
}

// requests commits a file that asks something.
func (w *World) requests(app int, c model.Command, how manner) {
	w.repo.commit(func(t *tree) {
		commit := access.Commit{Hash: fmt.Sprintf("%040x", len(w.repo.commits)+1), Payload: []byte(payload), Signature: []byte(signature)}
		if how == unsigned {
			commit.Payload, commit.Signature, commit.Author = nil, nil, "ann"
		}
		files := append(slices.Clip(t.files), access.Request{App: apps[app], Asks: []model.Command{c}, Commit: commit})
		t.files = files[max(0, len(files)-maxFiles):]
	})
}

// ann may do everything. All that she signs is the same payload, as verifying it does
// not depend on what else is known of a commit.
const (
	annsKey   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOJk3lDUXrxnI3afK+oeUP6+aoMjKTWAdZKpjhLm4D3A ann"
	payload   = "sim"
	signature = `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAg4mTeUNRevGcjdp8r6h5Q/r5qgy
MpNYB1kqmOEubgPcAAAAADZ2l0AAAAAAAAAAZzaGE1MTIAAABTAAAAC3NzaC1lZDI1NTE5
AAAAQJO1y3nCbqxMHETC9J/iHXNI9MukqR90760P06CQdyIY/nd9j/5jlWx5Njh+4DcFlo
WAvZgJsMPK0pd1309h0Ao=
-----END SSH SIGNATURE-----
`
)

// asking reads the files of approvals for one process.
type asking struct {
	*process
	repo *repo
}

func (a asking) Requests(snap source.Snapshot) access.Requests {
	at := a.repo.commits[snap.Commit]
	return access.Requests{List: at.files, Removals: at.removals}
}

// outside stands for everything that one process sends requests to. An answer takes
// a while.
type outside struct {
	*process
	out map[string]sent
}

type sent struct {
	app   model.AppID
	probe bool
	since time.Time
}

func (e *outside) Changed() <-chan struct{} { return nil }

func (e *outside) Do(tasks []outbound.Task) {
	e.line("send requests")
	out := map[string]sent{}
	for _, t := range tasks {
		e.world.requestsOnce(e.process, t)
		known, ok := e.out[t.Intent.Key]
		if !ok {
			known = sent{t.App, t.Intent.Probe != nil, e.world.now}
		}
		out[t.Intent.Key] = known
	}
	e.out = out
}

// Results answers after a while, as well as the component behaves.
func (e *outside) Results() (results []workflow.Result) {
	for key, o := range e.out {
		how := cmp.Or(e.world.cluster.behaviour[part{app: o.app, component: "web"}], "well")
		switch {
		case e.world.now.Sub(o.since) < 2*time.Second:
		case how == "well" || !o.probe:
			results = append(results, workflow.Result{Key: key, OK: true, Status: 200})
		case how == "crash":
			results = append(results, workflow.Result{Key: key, OK: true, Status: 500, Message: "it is not well"})
		}
	}
	slices.SortFunc(results, func(x, y workflow.Result) int { return strings.Compare(x.Key, y.Key) })
	e.gathered.results = results
	return results
}

// requestsOnce judges what a process asks or tells: the branch says so, in the
// version that it acts on.
func (w *World) requestsOnce(p *process, t outbound.Task) {
	if inst := p.says(t.App); inst != nil && inst.Run != nil && inst.Run.Spec == inst.Release() {
		_, tallies, _ := p.loop.News()
		if slices.ContainsFunc(workflow.Intents(inst.Run, inst.Spec, tallies), func(i workflow.Intent) bool { return i.Key == t.Intent.Key }) {
			return
		}
	}
	w.violate("only what is saved is done", "%s does %s of %s, and version %d of the branch, which it goes by, does not say so", p.name, t.Intent.Key, t.App, p.acts)
}

// allows reports whether a record lets the job of a step be there: it is due, or has
// come to its end and may be looked at. Only what is due may be told to run.
func allows(inst *model.Instance, key string, toRun bool) bool {
	is := func(i workflow.Intent) bool { return i.Key == key && i.Job != nil }
	if inst.Run == nil {
		return false
	}
	if inst.Run.Spec == inst.Release() && slices.ContainsFunc(workflow.Intents(inst.Run, inst.Spec, nil), is) {
		return true
	}
	return !toRun && slices.ContainsFunc(workflow.Finished(inst.Run), is)
}

// runsGoOn judges the runs of a new version of the branch.
func (w *World) runsGoOn(before, after *model.Ledger) {
	locks := map[string]string{}
	for i := range after.Instances {
		now := &after.Instances[i]
		if now.Run == nil {
			continue
		}
		var was *model.Run
		if known, ok := before.Find(now.App); ok {
			was = known.Run
		}
		w.runEndsOnce(was, now.Run)
		w.peopleAgreed(now.Run)
		w.runIsBounded(now)
		for k := range now.Run.Steps {
			w.locked(locks, now, k)
		}
	}
}

// runEndsOnce: what ended goes on only when somebody restarts it.
func (w *World) runEndsOnce(was, now *model.Run) {
	if was == nil {
		return
	}
	if was.ID != now.ID {
		if now.Number <= was.Number {
			w.violate("runs are counted", "run %d of %s comes after run %d", now.Number, now.App, was.Number)
		}
		return
	}
	if was.Phase.Ended() && !now.Phase.Ended() && !slices.ContainsFunc(now.Commands[len(was.Commands):], func(h model.Handled) bool {
		return h.Action == model.CommandRestart && h.Refused == ""
	}) {
		w.violate("a run ends once", "run %d of %s was %s and is %s", now.Number, now.App, was.Phase, now.Phase)
	}
}

// peopleAgreed: no command does anything to a run that it does not name.
func (w *World) peopleAgreed(run *model.Run) {
	for _, h := range run.Commands {
		if h.Run != run.ID && h.Refused == "" && !w.earlier(h) {
			w.violate("a command is about one run", "%s of %s, which names run %s, took effect on run %s", h.Action, run.App, h.Run.Short(), run.ID.Short())
		}
	}
	for i := range run.Steps {
		s := &run.Steps[i]
		if s.Reason == "Approved" && !slices.ContainsFunc(run.Commands, func(h model.Handled) bool {
			return h.Run == run.ID && h.Step == s.Name && h.Action == model.CommandApprove && h.Refused == ""
		}) {
			w.violate("a command is about one run", "step %s of %s was approved by nobody", s.Name, run.App)
		}
	}
}

// earlier reports whether a command took effect on the run that it names, before.
func (w *World) earlier(h model.Handled) bool {
	for i := len(w.origin.versions) - 1; i >= 0; i-- {
		for k := range w.origin.versions[i].ledger.Instances {
			if run := w.origin.versions[i].ledger.Instances[k].Run; run != nil && run.ID == h.Run && slices.ContainsFunc(run.Commands, func(x model.Handled) bool { return x.ID == h.ID }) {
				return true
			}
		}
	}
	return false
}

// runIsBounded: every run ends or waits with a deadline.
func (w *World) runIsBounded(inst *model.Instance) {
	if inst.Run.Phase.Ended() {
		return
	}
	if !inst.Phase.Active() {
		w.violate("a run ends with its application", "%s is %s and its run %s", inst.App, inst.Phase, inst.Run.Phase)
	}
	if inst.Run.Deadline.IsZero() || inst.Run.Deadline.Sub(w.now) > 9*24*time.Hour {
		w.violate("every run ends or waits with a deadline", "run %d of %s has until %s", inst.Run.Number, inst.App, inst.Run.Deadline)
	}
}

// locked: a lock has one holder among the runs of a tenant.
func (w *World) locked(locks map[string]string, inst *model.Instance, step int) {
	s := &inst.Run.Steps[step]
	if inst.Run.Phase.Ended() || inst.Spec == nil || inst.Run.Spec != inst.Spec.Release || inst.Spec.Workflow.Steps[step].Lock == "" {
		return
	}
	on := func(p model.StepPhase) bool { return p == model.StepActive || p == model.StepRetrying }
	if !on(s.Phase) && (s.Undo == nil || !on(s.Undo.Phase)) {
		return
	}
	lock := inst.App.Tenant + "/" + inst.Spec.Workflow.Steps[step].Lock
	if other, held := locks[lock]; held {
		w.violate("a lock has one holder", "%s is held by %s and by %s", lock, other, inst.App)
	}
	locks[lock] = inst.App.String()
}

// letThemThrough has people agree to whatever waits for them, until nothing does.
func (w *World) letThemThrough(rest func()) {
	for range 20 {
		asked := false
		for i, id := range apps {
			inst, ok := w.origin.now().Find(id)
			if !ok || inst.Run == nil || inst.Run.Phase.Ended() || w.origin.now().DamagedOf(id) != nil {
				continue
			}
			asked = true
			switch s := waiting(inst); {
			case inst.Run.Phase == model.RunPaused, s != nil && s.Type != "approval":
				w.asks(i, model.CommandResume, signed)
			case s != nil:
				w.asks(i, model.CommandApprove, signed)
			}
		}
		if !asked {
			return
		}
		w.tell("people agree to what waits for them")
		rest()
	}
}

// waiting is the step that waits for somebody.
func waiting(inst *model.Instance) *model.Step {
	for i := range inst.Run.Steps {
		if decl := &inst.Spec.Workflow.Steps[i]; inst.Run.Steps[i].Phase == model.StepActive && (decl.Type == "approval" || decl.Type == "canary") {
			return decl
		}
	}
	return nil
}

// unbrought reports whether a workflow ended without bringing the spec, which nothing
// mends but a new spec or somebody who restarts it.
func unbrought(inst *model.Instance) bool {
	return inst.Reason == model.ReasonWorkflowFailed || inst.Reason == model.ReasonWorkflowStopped
}
