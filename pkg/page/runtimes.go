package page

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// runTimes says what was learned of how long a component runs, "": nothing.
func runTimes(in *model.Instance, c *model.Component) string {
	r, ok := in.RuntimesOf(c)
	switch {
	case !ok:
		return ""
	case !r.Usable():
		return "its run times on record are none that were written so; they are learned anew"
	case r.Estimate() == 0:
		return ""
	case len(r.Took) < 10:
		return fmt.Sprintf("its last %d runs took at most %s", len(r.Took), r.Estimate())
	}
	return fmt.Sprintf("nine of ten of its last %d runs took at most %s", len(r.Took), r.Estimate())
}
