package explain

import (
	"fmt"
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
