package model

import "time"

// FailureLimit bounds Instance.Failures.
const FailureLimit = 20

// FailureCount counts the failures of a component for one reason.
type FailureCount struct {
	Component string    `json:"component"`
	Class     string    `json:"class"`
	Reason    string    `json:"reason"`
	ExitCode  int       `json:"exitCode,omitempty"` // of the last one
	Signal    int       `json:"signal,omitempty"`   // of the last one
	Count     int       `json:"count"`
	First     time.Time `json:"first"`
	Last      time.Time `json:"last"`

	// Workload and Restarts identify the last one that was counted.
	Workload Digest `json:"workload,omitempty"`
	Restarts int    `json:"restarts,omitempty"`

	// Recent are the times of the failures that count towards the threshold of the
	// application, the latest last, at most as many as the threshold.
	Recent []time.Time `json:"recent,omitempty"`
}
