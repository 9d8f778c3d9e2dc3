package lifecycle

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// noteFailures records the failures that the runtimes show and that are new. A
// failure that is shown again with the same number of restarts is the same one.
func noteFailures(inst *model.Instance, shown workloads, now time.Time) {
	for _, s := range inst.Components {
		w := shown.of(s.Grant.Component)
		if w == nil || w.Failure == nil || w.Digest != s.Workload || s.Finished() {
			continue
		}
		entry, isNew := countFailure(inst, w, now)
		if !isNew {
			continue
		}
		inst.Failures = slices.DeleteFunc(slices.Clone(inst.Failures), func(e model.FailureCount) bool {
			return e.Component == entry.Component && e.Reason == entry.Reason
		})
		inst.Failures = append(inst.Failures, entry)
		inst.Failures = inst.Failures[max(0, len(inst.Failures)-model.FailureLimit):]
	}
}

// countFailure returns the entry of a component's failure with what is new of it.
// Restarts between two passes count one by one only if all of them happened within
// the window.
func countFailure(inst *model.Instance, w *model.Workload, now time.Time) (entry model.FailureCount, isNew bool) {
	x, rules := w.Failure, &inst.Spec.Lifecycle
	entry = model.FailureCount{Component: w.Component, Reason: x.Reason, First: now}
	more := 1
	if n := slices.IndexFunc(inst.Failures, func(e model.FailureCount) bool { return e.Component == w.Component && e.Reason == x.Reason }); n >= 0 {
		entry = inst.Failures[n]
		if entry.Workload == w.Digest {
			if entry.Restarts == x.Restarts {
				return entry, false
			}
			if x.Restarts > entry.Restarts && now.Sub(entry.Last) < rules.Window {
				more = x.Restarts - entry.Restarts
			}
		}
	}
	entry.Class, entry.ExitCode, entry.Signal = x.Class, x.ExitCode, x.Signal
	entry.Workload, entry.Restarts = w.Digest, x.Restarts
	entry.Count, entry.Last = entry.Count+more, now
	if c, ok := inst.Spec.Component(w.Component); ok && c.Critical && x.Blames() {
		recent := slices.Clone(entry.Recent)
		for range min(more, rules.Threshold) {
			recent = append(recent, now)
		}
		entry.Recent = recent[max(0, len(recent)-rules.Threshold):]
	}
	return entry, true
}

// tooOften returns the first component whose failures have reached the threshold
// of the application within its window, nil if there is none. While a workflow is
// under way, its steps judge failures.
func tooOften(inst *model.Instance, now time.Time) *model.ComponentState {
	rules := &inst.Spec.Lifecycle
	if rules.Threshold <= 0 || len(inst.Failures) == 0 || underWay(inst) {
		return nil
	}
	for i := range inst.Components {
		s := &inst.Components[i]
		if recentFailures(inst, s.Grant.Component, now) >= rules.Threshold {
			return s
		}
	}
	return nil
}

// recentFailures counts the failures of a component within the window.
func recentFailures(inst *model.Instance, component string, now time.Time) (n int) {
	for _, e := range inst.Failures {
		if e.Component != component {
			continue
		}
		for _, at := range e.Recent {
			if now.Sub(at) < inst.Spec.Lifecycle.Window {
				n++
			}
		}
	}
	return n
}

// answerTo returns what an application does about a component that fails too
// often: restart, terminate or degrade. An update that cannot be rolled back
// degrades the application.
func answerTo(rules *model.Lifecycle) model.OnFailure {
	switch rules.OnFailure {
	case model.OnFailureRestart, model.OnFailureTerminate:
		return rules.OnFailure
	}
	return model.OnFailureDegrade
}

// pause stops the component that failed too often, for a pause that grows each
// time.
func pause(inst *model.Instance, _ workloads, now time.Time) {
	s := tooOften(inst, now)
	s.Pauses++
	s.Pause = now.Add(max(time.Second, inst.Spec.Lifecycle.Backoff.After(s.Pauses)))
	resetFailures(inst, s.Grant.Component)
}

// resetFailures resets a component's failure count; "" resets all.
func resetFailures(inst *model.Instance, component string) {
	inst.Failures = slices.Clone(inst.Failures)
	for i := range inst.Failures {
		if e := &inst.Failures[i]; component == "" || e.Component == component {
			if e.Recent = nil; component != "" {
				e.Workload = "" // its restarts are counted from zero again
			}
		}
	}
}

// tooOftenText names the component that failed too often, and how; "" if there is
// none.
func tooOftenText(inst *model.Instance, now time.Time) string {
	s := tooOften(inst, now)
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("%s failed %d times within %s", s.Grant.Component, recentFailures(inst, s.Grant.Component, now), inst.Spec.Lifecycle.Window)
	for i := len(inst.Failures) - 1; i >= 0; i-- {
		if e := &inst.Failures[i]; e.Component == s.Grant.Component && len(e.Recent) > 0 {
			return text + " (" + failureText(&model.Failure{Reason: e.Reason, ExitCode: e.ExitCode, Signal: e.Signal}) + ")"
		}
	}
	return text
}

// failureText describes a failure in one line.
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
