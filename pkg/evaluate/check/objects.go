package check

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// An object is the name that the objects of a component have in the namespace that
// the applications of a tenant share.
type object struct {
	app       model.AppID
	component string
	name      string
}

// Objects returns the applications of one tenant whose objects would have the same
// names as those of another: component c of application a-b, and component b-c of
// application a. At returns the place of a component.
func Objects(apps []*model.Application, at func(app model.AppID, component string) string) map[model.AppID]model.Problem {
	var objects []object
	for _, a := range apps {
		if a.Policy.Namespace != "tenant" {
			continue
		}
		for _, c := range a.Components {
			objects = append(objects, object{a.ID, c.Name, a.ID.Name + "-" + c.Name})
		}
	}
	byName := make(map[string][]object, len(objects))
	for _, o := range objects {
		byName[o.name] = append(byName[o.name], o)
	}
	if len(byName) == len(objects) {
		return nil // as nearly always
	}
	place := func(o object) model.Place { return model.Place{At: at(o.app, o.component), Note: o.app.String()} }
	same := map[model.AppID]model.Problem{}
	for _, o := range objects {
		for _, other := range byName[o.name] {
			if _, known := same[o.app]; known || other.app == o.app {
				continue
			}
			same[o.app] = model.Problem{
				Code: catalogue.SameObjects, Path: "application",
				Message: fmt.Sprintf("its objects would be named %s, like those of %s", o.name, other.app),
				Places:  []model.Place{place(o), place(other)},
			}
		}
	}
	return same
}
