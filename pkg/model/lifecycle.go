package model

import "time"

// Lifecycle declares how an application is ended and what its failures lead to.
type Lifecycle struct {
	Grace    time.Duration `json:"grace"`    // between asking a workload to end and ending it
	Deletion Deletion      `json:"deletion"` // whether its volumes are kept when it ends

	// OnFailure is what Threshold failures of one critical component within
	// Window lead to.
	OnFailure OnFailure     `json:"onFailure"`
	Threshold int           `json:"threshold"`
	Window    time.Duration `json:"window"`
	Backoff   Backoff       `json:"backoff"` // between restarts

	// Quarantine is how many failed starts in a row set the application aside,
	// so that it holds no capacity until its spec changes or the back-off ends.
	Quarantine int `json:"quarantine"`
}

// Deletion is the policy for the volumes of an application that has ended.
type Deletion string

const (
	DeletionKeepData   Deletion = "keep-data"
	DeletionDeleteData Deletion = "delete-data"
)

// OnFailure is what an application does about a component that fails too often.
type OnFailure string

const (
	OnFailureRestart   OnFailure = "restart" // after a pause
	OnFailureDegrade   OnFailure = "degrade"
	OnFailureRollback  OnFailure = "rollback"
	OnFailureTerminate OnFailure = "terminate"
)

// Backoff is a growing pause: Initial, then Factor times the last one, at most Max.
type Backoff struct {
	Initial time.Duration `json:"initial"`
	Factor  int           `json:"factor"`
	Max     time.Duration `json:"max"`
}

// After returns the pause before attempt n, counted from 1.
func (b Backoff) After(n int) time.Duration {
	pause := b.Initial
	for ; n > 1 && pause < b.Max && b.Factor > 1; n-- {
		if pause > b.Max/time.Duration(b.Factor) {
			return b.Max
		}
		pause *= time.Duration(b.Factor)
	}
	return min(pause, b.Max)
}
