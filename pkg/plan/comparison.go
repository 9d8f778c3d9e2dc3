package plan

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Comparison is the effect of a change of the fleet repo, with the inputs of the comparison.
type Comparison struct {
	Before Side      `json:"from"`
	After  Side      `json:"to"`
	Status string    `json:"statusCommit,omitempty"` // of the status branch with the running applications
	Now    time.Time `json:"now"`
	Notes  []string  `json:"notes"` // assumptions, as sentences
	Changes

	Next model.Ledger `json:"-"` // that the next pass saves if nothing else happens
}

// Side is one of the two states of the fleet repo that are compared.
type Side struct {
	Name   string `json:"name"`
	Commit string `json:"commit,omitempty"` // "" for files that are not committed
}
