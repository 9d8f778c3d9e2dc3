package check

import (
	"strconv"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// adoptions blames entries that name neither one object nor labels, or both.
func adoptions(a *model.Application, own *layer.Layer) (problems []model.Problem) {
	for i := range a.Adopt {
		e := &a.Adopt[i]
		one, labels := e.Kind != "" && e.Name != "", len(e.Selector) > 0
		if one == labels || labels && e.Kind+e.Name != "" {
			problems = append(problems, own.Blame(catalogue.Adoption, "application.adopt."+strconv.Itoa(i),
				"names an object by kind and name, or objects by a selector with at least one label"))
		}
	}
	return problems
}
