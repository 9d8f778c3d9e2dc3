package workflow

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// rollout is the components that a step brings to the version of a run.
type rollout struct {
	run   *model.Run
	spec  *model.Application
	names []string
	seen  []Seen
}

func (s *step) rollout() rollout {
	return rollout{&s.x.run, s.x.spec, components(s.x.spec, s.Step), s.x.turn.Seen}
}

// undo returns how to take the step back. It is saved before the step does
// anything.
func (r rollout) undo() (*model.Undo, error) {
	if len(r.names) == 0 {
		return nil, fmt.Errorf("it brings no component")
	}
	undo := &model.Undo{Phase: model.StepPending}
	for _, name := range r.names {
		if _, ok := r.spec.Component(name); !ok {
			return nil, fmt.Errorf("there is no component %s", name)
		}
		undo.Targets = append(undo.Targets, baseOf(r.run, name))
	}
	return undo, nil
}

// promote makes the version of the run the only one of the components.
func (r rollout) promote() {
	for _, name := range r.names {
		setTarget(r.run, model.Target{Component: name, Stable: r.version(name)})
	}
}

func (r rollout) version(name string) model.Version {
	c, _ := r.spec.Component(name)
	return versionOf(r.spec, c)
}

// arrived reports whether all components are ready. Failed names a component that
// has failed for good, "" if none has.
func (r rollout) arrived() (ready bool, failed string, failure *model.Failure) {
	ready = true
	for _, name := range r.names {
		t, ok := r.run.Target(name)
		if !ok {
			ready = false
			continue
		}
		v, share := t.Stable, (*model.Share)(nil)
		if t.Next != nil && t.Next.Content != t.Stable.Content {
			v, share = *t.Next, &t.Share
		}
		is, failure := runs(r.seen, r.spec, name, v, share)
		if failure != nil {
			return false, name, failure
		}
		ready = ready && is
	}
	return ready, "", nil
}

// stage targets a stage and reports whether there is anything to stage: what is
// new, or did not change, is promoted at once.
func (r rollout) stage(st stage) (staged bool) {
	for _, name := range r.names {
		next := r.version(name)
		t, ok := r.run.Target(name)
		if c, _ := r.spec.Component(name); !ok || t.Stable.Content == next.Content || !c.Runs() {
			setTarget(r.run, model.Target{Component: name, Stable: next})
			continue
		}
		staged = true
		setTarget(r.run, model.Target{
			Component: name, Stable: t.Stable, Next: &next, Traffic: st.traffic,
			Share: model.Share{Replicas: st.Replicas, Weight: st.Weight, Extra: st.extra},
		})
	}
	return staged
}

// handOver makes the next version the stable one. Where there is room for two, the
// next version serves beside it until the stable one is ready, so that capacity
// never drops.
func (r rollout) handOver() {
	for _, name := range r.names {
		t, ok := r.run.Target(name)
		if !ok || t.Next == nil || !t.Share.Extra {
			setTarget(r.run, model.Target{Component: name, Stable: r.version(name)})
			continue
		}
		both := *t
		both.Stable = *t.Next
		setTarget(r.run, both)
	}
}
