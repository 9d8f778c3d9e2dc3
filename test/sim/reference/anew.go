package reference

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Of returns a model of a fleet of which nothing is known but a ledger: one that was made again from the cluster, or that is
// older than what was saved last. What the ledger says is so.
func Of(l *model.Ledger) *Model {
	m := New()
	for i := range l.Instances {
		in := &l.Instances[i]
		run := in.Run
		if run == nil {
			continue
		}
		mem := &memory{
			run: run.ID, begun: map[string]int{}, passes: map[string]int{}, asked: map[model.Digest]Asked{}, ran: stable(run.Targets),
			good: slices.Clone(run.Good), brought: stable(run.Base), done: map[string]model.Digest{}, jobs: map[string]int{},
			retry: map[model.Digest]Asked{}, tried: map[model.Digest]int{},
		}
		for _, rec := range slices.SortedFunc(slices.Values(run.Steps), func(a, b model.StepRun) int { return cmp.Compare(a.Order, b.Order) }) {
			if rec.Order > 0 && run.Phase != model.RunSucceeded {
				mem.saves++
				mem.begun[rec.Name] = mem.saves
			}
		}
		m.apps[in.App] = mem
	}
	return m
}
