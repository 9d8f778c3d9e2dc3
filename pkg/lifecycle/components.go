package lifecycle

import (
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// setGrants sets the grants of the components of the accepted spec, and keeps what
// is known of components that were there before.
func setGrants(inst *model.Instance, grants []model.Grant) {
	old := inst.Components
	inst.Components = make([]model.ComponentState, 0, len(inst.Spec.Components))
	for _, c := range inst.Spec.Components {
		state := model.Get(old, c.Name)
		state.Grant.Component = c.Name
		if g, ok := model.Find(grants, c.Name); ok {
			state.Grant = *g
		}
		inst.Components = append(inst.Components, state)
	}
	if inst.Spec.Workflow == nil {
		return
	}
	for i := range old { // a run may still target them
		if _, declared := inst.Spec.Component(old[i].Grant.Component); !declared {
			inst.Components = append(inst.Components, old[i])
		}
	}
}

// noteShift notes when the accepted spec is granted less or more of some component.
func noteShift(inst *model.Instance, grants []model.Grant, now time.Time) {
	for i := range inst.Components {
		held := &inst.Components[i].Grant
		switch g, ok := model.Find(grants, held.Component); {
		case !ok:
		case g.Replicas < held.Replicas:
			inst.Lowered = now
		case g.Replicas > held.Replicas:
			inst.Raised = now
		}
	}
}

// components decides how much of each component of an instance may run now, and
// judges its health.
type components struct{ *facts }

// advance handles dependencies before their dependants, so that one pass carries
// readiness along a chain. With a workflow, the targets of its run decide, and
// without a run all stays as it is.
func (c components) advance() {
	defer c.look()
	if run := runOf(c.inst); run != nil {
		keepTargets(c.inst, run, c.room)
		c.each(func(s *model.ComponentState) { c.advanceTarget(run, s) })
		setRunDeadline(c.inst, run)
	}
	if c.inst.Spec.Workflow != nil {
		return
	}
	c.each(func(s *model.ComponentState) {
		spec, _ := c.inst.Spec.Component(s.Grant.Component)
		s.Beside = nil
		c.advanceOne(spec, s, s.Grant.Replicas)
	})
}

// each handles every component, in the order of their start.
func (c components) each(handle func(*model.ComponentState)) {
	for _, i := range startOrder(c.inst.Spec, c.inst.Components) {
		s := &c.inst.Components[i]
		state, workload := s.State, s.Workload
		handle(s)
		if state == model.StateStarting && s.State == model.StateDone && s.Workload == workload {
			if spec, ok := c.inst.Spec.Component(s.Grant.Component); ok {
				c.inst.NoteRuntime(spec, c.now.Sub(s.Since))
			}
		}
		if s.State != state || s.Workload != workload {
			s.Since = c.now
		}
	}
}

// advanceOne decides what a component runs that is to have the given number of replicas.
func (c components) advanceOne(spec *model.Component, s *model.ComponentState, replicas int) {
	if spec.Redacted() && s.Workload != "" {
		c.watch(spec, s)
		return
	}
	content := spec.Content(c.inst.App)
	if s.Finished() && s.Spec == content {
		return // it ran and is not run again, whatever is granted
	}
	before := *s
	target := model.WorkloadDigest(spec, s.Grant, replicas)
	blocker, ran := blockerOf(c.inst, spec), c.ran(s)
	s.Message, s.Hold, s.Ended = "", false, false
	if s.Spec != content || !c.now.Before(s.Pause) {
		s.Pause = time.Time{}
	}
	if s.Spec != content {
		s.Pauses = 0
	}
	switch {
	case s.Grant.Replicas == 0:
		s.Spec, s.Run, s.Workload, s.State = content, 0, target, model.StateOff
	case !s.Pause.IsZero():
		s.Run, s.Workload, s.State = 0, model.WorkloadDigest(spec, s.Grant, 0), model.StateFailed
		s.Message = "failed too often; stopped until " + s.Pause.UTC().Format(time.RFC3339)
	case blocker != "" && ran.Run == 0:
		s.Spec, s.Run, s.Workload = content, 0, model.WorkloadDigest(spec, s.Grant, 0)
		s.State, s.Message = model.StateWaiting, "for "+blocker
	case blocker != "" && ran.Run <= replicas && ran.Workload != target:
		s.Spec, s.Run, s.Workload = ran.Spec, ran.Run, ran.Workload
		s.Hold, s.State, s.Message = true, model.StateWaiting, "keeps running as it was until "+blocker+" is ready"
	default: // also when capacity was taken away: that is given up at once
		s.Spec, s.Run, s.Workload = content, replicas, target
		c.judge(spec, s, &before)
		if s.Pauses > 0 && before.State == model.StateReady && s.State == model.StateReady && c.now.Sub(s.Since) >= c.inst.Spec.Lifecycle.Window {
			s.Pauses = 0 // it runs well again
		}
	}
}

// ran is the state of a component when the pass began: what the pass has told it
// since is not carried out yet.
func (c components) ran(s *model.ComponentState) model.ComponentState {
	return model.Get(c.was, s.Grant.Component)
}

// watch judges a secret whose values are not known any more: it stays as it is,
// and cannot be created again.
func (c components) watch(spec *model.Component, s *model.ComponentState) {
	if s.Hold {
		return
	}
	before := *s
	s.Message = ""
	c.judge(spec, s, &before)
	if before.State == model.StateReady && c.shown.of(spec.Name) == nil {
		s.State = model.StateFailed
	}
	if s.State == model.StateFailed {
		s.Message = "its values are not known before Git holds the spec that it belongs to"
	}
}

// judge compares what the runtime shows with what it was told. A component that
// failed stays failed until it is ready or told something else, so that one that
// crashes and restarts does not flap.
func (c components) judge(spec *model.Component, s, before *model.ComponentState) {
	w := c.shown.of(spec.Name)
	told := w != nil && w.Digest == s.Workload
	same := before.Workload == s.Workload
	deadline := c.inst.Spec.Policy.StartDeadline
	switch {
	case told && w.Done:
		s.State = model.StateDone
	case told && whole(w) && !spec.Finite():
		s.State = model.StateReady
	case told && w.Failure != nil:
		s.State, s.Message = model.StateFailed, failureText(w.Failure)
	case same && before.State == model.StateFailed:
		s.State, s.Message = model.StateFailed, before.Message
	case same && before.State == model.StateStarting && !c.now.Before(before.Since.Add(deadline)) && !spec.Finite() && !underWay(c.inst):
		s.State, s.Message = model.StateFailed, fmt.Sprintf("not ready after %s", deadline)
	case same && (before.State == model.StateReady || before.State == model.StateUnready || before.State == model.StateStarting && c.arrived(s)):
		c.wait(s)
	default:
		s.State = model.StateStarting
	}
}

// arrived reports whether all of a component was ready before, which a stage that goes
// well does not save.
func (c components) arrived(s *model.ComponentState) bool {
	was := c.before.Of(s.Grant.Component)
	return was != nil && was.Held > 0
}

// wait judges a component that was ready, is told the same, and is not ready any more.
// What the runtime does by itself may take as long as a start.
func (c components) wait(s *model.ComponentState) {
	e, _ := c.shows(s)
	if e.Unready.IsZero() { // nothing was told to run when it was ready
		s.State = model.StateStarting
		return
	}
	s.State, s.Message = model.StateUnready, unreadyText(&e)
	if !c.now.Before(e.Unready.Add(c.inst.Spec.Policy.StartDeadline)) && !underWay(c.inst) {
		s.State = model.StateFailed
	}
}

// blockerOf names the first dependency that is not ready, "" if there is none.
func blockerOf(inst *model.Instance, c *model.Component) string {
	for _, name := range c.DependsOn {
		if w := inst.Spec.Workflow; w != nil && w.Job(name) {
			continue // the order of the steps says when it runs
		}
		s, ok := inst.Component(name)
		if !ok || s.Hold || s.State != model.StateReady && !s.Finished() && s.State != model.StateOff {
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
