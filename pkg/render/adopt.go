package render

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// Unrendered returns a problem for each object that an application adopts by name and that
// is not in its set: it would be taken over for nothing.
func Unrendered(app *model.Application, set Set) (problems []model.Problem) {
	for i := range app.Adopt {
		a := &app.Adopt[i]
		if len(a.Selector) > 0 || slices.ContainsFunc(set.Objects, func(o Object) bool {
			return a.Takes(o.Object.GroupVersionKind().GroupKind().String(), o.Object.GetName(), nil)
		}) {
			continue
		}
		path := fmt.Sprint("adopt.", i)
		problems = append(problems, model.Problem{
			Code: declared.CodeAdoption, Path: "application." + path, Places: places(app.At, path), Tenant: app.ID.Tenant, App: app.ID.Name,
			Message: fmt.Sprintf("names %s, and no component brings an object of this kind and name", a),
		})
	}
	return problems
}
