package render

import "github.com/d-aros/d-aros/pkg/model"

// configurations renders the objects that pods refer to by a name with a digest, of all
// versions. They do not count as objects of their component.
func (v versions) configurations() (objects []Object) {
	for _, a := range v {
		if a.spec.Workflow == nil {
			continue
		}
		for i := range a.spec.Components {
			c := &a.spec.Components[i]
			if c.Configures() == "" {
				continue
			}
			w := a.workload(c, model.ComponentState{Grant: model.Grant{Component: c.Name}})
			w.Name, w.out.workload = a.common.ConfigName(c), ""
			if w.render() == nil { // an error is reported for the component itself
				objects = append(objects, w.out.seal()...)
			}
		}
	}
	return objects
}
