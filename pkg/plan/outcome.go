package plan

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Outcome is the outcome of a pass for one state of the fleet repo.
type Outcome struct {
	Fleet   model.Fleet  // that was decided on, with what was kept of the ledger
	Ledger  model.Ledger // that the pass saves
	Objects []Object     // those that may differ from the other outcome
	Runs    []Run        // of workflows, by application
}

// Object is an object for the cluster.
type Object struct {
	App       model.AppID // Name is "" for the objects of a tenant
	Kind      string
	Namespace string
	Name      string
	JSON      []byte // without annotations that only repeat its origin; nil: its content is not managed
	Outlives  bool   // it stays in the cluster when it is no longer declared
	Disposed  bool   // it goes with its application all the same: the owner wants that
	Made      bool   // the cluster makes it for another object, so nobody is told when it comes
}

// appState is the state of an application in an outcome.
type appState struct {
	instance *model.Instance    // nil: unknown
	decision *model.Decision    // nil: none
	declared *model.Application // the valid spec in Git, nil if there is none
}

func (o *Outcome) states() map[model.AppID]*appState {
	all := map[model.AppID]*appState{}
	of := func(app model.AppID) *appState {
		if all[app] == nil {
			all[app] = &appState{}
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

func (s *appState) runs() bool     { return s.instance != nil && s.instance.Phase.Active() }
func (s *appState) waits() bool    { return s.in(model.PhaseAdmitted) }
func (s *appState) rejected() bool { return s.in(model.PhaseRejected, model.PhaseCreated) }

func (s *appState) in(phases ...model.Phase) bool {
	return s.instance != nil && slices.Contains(phases, s.instance.Phase)
}

// evicted reports whether it lost its place to others.
func (s *appState) evicted() bool {
	return s.in(model.PhaseTerminated) && s.instance.Reason == model.ReasonEvicted
}

// degraded reports whether it runs with less than it asks for.
func (s *appState) degraded() bool {
	return s.runs() && s.decision != nil && s.decision.Degraded
}

// refusal returns why a newer spec in Git is not accepted, nil if none is refused.
func (s *appState) refusal() *model.Refusal {
	if !s.runs() {
		return nil
	}
	return s.instance.Refused
}

func (s *appState) position() int {
	if !s.waits() || s.decision == nil {
		return 0
	}
	return s.decision.Position
}

// grants returns the grants of its components.
func (s *appState) grants() []model.Grant {
	if !s.runs() {
		return nil
	}
	return s.instance.Grants()
}

// digest identifies the valid spec in Git, "" if there is none.
func (s *appState) digest() model.Digest {
	if s.declared == nil {
		return ""
	}
	return s.declared.Digest
}
