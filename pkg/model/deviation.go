package model

// Deviation is an object of a cluster that is not as the fleet wants it.
type Deviation struct {
	App       AppID          `json:"application"` // without a name: of the tenant
	Kind      string         `json:"kind"`        // with its group, as in Deployment.apps
	Namespace string         `json:"namespace,omitempty"`
	Name      string         `json:"name"`
	Cluster   string         `json:"cluster,omitempty"` // that it is in, "" for the first one
	State     DeviationState `json:"state"`
	Owner     string         `json:"owner,omitempty"` // of a foreign object, for people
	Fields    []Deviating    `json:"fields,omitempty"`
}

// DeviationState is how an object deviates.
type DeviationState string

// States of deviations.
const (
	DeviationMissing  DeviationState = "missing"  // it is wanted, and is not there
	DeviationDiffers  DeviationState = "differs"  // fields have other values
	DeviationForeign  DeviationState = "foreign"  // others made it
	DeviationLeaving  DeviationState = "leaving"  // it is being deleted
	DeviationUnwanted DeviationState = "unwanted" // D-AROS applied it, and nothing wants it any more
)

// DeviationStates are all states, in the order in which they are counted.
var DeviationStates = []DeviationState{DeviationMissing, DeviationDiffers, DeviationForeign, DeviationLeaving, DeviationUnwanted}

// Deviating is a field that is not as it is wanted. Values of Secrets are hidden.
type Deviating struct {
	Path    string `json:"path"`              // spec.template.spec.containers[name=web].image
	Wanted  any    `json:"wanted,omitempty"`  // nil: the field is not wanted
	Live    any    `json:"live,omitempty"`    // nil: the field is not there
	Manager string `json:"manager,omitempty"` // that holds it now, "" if nobody says
}
