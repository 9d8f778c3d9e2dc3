package sim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/test/sim/reference"
)

// World is everything that a history is about.
type World struct {
	now       time.Time // the true time, which no process knows
	repo      *repo
	origin    *origin
	cluster   *cluster
	processes [2]*process
	options   Options

	signed     bool // the branch: only saves of the processes are believed
	sourceDown bool
	cutShort   int // so many evaluations are cut short
	apiDown    bool
	apiSince   time.Time
	apiRefuses map[string]int // so many requests about an application get lost
	refusals   map[part]model.Reason
	apiLoses   int        // of so many requests the answer gets lost
	sent       []delivery // requests that arrived, latest last

	ends      map[model.AppID]end // how instances end
	checked   *turn.Checked       // the fleet that was planned last
	hearing   hearing
	adopts    int                         // version of the branch that processes adopt which start, 0: none
	adopted   int                         // how often a ledger began from what a branch or the cluster said
	remade    map[model.AppID]remade      // applications whose records were made again from the cluster
	orphans   map[model.AppID]bool        // that no record knows since then
	excess    map[*object]map[string]bool // what runs and should not, and who has looked away
	reference *reference.Model
	story     *strings.Builder // nil: nobody listens
}

// delivery is a request that a process has sent.
type delivery struct {
	at   time.Time
	ref  apply.Ref
	part part
	told told
}

var begin = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func newWorld(o Options) *World {
	w := &World{now: begin, repo: newRepo(), origin: &origin{whole: map[model.AppID][]byte{}}, options: o, apiRefuses: map[string]int{}, refusals: map[part]model.Reason{}, ends: map[model.AppID]end{}, excess: map[*object]map[string]bool{}, hearing: newHearing(), remade: map[model.AppID]remade{}, orphans: map[model.AppID]bool{}, reference: reference.New()}
	w.cluster = newCluster(func() time.Time { return w.now })
	for i, name := range processNames {
		w.processes[i] = &process{world: w, name: name}
	}
	return w
}

var processNames = []string{"ann", "bob"}

// process is a reconciler: a loop and what it remembers. A crash takes the loop
// and leaves the name and the clock of the host.
type process struct {
	world *World
	name  string
	skew  time.Duration // of its clock

	loop     *reconcile.Loop // nil: it does not run
	watched  watched
	gathered gathered
	branch   *branch
	carrier  *carrier

	lines   int    // of this pass so far
	at      int    // the line at which something happens, 0: nothing does
	happens func() // what
	meddled bool   // it did

	// Versions of the branch: that the loop was given last, that it goes by in
	// this pass (0: it could not read any), and that it acts on, which is what it
	// acted on last where it goes by none.
	loaded, goesBy, acts int

	kept int // version of which this host has a copy

	told int64 // the last save that the cluster remembered as told when this pass began

	lost bool // somebody else has written to the branch first in this pass

	named map[string]bool // foreign commits that the log told

	refused map[part]refused // by the API server, when it applied the component last
}

// start makes a process run that knows nothing yet.
func (p *process) start() {
	p.watched, p.refused, p.named = watched{}, map[part]refused{}, map[string]bool{}
	p.branch, p.carrier = &branch{process: p, origin: p.world.origin}, newCarrier(p, p.world.cluster)
	o := reconcile.Options{
		Edges: reconcile.Edges{
			Source: gitSource{p, p.world.repo}, Status: p.branch, Runtime: p.carrier, Audience: reconcile.Audience{Events: p.carrier}, Evaluator: &evaluator{process: p, repo: p.world.repo},
			Commands: asking{p, p.world.repo}, Outbound: &outside{process: p},
		},
		Fleet: "sim", Interval: 15 * time.Second, Stage: p.stage,
		Log: slog.New(log{p}),
		Recognition: reconcile.Recognition{
			Anchor: p.carrier, Copy: hostCopy{p}, Branch: "status", NewID: p.world.newID, Adopt: p.world.adopts > 0 && p.world.adopts == p.world.origin.tip(),
			Signed: p.world.signed, Foreign: p.branch.Foreign, FromMemory: p.branch.FromMemory,
		},
		Now: func() time.Time {
			p.line("look at the clock")
			return p.world.now.Add(p.skew)
		},
	}
	if plant := p.world.options.Plant; plant != nil {
		plant(p, &o)
	}
	p.loop = reconcile.New(o)
}

// stage hears that a stage of a pass begins. From rendering on, the loop acts.
func (p *process) stage(name string) {
	if name == reconcile.StageRender && p.goesBy > 0 {
		p.acts = p.goesBy
	}
	p.line("begin to " + name)
}

// line is a place at which a process may be interrupted: between any two of them
// it changes nothing that others see.
func (p *process) line(about string) {
	p.lines++
	if p.lines == p.at {
		p.at, p.meddled = 0, true
		p.world.tell("    at line %d, about to %s:", p.lines, about)
		p.happens()
	}
}

