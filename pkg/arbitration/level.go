package arbitration

import "github.com/d-aros/d-aros/pkg/model"

// level is a rung of the degradation ladder.
type level int

const (
	full    level = iota // everything the spec asks for
	minimum              // critical components at their minimum, others off
)

// levels returns the rungs that the application may be granted, best first.
func levels(spec *model.Application) []level {
	if degradable(spec) {
		return []level{full, minimum}
	}
	return []level{full}
}

// degradable says whether policy and spec leave room between full and minimum.
func degradable(spec *model.Application) bool {
	if !spec.Policy.Degradation {
		return false
	}
	for i := range spec.Components {
		if c := &spec.Components[i]; at(c, minimum) != at(c, full) {
			return true
		}
	}
	return false
}

// at returns the replicas and the profile of a component at a level.
func at(c *model.Component, l level) (r struct {
	replicas int
	qos      string
}) {
	r.replicas, r.qos = c.Replicas, c.QoS
	if !c.Runs() {
		r.replicas = 1 // it exists or not
		return r
	}
	if l == full {
		return r
	}
	if !c.Critical {
		r.replicas = 0
		return r
	}
	r.replicas = c.MinReplicas()
	if c.Degrade != nil && c.Degrade.QoS != "" {
		r.qos = c.Degrade.QoS
	}
	return r
}

// grantsAt returns the grants of a spec at a level, without pools.
func grantsAt(spec *model.Application, l level) []model.Grant {
	grants := make([]model.Grant, len(spec.Components))
	for i := range spec.Components {
		c := &spec.Components[i]
		amount := at(c, l)
		grants[i] = model.Grant{Component: c.Name, Replicas: amount.replicas, Requests: c.Requests, QoS: amount.qos}
	}
	return grants
}

// demand sums what the spec takes at a level, leaving out what is done.
func (c *claim) demand(spec *model.Application, l level) model.Resources {
	var sum model.Resources
	for _, g := range grantsAt(spec, l) {
		if !c.done(spec, g.Component) {
			sum = sum.Add(g.Requests.Times(g.Replicas))
		}
	}
	return sum
}

// levelOf tells whether grants give a spec less than it asks for.
func levelOf(spec *model.Application, grants []model.Grant) level {
	for _, g := range grants {
		if comp, ok := spec.Component(g.Component); ok && (g.Replicas < comp.Replicas || g.QoS != comp.QoS) {
			return minimum
		}
	}
	return full
}
