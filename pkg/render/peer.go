package render

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/trait"
)

// peer returns what traits may know of a component that runs pods.
func (a *application) peer(component string) (trait.Peer, bool) {
	c, ok := a.spec.Component(component)
	if !ok || !c.Runs() {
		return trait.Peer{}, false
	}
	var of service
	if declared.Read(c.Properties, &of) != nil {
		of.Ports = nil // of another type, or refused where it is rendered
	}
	return trait.Peer{Name: ObjectName(a.Instance.App, component), Labels: a.selector(component), Ports: of.Ports}, true
}

// led returns the ports of a component that routes of other components lead to. Clients come in there, too.
func (a *application) led(component string) (all []listening) {
	to, _ := a.peer(component)
	for i := range a.spec.Components {
		for _, target := range trait.Beside(&a.spec.Components[i]) {
			if n := slices.IndexFunc(to.Ports, func(p declared.Port) bool { return p.Port == target.Port }); n >= 0 && target.Component == component {
				all = append(all, listening{to.Ports[n].Target(), to.Ports[n].Transport()})
			}
		}
	}
	return all
}
