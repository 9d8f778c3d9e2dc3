package lifecycle_test

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// checkRuns holds the runs of a new ledger to what must hold always.
func (x *runExploration) checkRuns(s *runState, next *model.Ledger) {
	var holders []string
	for i := range next.Instances {
		inst := &next.Instances[i]
		var old *model.Run
		if was, ok := s.ledger.Find(inst.App); ok {
			old = was.Run
		}
		wrong := x.wrongSuccession(s, old, inst.Run)
		if inst.Run != nil {
			wrong = append(wrong, x.wrongRun(s, inst)...)
			wrong = append(wrong, wrongJobs(s, inst)...)
			wrong = append(wrong, wrongCommands(old, inst.Run)...)
			holders = append(holders, lockHolders(inst.Run)...)
			x.ends[inst.Run.Phase] = true
		}
		if len(wrong) > 0 {
			x.Fatalf("%s: %s\n%s\nrun before: %s\nrun now: %s", inst.App, wrong, text(x.T, model.Ledger{Instances: []model.Instance{*inst}}), asText(old), asText(inst.Run))
		}
	}
	if len(holders) > 1 {
		x.Fatalf("one lock, and it is held by %s", holders)
	}
}

func asText(run *model.Run) string {
	if run == nil {
		return "none"
	}
	text := fmt.Sprintf("number %d of #%d, spec %s, %s (%s), deadline %s", run.Number, run.Instance, run.Spec.Short(), run.Phase, run.Message, run.Deadline)
	for _, r := range run.Steps {
		text += fmt.Sprintf("\n  %s %s %s %s attempt %d deadline %s", r.Name, r.Phase, r.Reason, r.Message, r.Attempt, r.Deadline)
		if r.Undo != nil {
			text += fmt.Sprintf(" undo %+v", *r.Undo)
		}
	}
	return text + fmt.Sprintf("\n  %+v", run.Commands)
}

// wrongSuccession compares a run with the one before it, or with itself before.
func (x *runExploration) wrongSuccession(s *runState, old, run *model.Run) (wrong []string) {
	switch {
	case old == nil || old == run:
		return nil
	case run == nil:
		return []string{"its run is forgotten"}
	case run.ID != old.ID:
		if run.Number <= old.Number {
			wrong = append(wrong, "a newer run has no higher number")
		}
		return wrong
	}
	if run.Number != old.Number || run.Spec != old.Spec || run.Instance != old.Instance || len(run.Steps) != len(old.Steps) {
		wrong = append(wrong, "it is another run of the same name")
	}
	for i := range run.Steps {
		if now, was := &run.Steps[i], &old.Steps[i]; now.Name != was.Name || now.Attempt < was.Attempt {
			wrong = append(wrong, "step "+was.Name+" counts back")
		}
	}
	if old.Phase.Ended() && !restarted(old, run) {
		as := *run
		as.Commands, as.Superseded = old.Commands, old.Superseded
		if model.DigestOf(as) != model.DigestOf(*old) {
			wrong = append(wrong, "it had ended and changes")
		}
		if old.Superseded != "" && run.Superseded != old.Superseded {
			wrong = append(wrong, "it was superseded and is so by another")
		}
	}
	return wrong
}

func restarted(old, run *model.Run) bool {
	return slices.ContainsFunc(newly(old, run), func(h model.Handled) bool {
		return h.Action == model.CommandRestart && h.Refused == ""
	})
}

// newly are the commands that a run has handled since.
func newly(old, run *model.Run) []model.Handled {
	if old == nil {
		return run.Commands
	}
	return slices.DeleteFunc(slices.Clone(run.Commands), func(h model.Handled) bool {
		return slices.ContainsFunc(old.Commands, func(was model.Handled) bool { return was.ID == h.ID })
	})
}

