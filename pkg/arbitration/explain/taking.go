package explain

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// taking records what an application that waits may take later, nil: that is not known, or it never may.
func (w *Writer) taking(t *solve.Taking) *model.Taking {
	if t == nil {
		return nil
	}
	r := &model.Taking{At: t.At.UTC().Round(0), Share: thousandths(t.Share), Within: t.Within}
	for _, v := range t.From {
		r.From = append(r.From, v.ID)
	}
	return r
}

// noRoom is why nobody gives way though policy allows it.
const noRoom = "what others would have to give up would not make room, would leave one of them with as little of its own, or has not run for its minRuntime"

// exceeding says what comes of an application that waits and exceeds the fair share of its tenant: nothing gives way for it,
// or nothing until a time.
func (w *Writer) exceeding(app *solve.App) string {
	n, after := w.Nodes[app.Tenant], solve.ExceedsAfter(&w.Fleet.Platform.Policy, app)
	sentence := fmt.Sprintf("admitting it would exceed tenant %s's fair share (%s), so nothing is preempted for it", n.Name, percent(n.FairShare))
	switch t := app.Takes; {
	case after <= 0 && solve.Exceeds(&w.Fleet.Platform.Policy, w.Books, app):
		return sentence + ", however long it waits (reserveAfter: 0s)"
	case t == nil:
		return sentence
	case t.Within > 0:
		soon := "by the next pass"
		if t.Within > 1 {
			soon = fmt.Sprintf("within the next %d passes", t.Within)
		}
		return sentence + fmt.Sprintf(" yet: from %s UTC on (reserveAfter: %s) it may take what leaves the outcome fairer; whether and of whom is worked out %s",
			hour(t.At, w.Now), after, soon)
	case t.From == nil:
		return sentence + ", also when it has waited for " + after.String() + " (reserveAfter): " + noRoom
	default:
		return sentence + fmt.Sprintf(" yet: at %s UTC (reserveAfter: %s) it may take from %s; tenant %s would then have %s of all capacity",
			hour(t.At, w.Now), after, text.Enumerate(w.taking(t).From, named), n.Name, percent(t.Share))
	}
}

// named is how many of those who give way a sentence names.
const named = 3
