package reconcile

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/turn"
)

// Approvals reads what people ask for: the files of approvals, and the commits that
// brought them. It judges nobody. It is for one goroutine at a time.
type Approvals struct {
	decided *evaluate.Evaluator
	last    []access.Request
}

// NewApprovals returns what reads approvals.
func NewApprovals(decided *evaluate.Evaluator) *Approvals { return &Approvals{decided: decided} }

// Requests returns what the files of an accepted commit ask, in the order of the
// commits that brought them. What was asked before is asked again for as long as its
// file is there. When the repository cannot be read, the requests are the last ones.
func (a *Approvals) Requests(snap source.Snapshot) access.Requests {
	asked := a.decided.Approvals(snap.Files)
	if len(asked.Approvals) == 0 {
		a.last = nil
		return access.Requests{Removals: asked.Removals, Problems: asked.Problems}
	}
	origins, err := snap.Origins("approvals")
	if err != nil {
		return access.Requests{List: a.last, Removals: asked.Removals, Problems: append(slices.Clip(asked.Problems), model.Problem{
			Code: access.CodeNoOrigin, Path: "approvals",
			Message: "cannot determine who made these requests; new ones are ignored until it can: " + err.Error(),
		})}
	}
	r := turn.Requests(asked, origins)
	a.last = r.List
	return r
}