// wrongCommands: each is taken once, and has an effect on the run it names only.
func wrongCommands(old, run *model.Run) (wrong []string) {
	ids := map[model.Digest]bool{}
	for _, h := range run.Commands {
		if ids[h.ID] {
			wrong = append(wrong, "a command is handled twice")
		}
		ids[h.ID] = true
	}
	for _, h := range newly(old, run) {
		if h.Refused == "" && h.Run != run.ID && (old == nil || h.Run != old.ID || old.ID == run.ID) {
			wrong = append(wrong, "it obeys a command about another run")
		}
	}
	asked := func(action, step string) bool {
		return slices.ContainsFunc(run.Commands, func(h model.Handled) bool {
			return h.Refused == "" && h.Action == action && h.Step == step && h.Run == run.ID
		})
	}
	for i := range run.Steps {
		if r := &run.Steps[i]; r.Name == "agree" && r.Phase == model.StepSucceeded && !asked(model.CommandApprove, r.Name) {
			wrong = append(wrong, "a step is approved by nobody")
		}
	}
	if run.Phase == model.RunPaused && !asked(model.CommandPause, "") {
		wrong = append(wrong, "it is paused by nobody")
	}
	return wrong
}

// wrongRun: what a run refers to is there, it goes on only where it may, and
// whatever waits has a time at which that ends.
func (x *runExploration) wrongRun(s *runState, inst *model.Instance) (wrong []string) {
	run := inst.Run
	if run.Phase.Ended() {
		return wrongEnd(run)
	}
	if !inst.Phase.Active() || run.Instance != inst.Number {
		return []string{"a run is under way of an instance that is not"}
	}
	spec := inst.RunSpec()
	if spec == nil {
		return []string{"the spec of its run is not known"}
	}
	if inst.Release() != run.Spec {
		wrong = append(wrong, "a run is under way that is not of the accepted spec")
	}
	for i := range run.Steps {
		if d := &spec.Workflow.Steps[i]; d.Name != run.Steps[i].Name || len(spec.Workflow.Steps) != len(run.Steps) {
			wrong = append(wrong, "its steps are not the declared ones")
		}
	}
	for _, t := range slices.Concat(run.Targets, run.Base) {
		if _, ok := spec.Component(t.Component); !ok || t.Stable == (model.Version{}) {
			wrong = append(wrong, "it aims at a component that is not there")
		}
	}
	if !run.Deadline.After(s.now) || !workflow.Due(run, s.now).After(s.now) {
		wrong = append(wrong, "its deadline has passed")
	}
	acting := false
	for i := range run.Steps {
		r, d := &run.Steps[i], &spec.Workflow.Steps[i]
		if r.Phase == model.StepActive && !r.Deadline.After(s.now) || r.Phase == model.StepRetrying && !r.Next.After(s.now) && run.Phase != model.RunPaused {
			wrong = append(wrong, "step "+r.Name+" goes on beyond its time")
		}
		if r.Phase == model.StepActive || r.Phase == model.StepRetrying {
			for _, name := range d.DependsOn {
				if dep, _ := run.Step(name); dep.Phase != model.StepSucceeded {
					wrong = append(wrong, "step "+r.Name+" acts before "+name+" has succeeded")
				}
			}
		}
		if u := r.Undo; u != nil {
			undoing := u.Phase == model.StepActive || u.Phase == model.StepRetrying
			acting = acting || undoing || u.Phase == model.StepQueued || u.Phase == model.StepPending
			switch {
			case undoing && run.Phase != model.RunRollingBack:
				wrong = append(wrong, "step "+r.Name+" is taken back in a run that is not")
			case u.Phase == model.StepActive && !u.Deadline.After(s.now):
				wrong = append(wrong, "step "+r.Name+" is taken back beyond its time")
			}
		}
		acting = acting || !r.Phase.Ended()
	}
	if !acting {
		wrong = append(wrong, "it has nothing left to do and does not end")
	}
	return wrong
}

// wrongEnd: how a run ended is told by its steps.
func wrongEnd(run *model.Run) (wrong []string) {
	for i := range run.Steps {
		r := &run.Steps[i]
		switch {
		case !r.Phase.Ended():
			wrong = append(wrong, "it has ended and step "+r.Name+" has not")
		case run.Phase == model.RunSucceeded && r.Phase != model.StepSucceeded:
			wrong = append(wrong, "it succeeded and step "+r.Name+" did not")
		case run.Phase == model.RunRolledBack && r.Undo != nil && r.Undo.Phase != model.StepSucceeded:
			wrong = append(wrong, "it was taken back and step "+r.Name+" was not")
		}
	}
	if run.Message == "" && run.Phase != model.RunSucceeded {
		wrong = append(wrong, "it ended without a word")
	}
	return wrong
}

