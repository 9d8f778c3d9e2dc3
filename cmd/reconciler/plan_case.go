package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// caseFlags say what is decided on without a cluster.
type caseFlags struct {
	repo, statusBranch, now string
	capacity                []string
	fleet, prefix           string
}

func (f *caseFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.repo, "repo", ".", "clone of the fleet repo")
	fl.StringVar(&f.statusBranch, "status-branch", "status", "status branch of the clone, as last fetched")
	fl.StringVar(&f.now, "now", "", "decide as of this `TIME`, such as 2026-05-01T12:00:00Z (default: now)")
	fl.StringArrayVar(&f.capacity, "capacity", nil, "capacity of a pool, `POOL.RESOURCE=[+|-]AMOUNT`, such as general.cpu=+64; can be given several times")
	fl.StringVar(&f.fleet, "fleet", "fleet", "name of the fleet, as given to run")
	fl.StringVar(&f.prefix, "namespace-prefix", "", "prefix of every namespace, as given to run")
}

// offline is all that a pass is made of, without the edges: the clone in place of
// the remote, what the status branch says in place of the cluster.
type offline struct {
	tree     *clone.Tree
	assessor *assessor
	recorded recorded
	now      time.Time
	notes    []string
}

func (f *caseFlags) open(ctx context.Context, progressTo io.Writer) (*offline, error) {
	o := &offline{now: present().UTC().Round(0)}
	var err error
	if f.now != "" {
		if o.now, err = time.Parse(time.RFC3339Nano, f.now); err != nil {
			return nil, fmt.Errorf("--now %s is no time; write it like %s", f.now, present().UTC().Format(time.RFC3339))
		}
	}
	if o.tree, err = clone.Open(ctx, f.repo); err != nil {
		return nil, err
	}
	if o.recorded, err = recordedIn(ctx, o.tree, f.statusBranch); err != nil {
		o.close()
		return nil, err
	}
	if o.assessor, err = newAssessor(ctx, f.fleet, f.prefix, progressTo); err != nil {
		o.close()
		return nil, err
	}
	if o.recorded.commit == "" {
		o.note("there is no status branch %q here, so nothing is taken to run and no pool to have more than it declares; \"git fetch origin %s\" brings it",
			f.statusBranch, f.statusBranch)
	}
	return o, nil
}

func (o *offline) close() {
	if o.assessor != nil {
		o.assessor.close()
	}
	o.tree.Close()
}

// note tells people, once, what the outcome rests on.
func (o *offline) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(o.notes, text) {
		o.notes = append(o.notes, text)
	}
}

// decide makes of a side what the reconciler's next pass would, if everything fares
// as the status branch says.
func (o *offline) decide(s *side, edits []capacityEdit) (*plan.Outcome, error) {
	ledger := o.recorded.ledger
	c := turn.Case{Fleet: s.fleet, Confirmed: s.confirmed, Ledger: ledger, Requests: s.requests, Now: o.now}
	if platform := turn.Platform(s.fleet, ledger); platform != nil {
		pools, err := o.pools(platform, edits)
		if err != nil {
			return nil, err
		}
		c.Seen = model.Observation{Pools: pools, Workloads: asRecorded(&ledger)}
	}
	out := turn.Take(c)
	return &plan.Outcome{Fleet: out.Fleet, Ledger: out.Next, Runs: runsOf(&out.Next)}, nil
}

// runsOf returns the runs of a ledger, with what their steps wait for.
func runsOf(l *model.Ledger) (runs []plan.Run) {
	for i := range l.Instances {
		in := &l.Instances[i]
		if in.Run == nil {
			continue
		}
		run := plan.Run{App: in.App, Run: in.Run.ID, Number: in.Run.Number, Phase: in.Run.Phase}
		spec := workflow.SpecOf(in)
		waits := workflow.Waits(in.Run, spec)
		for n := range in.Run.Steps {
			step := plan.RunStep{Name: in.Run.Steps[n].Name, Phase: in.Run.Steps[n].Phase}
			if spec != nil && spec.Workflow != nil && n < len(spec.Workflow.Steps) {
				decl := &spec.Workflow.Steps[n]
				step.Type, step.People = decl.Type, workflow.People(decl) && !step.Phase.Ended()
			}
			if w := slices.IndexFunc(waits, func(w workflow.Wait) bool { return w.Step == step.Name }); w >= 0 {
				step.Waits = waits[w].For
			}
			run.Steps = append(run.Steps, step)
		}
		runs = append(runs, run)
	}
	return runs
}

// pools returns the capacity that a platform's pools had when it was last looked at,
// or what they declare.
func (o *offline) pools(platform *model.Platform, edits []capacityEdit) ([]model.Pool, error) {
	before := map[string]*model.PoolSpec{}
	if last := o.recorded.ledger.Platform; last != nil {
		for i := range last.Pools {
			before[last.Pools[i].Name] = &last.Pools[i]
		}
	}
	var pools []model.Pool
	for i := range platform.Pools {
		spec := &platform.Pools[i]
		p := model.Pool{Name: spec.Name}
		n := slices.IndexFunc(o.recorded.ledger.Pools, func(p model.Pool) bool { return p.Name == spec.Name })
		if n >= 0 {
			p = o.recorded.ledger.Pools[n]
		}
		edited := slices.ContainsFunc(edits, func(e capacityEdit) bool { return e.pool == spec.Name })
		switch last := before[spec.Name]; {
		case spec.Capacity != nil:
			p.Capacity = *spec.Capacity
		case n < 0 && !edited:
			o.note("how much pool %s has is not known, so it is taken to have nothing; say it with --capacity %s.cpu=… and --capacity %s.memory=…",
				spec.Name, spec.Name, spec.Name)
		case n >= 0 && last != nil && (last.Capacity != nil || model.DigestOf(last.Selector) != model.DigestOf(spec.Selector)):
			o.note("pool %s is made of other nodes than before; its capacity is taken to be what it was", spec.Name)
		}
		pools = append(pools, p)
	}
	slices.SortFunc(pools, func(a, b model.Pool) int { return strings.Compare(a.Name, b.Name) })
	for _, e := range edits {
		if err := e.apply(pools); err != nil {
			return nil, err
		}
	}
	return pools, nil
}

// asRecorded returns the workloads that the runtimes would show if they were as the
// ledger says.
func asRecorded(l *model.Ledger) (list []model.Workload) {
	for i := range l.Instances {
		in := &l.Instances[i]
		if !in.Phase.Active() {
			continue
		}
		for _, s := range in.Components {
			w := model.Workload{App: in.App, Component: s.Grant.Component, Digest: s.Workload, Replicas: s.Run}
			switch s.State {
			case model.StateReady:
				w.Ready, w.Current = s.Run, true
			case model.StateDone:
				w.Done, w.Current = true, true
			}
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b model.Workload) int {
		if c := a.App.Compare(b.App); c != 0 {
			return c
		}
		return strings.Compare(a.Component, b.Component)
	})
	return list
}
