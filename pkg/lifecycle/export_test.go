package lifecycle

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// AdvanceAll does what Advance does, and takes no instance to be unchanged.
func AdvanceAll(ledger model.Ledger, fleet model.Fleet, ruling model.Ruling, seen model.Observation, now time.Time) model.Ledger {
	return advance(ledger, fleet, ruling, seen, now, func(*facts) bool { return false })
}
