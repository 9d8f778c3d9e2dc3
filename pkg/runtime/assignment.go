package runtime

import (
	"cmp"
	"io/fs"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Assignment is what adapters are to do about one application or, where App has no name,
// about what the applications of a tenant share. It is whole: what an adapter has of the
// application and the assignment lacks goes, but for data, so to create, start, change, stop
// and destroy are the same call, which may be repeated.
type Assignment struct {
	App    model.AppID
	Ledger string // id of the ledger that tells to carry it out; "" if that has none

	// Revision is equal for two assignments of an application if and only if the same follows
	// from them.
	Revision string

	// Instance is the record of the application, nil for what is shared and where Orphan is
	// set. If it has no objects any more, nothing of it is to be left.
	Instance   *model.Instance
	Components []Component // that are to be there, by name
	Jobs       []Job       // of steps of its workflow

	Tenant   *model.Tenant // nil if its layer is not valid
	Platform *model.Platform
	Shared   model.Occupancy // what the applications of the tenant have; of what is shared

	Orphan *model.Inventory // what is to go of an application that has no record; nil: it has one

	// Files opens the application's directory at a commit of the fleet repo.
	Files func(commit string) (fs.FS, error)
}

// IsShared reports whether the assignment is about what the applications of a tenant share.
func (a *Assignment) IsShared() bool { return a.App.Name == "" }

// Ends reports whether nothing of the application is to be left.
func (a *Assignment) Ends() bool {
	return a.Orphan != nil || a.Instance != nil && !a.Instance.HasObjects()
}

// DeletesData reports whether the application has ended for good, and its data goes with it.
func (a *Assignment) DeletesData() bool {
	return a.Instance != nil && a.Ends() && a.Instance.DeletesData()
}

// Job is a finite component that a step of a workflow runs once.
type Job struct {
	Key       string       // of the step and its attempt
	Component string       // of type job
	Spec      model.Digest // the release of the application that has the component
	Inputs    []model.Value
	Lock      string // that the step holds, "": none
	Keep      bool   // it has ended, and stays as it is so that people can read its logs
}

// Want is what is wanted of a component that is to be there. A component that is to go is
// none of an assignment.
type Want string

// Wants.
const (
	Running Want = "running" // so many replicas as its state says; configuration is there
	Stopped Want = "stopped" // it is there, and none of it runs
)

// Component is what is wanted of one component.
type Component struct {
	*model.Component // that it is to run, in the version that its state names
	Want             Want
	State            model.ComponentState // grant, replicas, and a newer version beside it

	// Hold is set if what runs stays as it is, because the newer version waits for others, or
	// because no spec has the version any more.
	Hold bool
}

// ComponentsOf returns what is wanted of the components of an instance, in order.
func ComponentsOf(inst *model.Instance) (list []Component) {
	if !inst.HasObjects() || inst.Spec == nil {
		return nil
	}
	for _, name := range names(inst) {
		state := model.ComponentState{Grant: model.Grant{Component: name}}
		if s, ok := inst.Component(name); ok {
			state = *s
		}
		spec, exact := version(inst, name, state.Spec)
		if spec == nil {
			continue // nothing is known of it but its name
		}
		c := Component{Component: spec, Want: Stopped, State: state, Hold: state.Hold || !exact}
		ofStep := spec.Finite() && inst.Spec.Workflow != nil && inst.Spec.Workflow.Job(name)
		if !spec.Runs() || state.Run > 0 && !state.Finished() && !ofStep {
			c.Want = Running
		}
		list = append(list, c)
	}
	return list
}

// names lists, in order, the components of the accepted spec, and those of the spec before
// that still run. Of an instance that ends they are those with a state, and all configuration.
func names(inst *model.Instance) (names []string) {
	for i := range inst.Spec.Components {
		if c := &inst.Spec.Components[i]; !inst.Ending() || !c.Runs() {
			names = append(names, c.Name)
		}
	}
	for i := range inst.Components {
		names = append(names, inst.Components[i].Grant.Component)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// version returns the component with a content, of the accepted spec or of the one before it.
// Exact is false if neither has that content: then it is any of the name, nil without one.
func version(inst *model.Instance, name string, content model.Digest) (c *model.Component, exact bool) {
	for _, spec := range inst.Specs() {
		found, ok := spec.Component(name)
		if !ok {
			continue
		}
		if !found.Runs() || content == "" || found.Content(spec.ID) == content {
			return found, true
		}
		c = cmp.Or(c, found)
	}
	return c, false
}
