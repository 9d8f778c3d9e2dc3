package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// gathered is what a pass of a process has found out at its edges.
type gathered struct {
	reached int               // applications of the last commit that were evaluated
	results []workflow.Result // of probes and notices
}

// planned: what a process saves is what somebody else plans who sees the same, knows
// nothing of earlier passes, and decides from scratch.
func (w *World) planned(b *branch, previous, next model.Ledger) {
	if w.options.Plant != nil && !w.options.Planned {
		return // the bug decides or saves at another time than it looks
	}
	saved, _ := b.encode(&next)
	undecided := previous
	undecided.Source = next.Source
	if before, _ := b.encode(&undecided); maps.EqualFunc(before, saved, func(x, y []byte) bool { return string(x) == string(y) }) {
		return // it says at most that the fleet repo cannot be read, and decides nothing
	}
	p, tree := b.process, w.repo.commits[next.Commit]
	fleet, checked := turn.CheckRenderings(fleetOf(tree, p.gathered.reached), turn.Renderings{
		Fleet: "sim", Checked: w.checked, Ledger: &previous, Builds: func(*model.Application) (render.Builds, error) { return nil, nil },
	})
	w.checked = checked
	plan := w.options.Plan
	if plan == nil {
		plan = turn.Take
	}
	seen := p.carrier.seen
	applied, tallies, doubts := p.loop.News()
	seen.Applied = applied
	out := plan(turn.Case{
		Fleet: fleet, Checked: checked, Ledger: previous, Source: next.Source, Seen: seen, Now: w.now.Add(p.skew), Orphans: turn.Orphans(p.carrier.inventories, &previous),
		Requests: access.Requests{List: tree.files, Removals: tree.removals}, Results: p.gathered.results, Tallies: tallies, Series: turn.Series{Doubts: doubts},
	})
	said, _ := b.encode(&out.Next)
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		if string(saved[name]) != string(said[name]) {
			w.violate(rulePlanned, "%s saves in %s\n%s\nand the plan says\n%s", p.name, name, saved[name], said[name])
		}
	}
	if len(said) != len(saved) {
		w.violate(rulePlanned, "%s saves %d files and the plan has %d", p.name, len(saved), len(said))
	}
}

const rulePlanned = "a plan is what is saved"

// Plan stands for what plans a pass. Sabotage of it is a plan that differs.
type Plan func(turn.Case) turn.Outcome

// NoCarry is a plan that leaves the runs of workflows as they are.
func NoCarry(c turn.Case) turn.Outcome {
	out := turn.Take(c)
	out.Next.Instances = slices.Clone(out.Next.Instances)
	carriesNothing(&c.Ledger, &out.Next)
	return out
}

// DropRequest is a plan that overlooks the latest request.
func DropRequest(c turn.Case) turn.Outcome {
	if n := len(c.Requests.List); n > 0 {
		c.Requests.List = c.Requests.List[:n-1]
	}
	return turn.Take(c)
}

// ForgetEnding is a plan for which an application that is ending has ended.
func ForgetEnding(c turn.Case) turn.Outcome {
	out := turn.Take(c)
	out.Next.Instances = slices.Clone(out.Next.Instances)
	endsAtOnce(&out.Next)
	return out
}

// FindNoOrphans is a plan that does not look for applications in the cluster that no record knows.
func FindNoOrphans(c turn.Case) turn.Outcome {
	c.Orphans = nil
	return turn.Take(c)
}

// carriesNothing puts the runs back that were there before.
func carriesNothing(before, next *model.Ledger) {
	for i := range next.Instances {
		inst := &next.Instances[i]
		inst.Run = nil
		if was, ok := before.Find(inst.App); ok {
			inst.Run = was.Run
		}
	}
}

// endsAtOnce takes their components from those that are ending.
func endsAtOnce(next *model.Ledger) {
	for i := range next.Instances {
		if inst := &next.Instances[i]; inst.Ending() {
			inst.Components, inst.EndBy = nil, time.Time{}
		}
	}
}
