package plan

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Outcome is what one pass makes of one state of the fleet repo.
type Outcome struct {
	Fleet   model.Fleet  // that was decided on, completed with what was last good
	Ledger  model.Ledger // as the pass saves it
	Objects []Object     // those that may differ between the outcomes
	Runs    []Run        // of workflows, by application
}

// Object is one object as it is to be in the cluster.
type Object struct {
	App       model.AppID // Name is "" for the objects of a tenant
	Kind      string
	Namespace string
	Name      string
	JSON      []byte // without what says only which commit it comes from; nil: it is left as it is
	Outlives  bool   // it stays in the cluster when it is declared no more
}

// standing is where an application stands in an outcome.
type standing struct {
	instance *model.Instance    // nil: it is not known
	decision *model.Decision    // nil: nothing was ruled about it
	declared *model.Application // the valid spec in Git, nil if there is none
}

func (o *Outcome) standings() map[model.AppID]*standing {
	all := map[model.AppID]*standing{}
	of := func(app model.AppID) *standing {
		if all[app] == nil {
			all[app] = &standing{}
		}
		return all[app]
	}
	for i := range o.Ledger.Instances {
		of(o.Ledger.Instances[i].App).instance = &o.Ledger.Instances[i]
	}
	for i := range o.Ledger.Decisions {
		of(o.Ledger.Decisions[i].App).decision = &o.Ledger.Decisions[i]
	}
	for i := range o.Fleet.Applications {
		of(o.Fleet.Applications[i].ID).declared = o.Fleet.Applications[i]
	}
	return all
}

func (s *standing) runs() bool     { return s.instance != nil && s.instance.Phase.Active() }
func (s *standing) waits() bool    { return s.in(model.PhaseAdmitted) }
func (s *standing) rejected() bool { return s.in(model.PhaseRejected, model.PhaseCreated) }

func (s *standing) in(phases ...model.Phase) bool {
	return s.instance != nil && slices.Contains(phases, s.instance.Phase)
}

// evicted reports whether it lost its place for others.
func (s *standing) evicted() bool {
	return s.in(model.PhaseTerminated) && s.instance.Reason == model.ReasonEvicted
}

// degraded reports whether it runs with less than it asks for.
func (s *standing) degraded() bool {
	return s.runs() && s.decision != nil && s.decision.Degraded
}

// refusal is why a newer spec in Git is not accepted, nil if none is refused.
func (s *standing) refusal() *model.Refusal {
	if !s.runs() {
		return nil
	}
	return s.instance.Refused
}

func (s *standing) position() int {
	if !s.waits() || s.decision == nil {
		return 0
	}
	return s.decision.Position
}

// grants are what it holds, by component.
func (s *standing) grants() []model.Grant {
	if !s.runs() {
		return nil
	}
	grants := make([]model.Grant, len(s.instance.Components))
	for i := range s.instance.Components {
		grants[i] = s.instance.Components[i].Grant
	}
	return grants
}

// digest identifies what Git declares, "" if that is nothing valid.
func (s *standing) digest() model.Digest {
	if s.declared == nil {
		return ""
	}
	return s.declared.Digest
}
