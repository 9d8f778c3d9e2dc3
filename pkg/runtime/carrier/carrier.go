// Package carrier knows which components each runtime adapter of this program carries. It is
// what is known of the adapters without a runtime at hand, so that a check of files, a plan
// and a pass refuse the same components.
package carrier

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Carrier is a runtime adapter.
type Carrier struct {
	Name    string
	Carried []Kind
}

// Kind is what components need of a runtime.
type Kind struct{ Runtime, OS string }

func (k Kind) String() string { return k.Runtime + " on " + k.OS }

// KindOf returns what a component needs.
func KindOf(c *model.Component) Kind {
	return Kind{cmp.Or(c.Runtime, "container"), cmp.Or(c.OS, "linux")}
}

// Kubernetes carries containers, and all configuration: what refers to it are containers.
var Kubernetes = Carrier{"kubernetes", []Kind{{"container", "linux"}, {"container", "windows"}}}

// All are the adapters of this program.
var All = []Carrier{Kubernetes}

// Carries returns why the adapter does not carry a component, nil if it does.
func (a Carrier) Carries(c *model.Component) error {
	if !c.Runs() || slices.Contains(a.Carried, KindOf(c)) {
		return nil
	}
	return fmt.Errorf("%s carries %s", a.Name, a.list())
}

func (a Carrier) list() string {
	kinds := make([]string, len(a.Carried))
	for i, k := range a.Carried {
		kinds[i] = k.String()
	}
	return strings.Join(kinds, ", ")
}

// Check returns why no adapter carries a component, nil if one does.
func Check(c *model.Component, adapters []Carrier) error {
	said := make([]string, len(adapters))
	for i, a := range adapters {
		err := a.Carries(c)
		if err == nil {
			return nil
		}
		said[i] = err.Error()
	}
	return fmt.Errorf("no runtime adapter carries %s; %s", KindOf(c), strings.Join(said, "; "))
}
