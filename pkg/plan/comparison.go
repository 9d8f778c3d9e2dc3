package plan

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Comparison is the effect of a change of the fleet repo, and what it was found out from.
type Comparison struct {
	Before Side      `json:"from"`
	After  Side      `json:"to"`
	Status string    `json:"statusCommit,omitempty"` // of the status branch that says which applications run
	Now    time.Time `json:"now"`
	Notes  []string  `json:"notes"` // what it rests on, in sentences
	Changes

	Next model.Ledger `json:"-"` // what the next pass saves, if nothing else happens before it
}

// Side is one of the two states of the fleet repo that are compared.
type Side struct {
	Name   string `json:"name"`
	Commit string `json:"commit,omitempty"` // "" for files that are not committed
}
