package lifecycle

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// look records what the runtimes show of the components that are to run.
func (c components) look() {
	look := &model.Shown{At: c.now}
	for i := range c.inst.Components {
		s := &c.inst.Components[i]
		if s.Finished() {
			continue
		}
		if e, seen := c.shows(s); seen {
			look.Components = append(look.Components, e)
			if due := c.due(s, &e); !due.IsZero() && (look.Due.IsZero() || due.Before(look.Due)) {
				look.Due = due
			}
		}
		if w := c.shown.version(s.Grant.Component, true); w != nil {
			look.Components = append(look.Components, model.ShownComponent{
				Component: w.Component, Beside: true, Told: w.Replicas, Ready: w.Ready, Images: w.Images, Says: w.Says, Why: whyOf(w),
			})
		}
	}
	if c.inst.Shown = look; len(look.Components) == 0 {
		c.inst.Shown = nil
	}
}

// shows is what the runtimes show of a component. Since when it is unready is what was
// shown before, for as long as the component is told the same.
func (c components) shows(s *model.ComponentState) (e model.ShownComponent, seen bool) {
	e.Component = s.Grant.Component
	w, was := c.shown.of(e.Component), c.before.Of(e.Component)
	if w != nil {
		e.Told, e.Ready, e.Images, e.Says, e.Why = w.Replicas, w.Ready, w.Images, w.Says, whyOf(w)
	}
	told := w != nil && w.Digest == s.Workload
	if told && whole(w) {
		e.Held, e.Why = e.Told, ""
		return e, true
	}
	if e.Held = c.held(s, was); e.Held == 0 {
		return e, w != nil
	}
	if w != nil {
		e.Held = min(e.Held, max(1, e.Told)) // an autoscaler may have told less since
		e.Moves = !told || w.Rolling || w.Ready >= e.Held
	}
	e.Unready = c.now
	if was != nil && !was.Unready.IsZero() && was.Moves == e.Moves {
		e.Unready = was.Unready
	}
	return e, true
}

// held is how much of a component was ready when all of it was, as it is told to run
// now. It is 0 if all of it never was. Older records do not say how much it was.
func (c components) held(s *model.ComponentState, was *model.ShownComponent) int {
	switch before := c.ran(s); {
	case s.Run == 0 || before.Workload != s.Workload:
		return 0
	case was != nil && was.Held > 0:
		return was.Held
	case was == nil && before.State == model.StateReady:
		return s.Run
	}
	return 0
}

// whole reports whether all that a workload was told to run is ready.
func whole(w *model.Workload) bool {
	return w != nil && w.Current && w.Ready >= w.Replicas && !w.Done
}

// whyOf says why some of a workload is not ready, where the runtime knows.
func whyOf(w *model.Workload) string {
	if w.Failure != nil {
		return failureText(w.Failure)
	}
	return w.Why
}

// due is when something follows from what is shown of a component if it stays so, zero
// if nothing does.
func (c components) due(s *model.ComponentState, e *model.ShownComponent) time.Time {
	switch spec, ok := c.inst.Spec.Component(e.Component); {
	case s.State != model.StateUnready || !ok || underWay(c.inst):
	case c.inst.Phase == model.PhaseRunning && spec.Critical && !e.Moves:
		return e.Unready.Add(patience(c.inst))
	default:
		return e.Unready.Add(c.inst.Spec.Policy.StartDeadline)
	}
	return time.Time{}
}

// patience is how long a critical component may be unready.
func patience(inst *model.Instance) time.Duration {
	return cmp.Or(inst.Spec.Policy.UnreadyAfter, model.UnreadyAfter)
}

// notReady reports whether less of a critical component was ready than it is told to
// run, for longer than policy allows.
func notReady(inst *model.Instance, _ workloads, now time.Time) bool {
	return anyCritical(inst, func(c *model.Component, s *model.ComponentState) bool {
		e := inst.Shown.Of(c.Name)
		return s.State == model.StateUnready && e != nil && !e.Moves && !now.Before(e.Unready.Add(patience(inst)))
	})
}

// unreadyText says how much of a component is ready: "0 of 4 ready since 14:53,
// readiness probe fails".
func unreadyText(e *model.ShownComponent) string {
	text := fmt.Sprintf("%d of %d ready since %s", e.Ready, max(e.Told, e.Held), e.Unready.UTC().Format("15:04"))
	if e.Why != "" {
		text += ", " + e.Why
	}
	return text
}

// tell keeps the sentence of an application that is not ready true.
func tell(inst *model.Instance) {
	if parts := unready(inst); parts != "" && inst.Phase == model.PhaseDegraded && inst.Reason == model.ReasonNotReady {
		inst.Message = parts
	}
}

// before is what the runtimes showed of an instance when a pass last looked. What was
// not saved counts for as long as the record is the one that it is newer than.
func before(ledger *model.Ledger, inst *model.Instance) *model.Shown {
	if inst == nil || inst.Shown == nil {
		return nil
	}
	if since := ledger.Unsaved[inst.App]; since != nil && since.At.Equal(inst.Shown.At) {
		return since
	}
	return inst.Shown
}

