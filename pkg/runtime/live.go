package runtime

import "time"

// Person is who asks for live objects. One without a name is whoever runs the program.
type Person struct {
	Name   string
	Groups []string
}

// Live is what a runtime has of an application at one moment. All text in it is safe to show.
type Live struct {
	Objects  []LiveObject `json:"objects"`            // each after its owner
	Total    int          `json:"total"`              // of objects, also of those that are left out
	Events   []LiveEvent  `json:"events"`             // the newest first
	Unseen   []string     `json:"unseen,omitempty"`   // what cannot be seen, and why
	Unwanted string       `json:"unwanted,omitempty"` // why it is not known what is wanted
	Stale    string       `json:"stale,omitempty"`    // why all of it may be old
}

// LiveState is how an object is.
type LiveState string

// States of objects, the ones that people look for first.
const (
	LiveFailed  LiveState = "failed"
	LiveMissing LiveState = "missing" // it is wanted or was applied, and is not there
	LiveMoving  LiveState = "moving"  // towards what its spec asks for
	LiveLeaving LiveState = "leaving" // it is being deleted
	LiveReady   LiveState = "ready"
	LiveDone    LiveState = "done" // it succeeded
	LiveIdle    LiveState = "idle" // nothing of it is to run
)

// LiveObject is one object.
type LiveObject struct {
	ID        string         `json:"id"`
	Owner     string         `json:"owner,omitempty"` // ID of the object that made it, "" if none of these did
	Component string         `json:"component,omitempty"`
	Kind      string         `json:"kind"` // with its group, as in Deployment.apps
	Namespace string         `json:"namespace,omitempty"`
	Name      string         `json:"name"`
	State     LiveState      `json:"state"`
	Why       string         `json:"why,omitempty"`
	Made      time.Time      `json:"made,omitzero"`
	Ready     *LiveReadiness `json:"ready,omitempty"` // of what has replicas

	Conditions []LiveCondition `json:"conditions,omitempty"`
	Containers []LiveContainer `json:"containers,omitempty"` // of a pod: those that have logs
	Compared   bool            `json:"compared"`             // with what is wanted
	Fields     []LiveField     `json:"fields,omitempty"`     // that are not as wanted
}

// LiveReadiness counts the replicas of an object.
type LiveReadiness struct {
	Ready  int `json:"ready"`
	Wanted int `json:"wanted"`
}

// LiveCondition is what a controller says of an object.
type LiveCondition struct {
	Type    string    `json:"type"`
	Status  string    `json:"status"`
	Reason  string    `json:"reason,omitempty"`
	Message string    `json:"message,omitempty"`
	Since   time.Time `json:"since,omitzero"`
}

// LiveContainer is a container of a pod.
type LiveContainer struct {
	Name     string `json:"name"`
	Image    string `json:"image"`
	State    string `json:"state"` // "running", or why it does not run
	Restarts int    `json:"restarts"`
}

// LiveField is a field with another value than the wanted one.
type LiveField struct {
	Path    string `json:"path"`
	Wanted  string `json:"wanted,omitempty"`  // "": the field is not wanted
	Live    string `json:"live,omitempty"`    // "": the field is not there
	Manager string `json:"manager,omitempty"` // that holds it now
}

// LiveEvent is what somebody told about an object.
type LiveEvent struct {
	Object  string    `json:"object"` // its kind and name
	Warning bool      `json:"warning,omitempty"`
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	Count   int       `json:"count"`
	Last    time.Time `json:"last,omitzero"`
}

// LogQuery selects the log of a container.
type LogQuery struct {
	Pod, Container string
	Previous       bool // of the container before its last restart
	Lines          int  // the last ones, to begin with
}

// NotLiveError is that nothing of an application has a name.
type NotLiveError struct{ Sentence string }

func (e *NotLiveError) Error() string { return e.Sentence }
