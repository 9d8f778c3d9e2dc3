package importing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// step adds a step to the workflow, under a name that no other has.
func (t *translation) step(name string, d doc) string {
	if t.app.workflow == nil {
		t.app.workflow = doc{}
	}
	steps := t.app.workflow.list("steps")
	base := cmp.Or(dnsName(name), "step")
	name = unused(strings.TrimRight(fmt.Sprintf("%.55s", base), "-"), func(name string) bool {
		return slices.ContainsFunc(steps, func(s any) bool { return s.(doc)["name"] == name })
	})
	d["name"] = name
	t.app.workflow["steps"] = append(steps, d)
	return name
}

// maxSteps is how many steps a workflow has at most.
const maxSteps = 50

// arrangeSteps gives the workflow its order, and takes it out if it says nothing.
func arrangeSteps(t *translation, parallel bool) {
	steps := t.app.workflow.list("steps")
	deploys, depends := false, false
	for _, s := range steps {
		s := s.(doc)
		deploys = deploys || s["type"] == "deploy" || s["type"] == "canary"
		depends = depends || s["dependsOn"] != nil
	}
	switch {
	case !deploys || len(steps) > maxSteps:
		t.app.workflow = nil
		if len(steps) > 0 {
			t.note("the workflow is not written: it deploys nothing, or has more than %d steps", maxSteps)
		}
	case len(steps) > 1 && !depends && parallel:
		t.app.workflow["order"] = "parallel"
	case len(steps) > 1 && !depends:
		t.app.workflow["order"] = "listed"
	}
}

// deployedBy returns the components of the application that nodes name, and keeps them.
func deployedBy(t *translation, names []*node) (list []any) {
	for _, n := range names {
		component, known := t.steps[n.string()]
		switch {
		case component != "":
			list = append(list, component)
			mark(kept, n)
		case known: // a Secret that somebody makes
			mark(kept, n)
		default:
			t.lose(n, because("names no component that was kept", "workflow: steps: components"))
		}
	}
	return list
}