// keepCounts returns the record to save in place of old, when now follows from it: old
// itself, if nothing but counts changed and its counts are younger than a minute, or if a
// stage of a workflow goes well. What is shown otherwise than old says is unsaved.
func keepCounts(old, now *model.Instance, at time.Time) (_ *model.Instance, unsaved *model.Shown) {
	if old == nil || old.Shown == nil || now.Shown == nil || old.Number != now.Number {
		return now, nil
	}
	if old.Shown.Shows(now.Shown) {
		now.Shown = old.Shown
		return now, nil
	}
	fresh := *now.Shown
	fresh.At = old.Shown.At
	recent := at.Before(old.Shown.At.Add(model.CountsEvery))
	if !(recent && sameButCounts(old, now)) && !stageGoesWell(old, now, recent) {
		return now, &fresh
	}
	now.Shown = old.Shown
	if kept := *old; now.Spec != old.Spec {
		kept.Spec, kept.Revision = now.Spec, model.Revision{} // with the values of secrets
		return &kept, &fresh
	}
	return old, &fresh
}

// stageGoesWell reports whether nothing happened but that a stage of a workflow, which old
// has begun, came to run as it was told to: all of it or, while its record is recent, some
// of it, and no image that the record does not name. The record follows with the stage,
// which waits for the newer of two versions and never for the older one.
func stageGoesWell(old, now *model.Instance, recent bool) bool {
	if !now.InStages() {
		return false
	}
	for _, e := range now.Shown.Components {
		if e.Why != "" || !e.Unready.IsZero() || e.Ready < e.Told && !recent || !slices.Equal(e.Images, imagesOf(old.Shown, &e)) {
			return false
		}
	}
	come := *old
	come.Components = slices.Clone(old.Components)
	for i := range come.Components {
		s := &come.Components[i]
		if is, ok := now.Component(s.Grant.Component); ok && s.State == model.StateStarting && is.State == model.StateReady && s.Beside != nil {
			s.State, s.Since = is.State, is.Since
		}
	}
	return sameButCounts(&come, now)
}

// imagesOf returns those of the images of a component that were shown before, of either
// of its versions.
func imagesOf(before *model.Shown, e *model.ShownComponent) []string {
	return slices.DeleteFunc(slices.Clone(e.Images), func(image string) bool {
		return !slices.ContainsFunc(before.Components, func(b model.ShownComponent) bool {
			return b.Component == e.Component && slices.Contains(b.Images, image)
		})
	})
}

// sameButCounts reports whether two records of an instance differ at most in what the
// runtimes show.
func sameButCounts(a, b *model.Instance) bool {
	if a.Phase != b.Phase || a.Reason != b.Reason || a.SpecDigest() != b.SpecDigest() {
		return false
	}
	x, y := uncounted(a), uncounted(b)
	return reflect.DeepEqual(&x, &y)
}

// uncounted returns a record without what changes by itself as replicas come and go.
// While a start or a workflow waits for components, their states are more than that.
func uncounted(inst *model.Instance) model.Instance {
	in := *inst
	in.Shown, in.Spec, in.Revision = nil, nil, model.Revision{}
	if in.Phase == model.PhaseScheduled {
		return in
	}
	if in.Reason == model.ReasonNotReady {
		in.Message = ""
	}
	in.Components = slices.Clone(in.Components)
	for i := range in.Components {
		if s := &in.Components[i]; s.State == model.StateReady || s.State == model.StateUnready {
			s.State, s.Since, s.Message = model.StateReady, time.Time{}, ""
		}
	}
	return in
}

// asShown reports whether a record says of the component at i what the runtimes show,
// and all of it is ready.
func asShown(shown *model.Shown, i int, w *model.Workload) bool {
	if shown == nil || i >= len(shown.Components) {
		return false
	}
	e := &shown.Components[i]
	return e.Told == w.Replicas && e.Ready == w.Ready && e.Held == e.Told && e.Component == w.Component && e.Unready.IsZero() && !e.Beside &&
		e.Why == "" && e.Says == w.Says && slices.Equal(e.Images, w.Images)
}

// asBefore adds what was shown last of components that run elsewhere and after which nobody
// has asked since the reconciler started: no runtime remembers it. What never was well as it
// is told now has nothing to add.
func (list workloads) asBefore(inst *model.Instance, before *model.Shown) workloads {
	if inst.Spec == nil {
		return list
	}
	for _, s := range inst.Components {
		c, ok := inst.Spec.Component(s.Grant.Component)
		if !ok || !c.Elsewhere() || list.of(c.Name) != nil {
			continue
		}
		if was := before.Of(c.Name); was != nil && was.Held > 0 {
			list = append(slices.Clip(list), model.Workload{
				App: inst.App, Component: c.Name, Digest: s.Workload, Replicas: was.Told, Ready: was.Ready, Current: true, Why: was.Why,
			})
		}
	}
	return list
}
