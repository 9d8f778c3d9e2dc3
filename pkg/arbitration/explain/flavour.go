package explain

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// namePassed names the flavours that were not taken, with the reason of each.
func (w *Writer) namePassed(d *model.Decision, app *solve.App) {
	for _, p := range app.Passed {
		over := model.PassedOver{Pool: app.Spec.FlavourPools(p.Flavour), Why: w.Sentence(p.Short)}
		switch {
		case p.Findings != nil:
			over.Why = p.Refusal()
		case over.Why == "":
			over.Why = "finds no pool for its other components within its budget and its share of a pool"
		}
		d.PassedOver = append(d.PassedOver, over)
		if app.Verdict != model.VerdictRejected && !(app.Verdict == model.VerdictWaiting && p.Flavour == app.Variants.Numbers()[0]) {
			d.Message += fmt.Sprintf("; flavour %s is passed over: it %s", over.Pool, over.Why)
		}
	}
}
