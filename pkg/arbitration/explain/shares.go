package explain

import (
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

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
