package workflow

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

const reasonRestored model.Reason = "Restored"

// KeptJob is a job of a step of a run whose record is lost.
type KeptJob struct{ Step, Component, Key string }

// Restored returns the run that stands for one whose record is lost: targets say what
// runs of each component, before is the release that spec replaces, nil if nothing of
// it runs any more. A release that runs everywhere has succeeded. Else the run is paused:
// the steps that still have something to bring, and those after them, begin when a
// person resumes it. All others count as done, so no job runs again.
func Restored(ledger string, spec, before *model.Application, instance int, targets []model.Target, jobs []KeptJob, now time.Time) model.Run {
	run := Start(ledger, spec, instance, nil, now)
	run.Targets = targets
	open := unfinished(spec, &run)
	for i := range run.Steps {
		rec := &run.Steps[i]
		if open[rec.Name] {
			continue
		}
		rec.Attempt, rec.First, rec.Order = 1, 1, i+1
		enter(rec, model.StepSucceeded, reasonRestored, "", now)
		if k := slices.IndexFunc(jobs, func(j KeptJob) bool { return j.Step == rec.Name }); k >= 0 {
			rec.Job, rec.Key = jobs[k].Component, jobs[k].Key
		}
	}
	if len(open) == 0 {
		run.Phase, run.Message = model.RunSucceeded, "its record was made again: this release runs"
		run.Good, run.Base = []model.Digest{spec.Release}, slices.Clone(run.Targets)
		return run
	}
	run.Phase, run.Message = model.RunPaused, "its record was made again in the middle of the run: resume it, or commit another release"
	if before != nil {
		run.Good = []model.Digest{before.Release}
		for _, c := range before.Components {
			if !flow(before).Job(c.Name) {
				base := model.Run{Targets: run.Base}
				setTarget(&base, model.Target{Component: c.Name, Stable: versionOf(before, &c)})
				run.Base = base.Targets
			}
		}
	}
	return run
}

// unfinished names the steps of a run that have something to bring, and those that
// depend on them.
func unfinished(spec *model.Application, run *model.Run) map[string]bool {
	open := map[string]bool{}
	for _, s := range flow(spec).Steps {
		for _, name := range components(spec, &s) {
			c, ok := spec.Component(name)
			t, targeted := run.Target(name)
			if ok && (!targeted || t.Next != nil || t.Stable.Content != c.Content(spec.ID)) {
				open[s.Name] = true
			}
		}
	}
	for range flow(spec).Steps { // as often as the longest chain
		for _, s := range flow(spec).Steps {
			if slices.ContainsFunc(s.DependsOn, func(name string) bool { return open[name] }) {
				open[s.Name] = true
			}
		}
	}
	return open
}
