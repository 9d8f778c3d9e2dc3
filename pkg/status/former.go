package status

import (
	"path"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Before there were releases, records named what runs by the digests of whole specs and
// components. All of format 1 and the first records of format 2 do. What is known of a
// record's specs gives these names their present form when it is read, so that an
// upgrade starts no run and runs no job again, and gives them back for format 1.

// names maps digests of one form to those of the other.
type names map[model.Digest]model.Digest

// nameReleases gives a record that was read the present names, and reports whether it had
// others. Its specs were recorded with the digests before and spec.
func nameReleases(in *model.Instance, before, spec model.Digest) (changed bool) {
	if named(in) {
		return false
	}
	pairs := names{}
	eachName(in, func(former, present model.Digest) { pairs[former] = present })
	if in.Previous != nil {
		pairs[before] = in.Previous.Release
	}
	if in.Spec != nil {
		pairs[spec] = in.Spec.Release
	}
	return pairs.apply(in)
}

// named reports whether a record has the present names: of its run, and of every
// component.
func named(in *model.Instance) bool {
	if in.Spec == nil || in.Run != nil && in.Run.Spec != in.Spec.Release {
		return false
	}
	for i := range in.Spec.Components {
		c := &in.Spec.Components[i]
		if s, ok := in.Component(c.Name); ok && s.Spec != c.Content(in.App) {
			return false
		}
	}
	return true
}

// ownNames returns a copy of a record that shares nothing that has names.
func ownNames(in *model.Instance) *model.Instance {
	copied := *in
	copied.Components, copied.Failures, copied.Held = slices.Clone(in.Components), slices.Clone(in.Failures), slices.Clone(in.Held)
	for i := range copied.Components {
		copied.Components[i].Beside = cloned(copied.Components[i].Beside)
	}
	copied.Refused = cloned(in.Refused)
	if copied.Run = cloned(in.Run); copied.Run != nil {
		run := copied.Run
		run.Steps, run.Targets, run.Base, run.Good = slices.Clone(run.Steps), cloneTargets(run.Targets), cloneTargets(run.Base), slices.Clone(run.Good)
		for i := range run.Steps {
			if u := cloned(run.Steps[i].Undo); u != nil {
				u.Targets = cloneTargets(u.Targets)
				run.Steps[i].Undo = u
			}
		}
	}
	return &copied
}

// formerNames returns a copy of a record with the names of format 1.
func formerNames(in *model.Instance) *model.Instance {
	copied := ownNames(in)
	putProbes(copied)
	pairs := names{}
	eachName(in, func(former, present model.Digest) { pairs[present] = former })
	pairs.apply(copied)
	return copied
}

// putProbes says of the checks of a run which probe is out, as programs of format 1 expect:
// the first one. A stage has no end there before it is ready.
func putProbes(in *model.Instance) {
	spec := in.RunSpec()
	if spec == nil || spec.Workflow == nil {
		return
	}
	for i := range in.Run.Steps {
		s := &in.Run.Steps[i]
		switch decl, _ := model.Find(spec.Workflow.Steps, s.Name); {
		case decl == nil || s.Phase != model.StepActive:
		case decl.Type == "check":
			s.Probe = 1
		case !s.Staged.IsZero():
			s.Until = time.Time{}
		}
	}
}

// eachName visits the names, in both forms, of all that is known of a record's specs.
func eachName(in *model.Instance, visit func(former, present model.Digest)) {
	for _, spec := range []*model.Application{in.Previous, in.Spec} {
		if spec == nil {
			continue
		}
		visit(spec.Digest, spec.Release)
		for i := range spec.Components {
			c := &spec.Components[i]
			former, present := c.FormerContent(spec.ID), c.Content(spec.ID)
			visit(former, present)
			s, ok := in.Component(c.Name)
			if !ok {
				continue
			}
			workload := func(content model.Digest, run int) {
				if content == former || content == present {
					visit(model.FormerWorkload(c, s.Grant, run), model.WorkloadDigest(c, s.Grant, run))
				}
			}
			workload(s.Spec, s.Run)
			if s.Beside != nil {
				workload(s.Beside.Spec, s.Beside.Run)
			}
		}
	}
}

// apply gives all that a record names another name, where there is one, and reports
// whether there was.
func (n names) apply(in *model.Instance) (changed bool) {
	name := func(d *model.Digest) {
		if other, known := n[*d]; known && other != *d {
			*d, changed = other, true
		}
	}
	list := func(digests []model.Digest) {
		for i := range digests {
			name(&digests[i])
		}
	}
	targets := func(list []model.Target) {
		for i := range list {
			t := &list[i]
			name(&t.Stable.Spec)
			name(&t.Stable.Content)
			if t.Next != nil {
				name(&t.Next.Spec)
				name(&t.Next.Content)
			}
		}
	}
	for i := range in.Components {
		s := &in.Components[i]
		name(&s.Spec)
		name(&s.Workload)
		if s.Beside != nil {
			name(&s.Beside.Spec)
			name(&s.Beside.Workload)
		}
	}
	for i := range in.Failures {
		name(&in.Failures[i].Workload)
	}
	list(in.Held)
	if in.Refused != nil {
		name(&in.Refused.Spec)
	}
	run := in.Run
	if run == nil {
		return changed
	}
	name(&run.Spec)
	name(&run.Superseded)
	list(run.Good)
	targets(run.Targets)
	targets(run.Base)
	for i := range run.Steps {
		if u := run.Steps[i].Undo; u != nil {
			targets(u.Targets)
		}
	}
	return changed
}

func cloned[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}

func cloneTargets(list []model.Target) []model.Target {
	list = slices.Clone(list)
	for i := range list {
		list[i].Next = cloned(list[i].Next)
	}
	return list
}

// inFormat1Terms returns a record without the fields and states that format 1 does not
// have: what a change of admission changed, since when a newer release is refused, and
// what the runtimes showed, which the next pass sees again.
func inFormat1Terms(in *model.Instance) *model.Instance {
	copied := *in
	copied.Shown, copied.PreviousGrants, copied.Components = nil, asTold(in.PreviousGrants), slices.Clone(in.Components)
	for i := range copied.Components {
		copied.Components[i].Grant = copied.Components[i].Grant.AsTold()
		switch s := &copied.Components[i]; {
		case s.State == model.StateUnready:
			s.State = model.StateStarting
		case s.Finished():
			s.State = model.StateDone
		}
		copied.Components[i].Ended = false
	}
	copied.Outcomes, copied.Drift, copied.Runtimes = nil, nil, nil
	copied.History = slices.Clone(in.History)
	for i := range copied.History {
		copied.History[i].Changes = nil
	}
	if copied.Refused = cloned(in.Refused); copied.Refused != nil {
		copied.Refused.Since, copied.Refused.MovesTo = time.Time{}, model.AppID{}
	}
	copied.Retries = nil
	return &copied
}

// withoutTimes returns a run without the times, the names of jobs and the stages that people
// resumed, which format 1 does not have.
func withoutTimes(run *model.Run) *model.Run {
	copied := *run
	copied.Commands, copied.Steps = slices.Clone(run.Commands), slices.Clone(run.Steps)
	for i := range copied.Commands {
		copied.Commands[i].At, copied.Commands[i].Stage = time.Time{}, 0
	}
	for i := range copied.Steps {
		s := &copied.Steps[i]
		s.Staged, s.Key = time.Time{}, ""
		if s.Undo = cloned(s.Undo); s.Undo != nil {
			s.Undo.Since = time.Time{}
		}
	}
	return &copied
}

// hasTimes reports whether a run has times that format 1 does not have.
func hasTimes(run *model.Run) bool {
	return run != nil && (slices.ContainsFunc(run.Commands, func(h model.Handled) bool { return !h.At.IsZero() }) ||
		slices.ContainsFunc(run.Steps, func(s model.StepRun) bool { return !s.Staged.IsZero() || s.Undo != nil && !s.Undo.Since.IsZero() }))
}

// asTold returns grants as the objects have them: format 1 does not tell what is counted
// beyond that.
func asTold(grants []model.Grant) []model.Grant {
	grants = slices.Clone(grants)
	for i := range grants {
		grants[i] = grants[i].AsTold()
	}
	return grants
}

// withoutRules returns a policy without the rules that format 1 does not have.
func withoutRules(p model.Policy) model.Policy {
	p.UnreadyAfter, p.Requests, p.DefaultRequests, p.Backfill = 0, "", model.Resources{}, ""
	return p
}

// lacking lists what format 1 has no place for in a record.
func lacking(in *model.Instance) (lacks []string) {
	component := func(has func(model.ComponentState) bool) bool { return slices.ContainsFunc(in.Components, has) }
	step := func(has func(model.StepRun) bool) bool {
		return in.Run != nil && slices.ContainsFunc(in.Run.Steps, has)
	}
	for _, part := range []struct {
		there      bool
		file, what string
	}{
		{slices.ContainsFunc(in.History, func(t model.Transition) bool { return len(t.Changes) > 0 }), instanceFile, "the values that changes of admission changed, beyond their messages"},
		{len(in.Runtimes) > 0, instanceFile, "how long jobs ran"},
		{in.Refused != nil && !in.Refused.Since.IsZero(), instanceFile, "since when the newer spec is refused"},
		{in.Refused != nil && in.Refused.MovesTo != (model.AppID{}), instanceFile, "the application that it moves to"},
		{component(func(s model.ComponentState) bool { return s.Finished() && s.State != model.StateDone }), instanceFile, "the jobs that failed or did not run, which are done there"},
		{hasTimes(in.Run), workflowFile, "when people asked something of the run, when stages began, and when steps were taken back"},
		{step(func(s model.StepRun) bool { return s.Key != "" }), workflowFile, "the names of jobs from before the ledger was lost, so that they are deleted"},
		{in.Spec != nil && in.Spec.Policy.UnreadyAfter != 0, specFile, "policy.defaults.unreadyAfter"},
		{len(in.Outcomes) > 0, instanceFile, "the objects that the cluster refuses, until they are tried again"},
		{len(in.Drift) > 0, instanceFile, "what was corrected lately"},
		{component(func(s model.ComponentState) bool { return s.Grant.Told != nil }), instanceFile, "the default requests that count before the objects have them"},
		{in.Run != nil && len(in.Run.Memos) > 0, workflowFile, "what steps have done before, so that the next run does it again"},
		{in.Run != nil && slices.ContainsFunc(in.Run.Commands, func(h model.Handled) bool { return h.Stage > 0 }), workflowFile, "the stages that people resumed"},
		{step(func(s model.StepRun) bool {
			return s.Phase == model.StepActive && !s.Staged.IsZero() && !s.Until.IsZero()
		}), workflowFile, "when the stages under way may end, so that their pauses begin again"},
		{len(in.Retries) > 0, instanceFile, "which requests to try a release again were handled, so that their files count once more"},
	} {
		if part.there {
			lacks = append(lacks, path.Join(tenantsDir, in.App.String(), part.file)+": "+part.what)
		}
	}
	return lacks
}