// crash is how a process ends in the middle of a pass.
type crash struct{}

// pass makes a process run once through its loop, and something happen at a line
// of it.
func (p *process) pass(at int, happens func()) (r reconcile.Report, err error) {
	if p.loop == nil {
		p.start()
		p.world.tell("    %s starts", p.name)
	}
	p.lines, p.at, p.happens, p.meddled = 0, at, happens, false
	w := p.world
	wrong, asked := w.wrong(), maps.Clone(p.refused)
	head := w.origin.tip()
	if p.told = 0; w.cluster.anchor != nil {
		p.told = w.cluster.anchor.Announced
	}
	defer func() {
		p.at = 0
		switch x := recover().(type) {
		case nil:
			w.tellPass(p, &r, err)
			w.foreignIsNamed(p)
			if err == nil && r.Saved {
				w.everythingIsTold(p)
			}
			if err == nil && r.SourceErr == nil && !p.meddled && p.loaded == head {
				w.lookedAway(p, wrong)
				w.runningStaysTrue(p)
				w.refusalsAreTold(p, asked)
				w.orphansAreTold(p)
			}
		case crash:
			p.loop, err = nil, errCrashed
			w.tell("    %s crashes", p.name)
		default:
			panic(x)
		}
	}()
	return p.loop.Pass(context.Background())
}

var errCrashed = errors.New("crashed")

// other is the other process.
func (p *process) other() *process {
	if p == p.world.processes[0] {
		return p.world.processes[1]
	}
	return p.world.processes[0]
}

// tick lets time pass.
func (w *World) tick(d time.Duration) {
	w.now = w.now.Add(d)
	w.cluster.progress()
}

// redeliver lets a request arrive once more that was sent a moment ago: a proxy
// tries again, or its sender is gone and what it sent is not.
func (w *World) redeliver(n int) {
	if n >= len(w.sent) || w.now.Sub(w.sent[len(w.sent)-1-n].at) > 30*time.Second {
		return
	}
	d := w.sent[len(w.sent)-1-n]
	if o := w.cluster.objects[d.ref]; o != nil && (o.told.applied == d.told.applied || !o.leaving.IsZero()) {
		return
	}
	w.cluster.write(d.ref, d.part, d.told)
}

// Violation is something that must hold and did not.
type Violation struct {
	Rule   string // constant: which
	Detail string
	Step   int // the number of the event after which it did not hold, from 1
}

func (v *Violation) Error() string { return v.Rule + ": " + v.Detail }

// violate ends the history.
func (w *World) violate(rule, format string, args ...any) {
	panic(&Violation{Rule: rule, Detail: fmt.Sprintf(format, args...)})
}

// run lives through a history and returns what did not hold, nil if all did.
func (w *World) run(history []Event) (v *Violation) {
	step := 0
	defer func() {
		switch x := recover().(type) {
		case nil:
			return
		case *Violation:
			v = x
		default:
			v = &Violation{Rule: "nothing panics", Detail: fmt.Sprintf("%v\n%s", x, debug.Stack())}
		}
		v.Step = step
		w.tell("\nVIOLATED: %s", v)
	}()
	for i, e := range history {
		step = i + 1
		w.tell("%3d %s", step, e)
		operations[e.Op].do(w, e.Args[:])
	}
	if w.options.restless {
		return nil
	}
	step++
	w.tell("the end: all faults are mended, and passes go on until nothing changes")
	w.comeToRest()
	return nil
}

func (w *World) tell(format string, args ...any) {
	if w.story != nil {
		fmt.Fprintf(w.story, format+"\n", args...)
	}
}

// tellPass tells what a pass changed.
func (w *World) tellPass(p *process, r *reconcile.Report, err error) {
	if w.story == nil {
		return
	}
	if err != nil {
		w.tell("    %s: %s", p.name, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	for _, t := range r.Transitions() {
		w.tell("    %s decides: %s#%d %s → %s %s (%s)", p.name, t.App, t.Instance, t.From, t.To, t.Reason, t.Message)
	}
	if r.Saved {
		w.tell("    %s saves version %d", p.name, p.goesBy)
	}
	for i := range r.Applied.Outcomes {
		s := &r.Applied.Outcomes[i]
		for j := range s.Results {
			if o := &s.Results[j]; o.Action != runtime.Kept && s.App.Name != "" {
				w.tell("    %s: %s %s of %s %s", p.name, o.Action, o.Object, s.App, o.Message)
			}
		}
	}
}

// active are the records of a ledger that have something to run.
func active(l *model.Ledger) (list []*model.Instance) {
	for i := range l.Instances {
		if l.Instances[i].Phase.Active() {
			list = append(list, &l.Instances[i])
		}
	}
	return list
}
