package lifecycle

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// noteFailures writes down what the runtimes tell of failures since the last pass.
// One that is seen again with the same count of restarts is the same one.
func (f *facts) noteFailures() {
	own := false // the slice belongs to this pass
	for i := range f.inst.Components {
		s := &f.inst.Components[i]
		w, ok := f.seen.Find(f.inst.App, s.Grant.Component)
		if !ok || w.Failure == nil || w.Digest != s.Workload || s.State == model.StateDone {
			continue
		}
		entry, isNew := f.counted(w)
		if !isNew {
			continue
		}
		if !own {
			f.inst.Failures, own = slices.Clone(f.inst.Failures), true
		}
		f.inst.Failures = slices.DeleteFunc(f.inst.Failures, func(e model.FailureCount) bool {
			return e.Component == entry.Component && e.Reason == entry.Reason
		})
		f.inst.Failures = append(f.inst.Failures, entry)
		f.inst.Failures = f.inst.Failures[max(0, len(f.inst.Failures)-model.FailureLimit):]
	}
}

// counted returns the entry of a component's failure with what is new of it.
// Restarts that nobody saw one by one count one by one only if they happened
// within the window for sure.
func (f *facts) counted(w *model.Workload) (entry model.FailureCount, isNew bool) {
	x, rules := w.Failure, &f.inst.Spec.Lifecycle
	entry = model.FailureCount{Component: w.Component, Reason: x.Reason, First: f.now}
	more := 1
	if n := slices.IndexFunc(f.inst.Failures, func(e model.FailureCount) bool { return e.Component == w.Component && e.Reason == x.Reason }); n >= 0 {
		entry = f.inst.Failures[n]
		if entry.Workload == w.Digest {
			if entry.Restarts == x.Restarts {
				return entry, false
			}
			if x.Restarts > entry.Restarts && f.now.Sub(entry.Last) < rules.Window {
				more = x.Restarts - entry.Restarts
			}
		}
	}
	entry.Class, entry.ExitCode, entry.Signal = x.Class, x.ExitCode, x.Signal
	entry.Workload, entry.Restarts = w.Digest, x.Restarts
	entry.Count, entry.Last = entry.Count+more, f.now
	if c, ok := f.inst.Spec.Component(w.Component); ok && c.Critical && x.Blames() {
		recent := slices.Clone(entry.Recent)
		for range min(more, rules.Threshold) {
			recent = append(recent, f.now)
		}
		entry.Recent = recent[max(0, len(recent)-rules.Threshold):]
	}
	return entry, true
}

// tooOften returns the first component whose failures have reached the threshold
// of the application within its window, nil if there is none. What failures mean
// while a workflow is on its way, its steps say.
func (f *facts) tooOften() *model.ComponentState {
	rules := &f.inst.Spec.Lifecycle
	if rules.Threshold <= 0 || len(f.inst.Failures) == 0 || f.underWay() {
		return nil
	}
	for i := range f.inst.Components {
		s := &f.inst.Components[i]
		if f.recent(s.Grant.Component) >= rules.Threshold {
			return s
		}
	}
	return nil
}

func (f *facts) recent(component string) (n int) {
	for i := range f.inst.Failures {
		e := &f.inst.Failures[i]
		if e.Component != component {
			continue
		}
		for _, at := range e.Recent {
			if f.now.Sub(at) < f.inst.Spec.Lifecycle.Window {
				n++
			}
		}
	}
	return n
}

func (f *facts) endsOften() bool {
	return f.inst.Spec.Lifecycle.OnFailure == "terminate" && f.tooOften() != nil
}

func (f *facts) restartsOften() bool {
	return f.inst.Spec.Lifecycle.OnFailure == "restart" && f.tooOften() != nil
}

// degradesOften says whether failures are borne, and shown: so the application
// wants it, or there is nothing that it could go back to.
func (f *facts) degradesOften() bool {
	switch f.inst.Spec.Lifecycle.OnFailure {
	case "restart", "terminate":
		return false
	}
	return f.tooOften() != nil
}

// pause stops the component that failed too often, for a while that grows from
// time to time.
func (f *facts) pause() {
	s := f.tooOften()
	s.Pauses++
	s.Pause = f.now.Add(max(time.Second, f.inst.Spec.Lifecycle.Backoff.After(s.Pauses)))
	f.forgive(s.Grant.Component)
}

// forgive lets what failed so far count no more towards the threshold. Of "" it is
// what any component did.
func (f *facts) forgive(component string) {
	f.inst.Failures = slices.Clone(f.inst.Failures)
	for i := range f.inst.Failures {
		if e := &f.inst.Failures[i]; component == "" || e.Component == component {
			if e.Recent = nil; component != "" {
				e.Workload = "" // it begins anew, and so do its restarts
			}
		}
	}
}

// blamed says whether what keeps critical components from running may be their own
// fault, and not that of nodes and of who carries them out.
func (f *facts) blamed() bool {
	return f.anyCritical(func(c *model.Component, s *model.ComponentState) bool {
		if f.up(s) || s.State == model.StateWaiting {
			return false
		}
		w, ok := f.seen.Find(f.inst.App, c.Name)
		return !ok || w.Failure == nil || w.Failure.Blames()
	})
}

// oftenText tells which component failed too often.
func (f *facts) oftenText() string {
	s := f.tooOften()
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("%s failed %d times within %s", s.Grant.Component, f.recent(s.Grant.Component), f.inst.Spec.Lifecycle.Window)
	for i := len(f.inst.Failures) - 1; i >= 0; i-- {
		if e := &f.inst.Failures[i]; e.Component == s.Grant.Component && len(e.Recent) > 0 {
			return text + " (" + failureText(&model.Failure{Reason: e.Reason, ExitCode: e.ExitCode, Signal: e.Signal}) + ")"
		}
	}
	return text
}

// failureText tells a failure in one line.
func failureText(x *model.Failure) string {
	text := x.Reason
	switch {
	case x.Signal != 0:
		text += fmt.Sprintf(" (signal %d)", x.Signal)
	case x.ExitCode != 0:
		text += fmt.Sprintf(" (exit code %d)", x.ExitCode)
	}
	if x.Message != "" {
		text += ": " + x.Message
	}
	return text
}
