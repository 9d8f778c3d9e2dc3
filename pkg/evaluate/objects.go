package evaluate

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// An objectName is the name that the objects of a component have in the namespace
// that the applications of a tenant share.
type objectName struct {
	app  model.AppID
	name string
	at   string
}

func objectNames(a *model.Application, own *layer) (names []objectName) {
	if a.Policy.Namespace != "tenant" {
		return nil
	}
	for _, c := range a.Components {
		place, _ := own.where.find([]string{"application", "components", c.Name})
		names = append(names, objectName{a.ID, a.ID.Name + "-" + c.Name, place.label})
	}
	return names
}

// compareObjects finds the applications of a tenant whose objects would have the
// same names: component c of application a-b, and component b-c of application a.
func (t *part) compareObjects() {
	byName := map[string][]objectName{}
	for _, o := range t.objects {
		byName[o.name] = append(byName[o.name], o)
	}
	t.sameObjects = map[model.AppID]model.Problem{}
	for _, o := range t.objects {
		for _, other := range byName[o.name] {
			if _, known := t.sameObjects[o.app]; known || other.app == o.app {
				continue
			}
			t.sameObjects[o.app] = model.Problem{
				Code: codeSameObjects, Path: "application",
				Message: fmt.Sprintf("its objects would be named %s, like those of %s", o.name, other.app),
				Places:  []model.Place{{At: o.at, Note: o.app.String()}, {At: other.at, Note: other.app.String()}},
			}
		}
	}
	t.objects = nil // names are needed no longer
}

// sharedObjects refuses applications of a tenant whose objects would have the same names.
func (p *pass) sharedObjects() {
	refused := map[model.AppID]model.Problem{}
	for _, t := range p.parts {
		for app, problem := range t.sameObjects {
			refused[app] = problem
		}
	}
	p.refuse(refused)
}
