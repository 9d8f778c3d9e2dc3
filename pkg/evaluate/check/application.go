package check

import (
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// Application checks the references of one application, and returns the hosts that it
// wants. Beside are the paths of the files beside the CUE files of its directory.
func Application(a *model.Application, beside []string, own *layer.Layer) (hosts []Host, problems []model.Problem) {
	for i := range a.Components {
		r := references{app: a, c: &a.Components[i], beside: beside, own: own}
		r.check()
		hosts = append(hosts, r.hosts...)
		problems = append(problems, r.problems...)
	}
	if p, ok := cycle(a, own); ok {
		problems = append(problems, p)
	}
	return hosts, append(problems, checkWorkflow(a, own)...)
}

// cycle finds components that depend on each other.
func cycle(a *model.Application, own *layer.Layer) (model.Problem, bool) {
	const visiting, done = 1, 2
	state := map[string]int{}
	var trail, found []string
	var visit func(name string)
	visit = func(name string) {
		c, ok := a.Component(name)
		if !ok || found != nil || state[name] == done {
			return
		}
		trail = append(trail, name)
		if state[name] == visiting {
			found = slices.Clone(trail[slices.Index(trail, name):])
			return
		}
		state[name] = visiting
		for _, next := range c.DependsOn {
			visit(next)
		}
		state[name] = done
		trail = trail[:len(trail)-1]
	}
	for i := range a.Components {
		visit(a.Components[i].Name)
	}
	if len(found) <= 2 { // a dependency on itself is reported already
		return model.Problem{}, false
	}
	return own.Blame(catalogue.Cycle, "application.components."+found[0]+".dependsOn",
		"waits for itself: "+strings.Join(found, " → ")), true
}
