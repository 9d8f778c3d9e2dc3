package check

import (
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
)

// Application checks the references of one application. Beside are the paths of the files
// beside the CUE files of its directory.
func Application(a *model.Application, beside []string, own *layer.Layer) (problems []model.Problem) {
	for i := range a.Components {
		if c := &a.Components[i]; c.Health != "" && carrier.Kubernetes.Carries(c) != nil {
			p := own.Blame(catalogue.Unreported, "application.components."+c.Name+".type", "stands for what no cluster carries, and definition "+c.Definition+" says of it what a cluster reports")
			p.Places = append(p.Places, model.Place{Note: "definitions.components." + c.Definition + ".health"})
			problems = append(problems, p)
		}
		r := references{app: a, c: &a.Components[i], beside: beside, own: own}
		r.check()
		problems = append(problems, r.problems...)
	}
	problems = append(problems, adoptions(a, own)...)
	if p, ok := cycle(a, own); ok {
		problems = append(problems, p)
	}
	return append(problems, checkWorkflow(a, own)...)
}

// cycle blames the first component that depends on itself through others.
func cycle(a *model.Application, own *layer.Layer) (model.Problem, bool) {
	dependsOn := map[string][]string{}
	for _, c := range a.Components {
		dependsOn[c.Name] = c.DependsOn
	}
	for _, c := range a.Components {
		trail := loop(c.Name, func(name string) []string { return dependsOn[name] })
		if len(trail) > 2 { // a dependency on itself is reported already
			return own.Blame(catalogue.Cycle, "application.components."+c.Name+".dependsOn",
				"waits for itself: "+strings.Join(trail, " → ")), true
		}
	}
	return model.Problem{}, false
}

// loop returns the shortest way along dependencies from a name back to itself, nil
// without one.
func loop(name string, dependsOn func(name string) []string) []string {
	before := map[string]string{} // the name that led to a name
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, next := range dependsOn(queue[0]) {
			if _, seen := before[next]; !seen {
				before[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	if _, ok := before[name]; !ok {
		return nil
	}
	trail := []string{name}
	for at := before[name]; at != name; at = before[at] {
		trail = append(trail, at)
	}
	trail = append(trail, name)
	slices.Reverse(trail)
	return trail
}
