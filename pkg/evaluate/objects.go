package evaluate

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// An objectName is the name that the objects of a component have in the namespace
// that the applications of a tenant share.
type objectName struct {
	of        *declared
	component string
	name      string
}

func objectNames(of *declared) (names []objectName) {
	if of.result.application.Policy.Namespace != "tenant" {
		return nil
	}
	for _, c := range of.result.application.Components {
		names = append(names, objectName{of, c.Name, of.app.Name + "-" + c.Name})
	}
	return names
}

// place is where the component is declared.
func (o objectName) place() model.Place {
	e, _ := o.of.result.own().where.find([]string{"application", "components", o.component})
	return model.Place{At: e.label, Note: o.of.app.String()}
}

// compareObjects finds the applications of a tenant whose objects would have the
// same names: component c of application a-b, and component b-c of application a.
func (t *part) compareObjects() {
	defer func() { t.objects = nil }() // names are needed no longer
	names := make(map[string]struct{}, len(t.objects))
	for _, o := range t.objects {
		names[o.name] = struct{}{}
	}
	if len(names) == len(t.objects) {
		return // as nearly always
	}
	byName := map[string][]objectName{}
	for _, o := range t.objects {
		byName[o.name] = append(byName[o.name], o)
	}
	t.sameObjects = map[model.AppID]model.Problem{}
	for _, o := range t.objects {
		for _, other := range byName[o.name] {
			if _, known := t.sameObjects[o.of.app]; known || other.of == o.of {
				continue
			}
			t.sameObjects[o.of.app] = model.Problem{
				Code: codeSameObjects, Path: "application",
				Message: fmt.Sprintf("its objects would be named %s, like those of %s", o.name, other.of.app),
				Places:  []model.Place{o.place(), other.place()},
			}
		}
	}
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
