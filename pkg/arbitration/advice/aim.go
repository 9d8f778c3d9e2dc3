package advice

import (
	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// aim is what an application lacks.
type aim int

const (
	nothing  aim = iota
	aPlace       // it waits or is rejected
	itsFull      // it runs degraded
	itsNewer     // its newer spec in Git is refused
)

// aimOf returns what an application lacks that advice may help with. What runs degraded and has to stay so for a
// while is helped by nothing until then.
func aimOf(c *solve.Case, app *solve.App) aim {
	switch {
	case app.Wanted == nil || app.Unusable != nil:
		return nothing
	case !app.Granted():
		if app.Incumbent() { // it is evicted in this pass
			return nothing
		}
		return aPlace
	case app.Refused != nil:
		if app.Refused.Reason == model.ReasonRolledBackSpec {
			return nothing
		}
		return itsNewer
	case app.Level > 0 && app.EvictAt.IsZero() && (!app.Incumbent() || !c.Now.Before(c.RestoredFrom(app))):
		return itsFull
	}
	return nothing
}

// reached reports whether an application of another arbitration has what it lacked.
func (m aim) reached(app *solve.App) bool {
	switch {
	case app == nil || !app.Granted():
		return false
	case m == itsFull:
		return app.Level == 0 && app.Refused == nil
	case m == itsNewer:
		return app.Refused == nil
	}
	return true
}
