package turn

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
)

// Requests joins what files of approvals ask with the commits that brought them, in the
// order of these. A file whose commit was not found asks nothing and is a problem.
func Requests(asked evaluate.Asked, origins []access.Origin) access.Requests {
	r := access.Requests{Removals: asked.Removals, Problems: slices.Clip(asked.Problems)}
	left := make(map[string]evaluate.Approval, len(asked.Approvals))
	for _, ap := range asked.Approvals {
		left[ap.File] = ap
	}
	for _, o := range origins {
		if ap, asks := left[o.File]; asks {
			delete(left, o.File)
			r.List = append(r.List, access.Request{App: ap.App, File: ap.File, Asks: ap.Commands, Commit: o.Commit, Brought: o.Brought})
		}
	}
	for _, ap := range asked.Approvals {
		if _, unfound := left[ap.File]; unfound {
			r.Problems = append(r.Problems, model.Problem{
				Code: access.CodeNoOrigin, Path: "approval", Tenant: ap.App.Tenant, App: ap.App.Name,
				Message: fmt.Sprintf("was committed more than %d commits ago, so that nobody knows who asks; commit it anew, or remove it", access.MaxOrigins),
				Places:  []model.Place{{At: ap.File + ":1:1"}},
			})
		}
	}
	return r
}
