package model

import "slices"

// Equal reports whether two policies have the same values, wherever these come from.
func (p *Policy) Equal(o *Policy) bool {
	lists := func(q *Policy) [15][]string {
		return [...][]string{q.Registries, q.Runtimes, q.Kinds, q.RequiredLabels, q.Strategies, q.Egress, q.Exits, q.Accounts, q.Ladder,
			q.Existing.Configs, q.Existing.Claims, q.Existing.Gateways, q.Rights, q.Reading, q.RuntimeClasses}
	}
	x, y := lists(p), lists(o)
	for i := range x {
		if !slices.Equal(x[i], y[i]) || (x[i] == nil) != (y[i] == nil) {
			return false // none and no list are written differently
		}
	}
	return p.MaxReplicas == o.MaxReplicas && p.PriorityCeiling == o.PriorityCeiling && p.MaxShare == o.MaxShare && p.Namespace == o.Namespace &&
		p.OvercommitCPU == o.OvercommitCPU && p.OvercommitMem == o.OvercommitMem && p.Preemption == o.Preemption && p.Degradation == o.Degradation &&
		p.Strategy == o.Strategy && p.OnUpdateFailure == o.OnUpdateFailure && p.MaxGrace == o.MaxGrace && p.Deletion == o.Deletion &&
		p.Conflicts == o.Conflicts && p.MinRuntime == o.MinRuntime && p.RestoreHold == o.RestoreHold && p.RestoreMargin == o.RestoreMargin &&
		p.ReserveAfter == o.ReserveAfter && p.Backfill == o.Backfill && p.Flavours == o.Flavours && p.PriorityClaims == o.PriorityClaims && p.Immutable == o.Immutable &&
		p.Replicas == o.Replicas && p.Priority == o.Priority &&
		p.StartDeadline == o.StartDeadline && p.UnreadyAfter == o.UnreadyAfter && p.Requests == o.Requests && p.HostProcess == o.HostProcess && p.DefaultRequests.Equal(o.DefaultRequests)
}
