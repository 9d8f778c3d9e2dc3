package trait

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// Context is what a trait may know of the component that declares it. Traits only read it.
type Context struct {
	Component *model.Component
	Workload
	Grant     model.Grant
	Ports     []declared.Port             // of a service, none for a job
	Resources corev1.ResourceRequirements // that all containers of the pod have together
	Claims    Claims
	Policy    *model.Policy
	Env       map[string]declared.Variable // that the component itself declares

	// Configuration returns a config or secret component of the application.
	Configuration func(name string) (Configuration, bool)

	// Peer returns what is known of a component of the application, if it has pods.
	Peer func(component string) (Peer, bool)
	// Domain returns the label of nodes whose values are racks or zones, or each node.
	Domain func(over string) (string, error)

	// Given is what the traits before this one gave.
	Given Patch
}

// Workload is what carries a component.
type Workload struct {
	Kind     string            // Deployment, StatefulSet, DaemonSet or Job
	Name     string            // of its objects
	Run      int               // replicas that may run now
	Newer    bool              // it is a newer version beside the stable one
	Selector map[string]string // labels that only its pods have
}

// Peer is a component of the application that runs pods.
type Peer struct {
	Name   string            // of its objects
	Labels map[string]string // that only its pods have
	Ports  []declared.Port
}

// Claims are annotations of claims for volumes.
type Claims struct {
	Kept    map[string]string // of all: they stay after their declaration is removed
	Deleted map[string]string // of those that go with the application, nil if none do
}

// Configuration is a component that pods read.
type Configuration struct {
	Type string // of the component
	Sort string // config or secret, "" if pods cannot read it
	Name string // of the object that pods refer to
}

// Source returns the object of a config or secret component, or one that others made. The name of the
// component is added to the references.
func (c Context) Source(path, sort string, to declared.Source, references *[]string) (object corev1.LocalObjectReference, err error) {
	if object.Name = to.Existing; to.Existing != "" {
		if sort == "config" { // evaluation holds Secrets to policy
			err = mayName(path+".existing", "ConfigMap", to.Existing, "configs", c.Policy.Existing.Configs)
		}
		return object, err
	}
	found, ok := c.Configuration(to.Name)
	switch {
	case !ok:
		return object, declared.Faultf(declared.CodeReference, path, "refers to component %s, which the application does not have", to.Name)
	case found.Sort != sort:
		return object, declared.Faultf(declared.CodeReference, path, "refers to component %s as a %s, but it is a %s", to.Name, sort, found.Type)
	}
	*references, object.Name = append(*references, to.Name), found.Name
	return object, nil
}

// mayName refuses an object of others that policy does not let components name.
func mayName(path, kind, name, field string, allowed []string) error {
	if model.Matches(allowed, name) {
		return nil
	}
	return declared.Against("policy.existing."+field, declared.CodeExisting, path, "names %s %s, and policy allows %s (existing.%s)", kind, name, declared.List(allowed), field)
}
