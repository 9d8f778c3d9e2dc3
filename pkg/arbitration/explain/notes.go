package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// nameDomain says in which domain what stands together does, or that it stands in several.
func nameDomain(d *model.Decision, app *solve.App) {
	if !app.Granted() {
		return
	}
	for _, g := range app.Grants {
		comp, ok := app.Spec.Component(g.Component)
		if !ok || !comp.Gathers() || g.Replicas == 0 || g.Pool == "" {
			continue
		}
		over := comp.Placement.Together.Over
		if len(g.Domains) == 1 {
			d.Message += fmt.Sprintf("; it stands together in %s %s of pool %s", over, g.Domains[0], g.Pool)
			return
		}
		several := fmt.Sprintf("; no %s of pool %s had room for all when it was placed, so it stands in several: ", over, g.Pool)
		d.Message += strings.TrimSuffix(several+strings.Join(g.Domains, ", "), ": ")
		return
	}
}

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

// nameShares says of which devices an application has, or waits for, only shares: they are counted, and no more.
func (w *Writer) nameShares(d *model.Decision, app *solve.App) {
	if !slices.ContainsFunc(w.Names, isShares) || app.Spec == nil || !app.Granted() && app.Verdict != model.VerdictWaiting {
		return
	}
	shared := map[string]bool{}
	for i := range app.Spec.Components {
		for name := range app.Asks(app.Spec, &app.Spec.Components[i]).Devices {
			if device, ok := model.SharedDevice(name); ok {
				shared[device] = true
			}
		}
	}
	if len(shared) > 0 {
		d.Message += "; its shares of " + strings.Join(slices.Sorted(maps.Keys(shared)), " and ") + " are counted, and nothing isolates them from the others"
	}
}

// isShares reports whether a resource is the shares of a device.
func isShares(resource string) bool {
	_, ok := model.SharedDevice(resource)
	return ok
}
