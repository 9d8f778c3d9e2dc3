package view

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// severity ranks how much an application needs somebody's attention, the worst first.
type severity int

const (
	recordDamaged severity = iota
	degraded
	refusedWhole // it is not admitted, or lost its place
	partsUnwell  // it runs, and a component or an object is not as it is to be
	updateRefused
	waiting
	starting
	well
	ended // because Git asked for that
)

// severityOf ranks an application of a ledger.
func severityOf(l *model.Ledger, in *model.Instance) severity {
	switch {
	case l.DamagedOf(in.App) != nil:
		return recordDamaged
	case in.Phase == model.PhaseDegraded:
		return degraded
	case in.Phase == model.PhaseRejected, in.Phase == model.PhaseTerminated && !in.Withdrawn() && in.Reason != model.ReasonSuspended:
		return refusedWhole
	case in.Phase == model.PhaseTerminated:
		return ended
	case in.Phase == model.PhaseRunning && (len(in.Outcomes) > 0 || partUnwell(in)):
		return partsUnwell
	case in.Refused != nil:
		return updateRefused
	case in.Phase == model.PhaseCreated, in.Phase == model.PhaseAdmitted:
		return waiting
	case in.Phase == model.PhaseScheduled:
		return starting
	}
	return well
}

// unwell reports whether people may want to look at an application.
func (s severity) unwell() bool { return s < well }

// partUnwell reports whether a component that is to run does not.
func partUnwell(in *model.Instance) bool {
	return slices.ContainsFunc(in.Components, func(c model.ComponentState) bool {
		return !slices.Contains([]model.State{model.StateReady, model.StateDone, model.StateNotRun, model.StateOff}, c.State)
	})
}
