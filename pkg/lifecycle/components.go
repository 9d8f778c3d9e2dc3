package lifecycle

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// setGrants lays grants on the components of the accepted spec, keeping what is
// known of components that were there before.
func (f *facts) setGrants(grants []model.Grant) {
	old := f.inst.Components
	f.inst.Components = make([]model.ComponentState, 0, len(f.inst.Spec.Components))
	for i := range f.inst.Spec.Components {
		c := &f.inst.Spec.Components[i]
		state := model.ComponentState{Grant: model.Grant{Component: c.Name}}
		if n := slices.IndexFunc(old, func(s model.ComponentState) bool { return s.Grant.Component == c.Name }); n >= 0 {
			state = old[n]
		}
		if n := slices.IndexFunc(grants, func(g model.Grant) bool { return g.Component == c.Name }); n >= 0 {
			state.Grant = grants[n]
		}
		f.inst.Components = append(f.inst.Components, state)
	}
	if f.inst.Spec.Workflow == nil {
		return
	}
	for i := range old { // that the run may still aim at
		if _, declared := f.inst.Spec.Component(old[i].Grant.Component); !declared {
			f.inst.Components = append(f.inst.Components, old[i])
		}
	}
}

// advanceComponents decides how much of each component may run now and finds how
// it fares. Dependencies come before their dependants, so that one pass carries
// readiness along a chain. What a workflow is to bring stays as it is until a run
// says otherwise.
func (f *facts) advanceComponents() {
	if run := f.run(); run != nil {
		f.advanceTargets(run)
	}
	if f.inst.Spec.Workflow != nil {
		return
	}
	for _, i := range startOrder(f.inst.Spec, f.inst.Components) {
		s := &f.inst.Components[i]
		c, _ := f.inst.Spec.Component(s.Grant.Component)
		before := *s
		s.Beside = nil
		f.advanceComponent(c, s, s.Grant.Replicas)
		if s.State != before.State || s.Workload != before.Workload {
			s.Since = f.now
		}
	}
}

// advanceComponent decides about a component of which so many replicas are to run.
func (f *facts) advanceComponent(c *model.Component, s *model.ComponentState, replicas int) {
	if c.Redacted() && s.Workload != "" {
		f.watch(c, s)
		return
	}
	spec := c.Content(f.inst.App)
	if s.State == model.StateDone && s.Spec == spec {
		return // it ran and is not run again, whatever is granted
	}
	before := *s
	target := model.WorkloadDigest(c, s.Grant, replicas)
	blocker, ran := f.blocker(c), f.ran(s)
	s.Message, s.Hold = "", false
	if s.Spec != spec || !f.now.Before(s.Pause) {
		s.Pause = time.Time{}
	}
	if s.Spec != spec {
		s.Pauses = 0
	}
	switch {
	case s.Grant.Replicas == 0:
		s.Spec, s.Run, s.Workload, s.State = spec, 0, target, model.StateOff
	case !s.Pause.IsZero():
		s.Run, s.Workload, s.State = 0, model.WorkloadDigest(c, s.Grant, 0), model.StateFailed
		s.Message = "failed too often; stopped until " + s.Pause.UTC().Format(time.RFC3339)
	case blocker != "" && ran.Run == 0:
		s.Spec, s.Run, s.Workload = spec, 0, model.WorkloadDigest(c, s.Grant, 0)
		s.State, s.Message = model.StateWaiting, "for "+blocker
	case blocker != "" && ran.Run <= replicas && ran.Workload != target:
		s.Spec, s.Run, s.Workload = ran.Spec, ran.Run, ran.Workload
		s.Hold, s.State, s.Message = true, model.StateWaiting, "keeps running as it was until "+blocker+" is ready"
	default: // also when capacity was taken away: that is given up at once
		s.Spec, s.Run, s.Workload = spec, replicas, target
		f.judge(c, s, &before)
		if s.Pauses > 0 && before.State == model.StateReady && s.State == model.StateReady && f.now.Sub(s.Since) >= f.inst.Spec.Lifecycle.Window {
			s.Pauses = 0 // it runs well again
		}
	}
}

// ran is the state of a component when the pass began: what the pass told it since
// has not been carried out.
func (f *facts) ran(s *model.ComponentState) model.ComponentState {
	n := slices.IndexFunc(f.was, func(x model.ComponentState) bool { return x.Grant.Component == s.Grant.Component })
	if n < 0 {
		return model.ComponentState{}
	}
	return f.was[n]
}

// watch judges a secret whose values are not known any more: it stays as it is,
// and nobody can make it again.
func (f *facts) watch(c *model.Component, s *model.ComponentState) {
	if s.Hold {
		return
	}
	before := *s
	s.Message = ""
	f.judge(c, s, &before)
	if before.State == model.StateReady && !f.there(c.Name) {
		s.State = model.StateFailed
	}
	if s.State == model.StateFailed {
		s.Message = "its values are not known before Git holds the spec that it belongs to"
	}
}

// judge compares what the runtime shows with what it was told. A component that
// failed stays failed until it is ready or told something else, so that one that
// crashes and restarts does not flap.
func (f *facts) judge(c *model.Component, s, before *model.ComponentState) {
	w, ok := f.seen.Find(f.inst.App, c.Name)
	told := ok && w.Digest == s.Workload
	same := before.Workload == s.Workload
	switch {
	case told && w.Done:
		s.State = model.StateDone
	case told && w.Current && w.Ready >= w.Replicas && !c.Finite():
		s.State = model.StateReady
	case told && w.Failure != nil:
		s.State, s.Message = model.StateFailed, failureText(w.Failure)
	case same && before.State == model.StateFailed:
		s.State, s.Message = model.StateFailed, before.Message
	case same && before.State == model.StateStarting && f.overdue(before) && !c.Finite() && !f.underWay():
		s.State, s.Message = model.StateFailed, fmt.Sprintf("not ready after %s", f.inst.Spec.Policy.StartDeadline)
	default:
		s.State = model.StateStarting
	}
}

func (f *facts) overdue(s *model.ComponentState) bool {
	return !f.now.Before(s.Since.Add(f.inst.Spec.Policy.StartDeadline))
}

// blocker names the first dependency that is not ready, "" if there is none.
func (f *facts) blocker(c *model.Component) string {
	for _, name := range c.DependsOn {
		if w := f.inst.Spec.Workflow; w != nil && w.Job(name) {
			continue // the order of the steps says when it runs
		}
		s, ok := f.inst.Component(name)
		if !ok || s.Hold || s.State != model.StateReady && s.State != model.StateDone && s.State != model.StateOff {
			return name
		}
	}
	return ""
}

// startOrder returns the indices of states so that dependencies come first. The
// evaluator has refused cycles; a component in one would come last.
func startOrder(spec *model.Application, states []model.ComponentState) []int {
	index := map[string]int{}
	for i := range states {
		index[states[i].Grant.Component] = i
	}
	var order []int
	visited := map[int]bool{}
	var visit func(i int)
	visit = func(i int) {
		if visited[i] {
			return
		}
		visited[i] = true
		if c, ok := spec.Component(states[i].Grant.Component); ok {
			for _, dep := range c.DependsOn {
				if j, ok := index[dep]; ok {
					visit(j)
				}
			}
		}
		order = append(order, i)
	}
	for i := range states {
		visit(i)
	}
	return order
}
