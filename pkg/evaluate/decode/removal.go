package decode

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// Removal returns the instances of one file of approvals/<tenant>/removals, in the order
// of the file.
func Removal(d layer.Document, tenant string) (all []model.InstanceID, problems []model.Problem) {
	if d.Problems != nil {
		return nil, d.Problems
	}
	var names []string
	if err := decode(d.JSON, &names); err != nil || len(names) == 0 {
		return nil, []model.Problem{d.Layer.Blame(catalogue.Required, "removal", "must name an instance, such as "+tenant+"/shop#3; `reconciler confirm-removal` writes it")}
	}
	for i, name := range names {
		path := fmt.Sprintf("removal.%d", i)
		id, err := model.ParseInstanceID(name)
		switch {
		case err != nil:
			problems = append(problems, d.Layer.Blame(catalogue.Removal, path, err.Error()))
		case id.App.Tenant != tenant:
			problems = append(problems, d.Layer.Blame(catalogue.Removal, path,
				fmt.Sprintf("is an instance of tenant %s; its removal is confirmed in approvals/%s/removals", id.App.Tenant, id.App.Tenant)))
		}
		all = append(all, id)
	}
	if problems != nil {
		return nil, problems
	}
	return all, nil
}
