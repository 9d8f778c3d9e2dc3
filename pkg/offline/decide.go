package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// decided is a side with the reconciler's next pass for it.
type decided struct {
	side
	plan.Outcome
	pass   turn.Case
	took   turn.Outcome
	inputs map[model.AppID]model.Digest // of the objects of Outcome; nil: not computed yet
}

// decide takes the reconciler's next pass for a side, if the runtimes are as the ledger says.
func decide(s side, ledger model.Ledger, now time.Time, capacity []Capacity, n *notes) (decided, error) {
	c, err := caseOf(s, ledger, now, capacity, n)
	if err != nil {
		return decided{}, err
	}
	took := turn.Take(c)
	return decided{side: s, Outcome: outcomeOf(took), pass: c, took: took}, nil
}

// caseOf returns the case of that pass.
func caseOf(s side, ledger model.Ledger, now time.Time, capacity []Capacity, n *notes) (turn.Case, error) {
	c := turn.Case{Fleet: s.fleet, Checked: s.checked, Ledger: ledger, Orphans: ledger.Orphans, Requests: s.requests, Now: now}
	if platform := turn.Platform(s.fleet, ledger); platform != nil {
		pools, err := poolsOf(platform, &ledger, capacity, n)
		if err != nil {
			return c, err
		}
		c.Seen = model.Observation{Pools: pools, Workloads: turn.AsRecorded(&ledger)}
	}
	return c, nil
}

func outcomeOf(out turn.Outcome) plan.Outcome {
	return plan.Outcome{Fleet: out.Fleet, Ledger: out.Next, Runs: runsOf(&out.Next)}
}

// runsOf returns the workflow runs of a ledger, with the waits of their steps.
func runsOf(l *model.Ledger) (runs []plan.Run) {
	for i := range l.Instances {
		in := &l.Instances[i]
		if in.Run == nil {
			continue
		}
		run := plan.Run{App: in.App, Run: in.Run.ID, Number: in.Run.Number, Phase: in.Run.Phase}
		spec := in.RunSpec()
		waits := workflow.Waits(in.Run, spec)
		for n := range in.Run.Steps {
			step := plan.RunStep{Name: in.Run.Steps[n].Name, Phase: in.Run.Steps[n].Phase}
			if steps := spec.Steps(); n < len(steps) {
				decl := &steps[n]
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

// poolsOf returns the capacity that the pools of a platform had when they were last observed, or that they declare.
func poolsOf(platform *model.Platform, ledger *model.Ledger, capacity []Capacity, n *notes) ([]model.Pool, error) {
	before := cmp.Or(ledger.Platform, &model.Platform{})
	var pools []model.Pool
	for i := range platform.Pools {
		spec := &platform.Pools[i]
		p := model.Pool{Name: spec.Name}
		observed, seen := model.Find(ledger.Pools, spec.Name)
		if seen {
			p = *observed
		}
		given := slices.ContainsFunc(capacity, func(c Capacity) bool { return c.pool == spec.Name })
		switch last, known := model.Find(before.Pools, spec.Name); {
		case spec.Capacity != nil:
			p.Capacity = *spec.Capacity
		case !seen && !given:
			n.add("how much pool %s has is not known, so it is taken to have nothing; say it with --capacity %s.cpu=… and --capacity %s.memory=…",
				spec.Name, spec.Name, spec.Name)
		case seen && known && (last.Capacity != nil || model.DigestOf(last.Selector) != model.DigestOf(spec.Selector)):
			n.add("pool %s is made of other nodes than before; its capacity is taken to be what it was", spec.Name)
		}
		pools = append(pools, p)
	}
	slices.SortFunc(pools, func(a, b model.Pool) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range capacity {
		err := c.apply(pools)
		if slices.ContainsFunc(platform.Pools, func(p model.PoolSpec) bool { return p.Name == c.pool && p.Capacity != nil && p.Shares[c.resource] > 0 }) {
			err = fmt.Errorf("--capacity %s: pool %s gives %s in shares; write %s.%s=…", c.text, c.pool, c.resource, c.pool, model.SharesOf(c.resource))
		}
		if err != nil {
			return nil, err
		}
	}
	return pools, nil
}
