package model

import "time"

// SourceState is what the ledger says of the fleet repo besides its commit.
type SourceState struct {
	// Replaced is the commit that was in force before, if the present one does not
	// follow from it: the branch was moved back or rewritten.
	Replaced string `json:"replaced,omitempty"`

	Unread *Unread `json:"unread,omitempty"` // nil: it can be read

	// Left is how many applications of the commit have no record yet: the next saves
	// bring these. It is 0 but while thousands start for the first time.
	Left int `json:"left,omitempty"`
}

// Unread says that the fleet repo could not be read for a while.
type Unread struct {
	Since time.Time `json:"since"` // when it was read last or, where nobody knows, tried first
	Cause string    `json:"cause"`
}