// wrongJobs: a job is done once, of a component that is there and has room, and
// what runs of web is what the run aims at.
func wrongJobs(s *runState, inst *model.Instance) (wrong []string) {
	again := slices.ContainsFunc(inst.Run.Commands, func(h model.Handled) bool {
		return h.Action == model.CommandRestart && h.Refused == ""
	})
	for _, i := range jobIntents(inst) {
		if slices.ContainsFunc(s.jobs, func(j stepJob) bool { return j.key == i.Key && j.how != "running" }) {
			wrong = append(wrong, "it waits for a job that has ended: "+i.Step)
		}
		c, ok := inst.Component(i.Job.Component)
		if !ok || c.Grant.Replicas < 1 || c.Takes().IsZero() && !again { // restarted, it takes none
			wrong = append(wrong, "its job "+i.Job.Component+" runs without room")
		}
	}
	wrong = append(wrong, wrongStates(inst)...)
	if web, ok := inst.Component("web"); ok && inst.Phase.Active() && web.Run > 0 && !web.Hold && inst.Spec.Workflow != nil {
		if t, aimed := inst.Run.Target("web"); inst.Run.Instance == inst.Number && inst.Run.Superseded == "" && (!aimed || t.Stable.Content != web.Spec) {
			wrong = append(wrong, "it runs what its run does not aim at")
		}
	}
	return wrong
}

// wrongStates: when the run of the accepted release has ended, its jobs take nothing, and
// their states are what their steps came to.
func wrongStates(inst *model.Instance) (wrong []string) {
	run := inst.Run
	if !run.Phase.Ended() || !inst.Phase.Active() || run.Superseded != "" || run.Instance != inst.Number || run.Spec != inst.Release() {
		return nil
	}
	for i := range run.Steps {
		step, _ := model.Find(inst.Spec.Workflow.Steps, run.Steps[i].Name)
		job, ok := inst.Component(step.Component)
		if !ok {
			continue
		}
		came := model.StateNotRun
		switch {
		case run.Steps[i].Phase == model.StepSucceeded:
			came = model.StateDone
		case run.Steps[i].Job != "":
			came = model.StateFailed
		}
		if job.State != came || !job.Takes().IsZero() {
			wrong = append(wrong, fmt.Sprintf("its job %s is %s and takes %s, and its step %s", step.Component, job.State, job.Takes(), run.Steps[i].Phase))
		}
	}
	return wrong
}

// lockHolders are the steps of a run that hold the lock.
func lockHolders(run *model.Run) (holders []string) {
	for i := range run.Steps {
		r := &run.Steps[i]
		locked := r.Name == "migrate" || r.Name == "load"
		on := func(p model.StepPhase) bool { return p == model.StepActive || p == model.StepRetrying }
		if locked && !run.Phase.Ended() && (on(r.Phase) || r.Undo != nil && on(r.Undo.Phase)) {
			holders = append(holders, run.App.Name+"/"+r.Name)
		}
	}
	return holders
}

// checkLock: never do two jobs run that have one lock, not even while a ledger is
// being carried out.
func (x *runExploration) checkLock(s *runState) {
	running := 0
	for _, j := range s.jobs {
		if j.how == "running" {
			running++
		}
	}
	if running > 1 {
		x.Fatalf("jobs run at once that have one lock: %v", s.jobs)
	}
}

// checkJobs: when a saved ledger is carried out, what the runtime has is what runs
// want.
func (x *runExploration) checkJobs(s *runState) {
	for _, j := range s.jobs {
		inst, _ := s.ledger.Find(id(explored[j.app]))
		if j.how == "running" && !slices.ContainsFunc(jobIntents(inst), func(i workflow.Intent) bool { return i.Key == j.key }) {
			x.Fatalf("job %s runs, and no saved run wants it", j.key)
		}
	}
}
