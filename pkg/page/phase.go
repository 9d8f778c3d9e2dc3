package page

import "github.com/d-aros/d-aros/pkg/model"

// phase is a phase with its sign, so that it is found at a glance. The word is always there: not everybody sees colours.
func phase(ph model.Phase) string { return sign(ph) + " " + escape(string(ph)) }

func sign(ph model.Phase) string {
	switch ph {
	case model.PhaseRunning:
		return "🟢"
	case model.PhaseScheduled:
		return "🔵"
	case model.PhaseCreated, model.PhaseAdmitted:
		return "🟡"
	case model.PhaseDegraded:
		return "🟠"
	case model.PhaseRejected:
		return "🔴"
	}
	return "⚫"
}
