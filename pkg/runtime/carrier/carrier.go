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
	Name      string
	Carried   []Kind
	Types     []string // of components, nil: all
	Elsewhere bool     // it asks after what runs elsewhere, and carries nothing else
}

// Kind is what components need of a runtime.
type Kind struct{ Runtime, OS string }

func (k Kind) String() string { return k.Runtime + " on " + k.OS }

// KindOf returns what a component needs.
func KindOf(c *model.Component) Kind {
	return Kind{cmp.Or(c.Runtime, "container"), cmp.Or(c.OS, "linux")}
}

// Kubernetes carries containers, and all configuration: what refers to it are containers.
var Kubernetes = Carrier{Name: "kubernetes", Carried: []Kind{{"container", "linux"}, {"container", "windows"}}}

// KubeVirt carries virtual machines, in a cluster that has KubeVirt.
var KubeVirt = Carrier{Name: "kubevirt", Carried: []Kind{{"virtual-machine", "linux"}, {"virtual-machine", "windows"}}, Types: []string{"vm"}}

// InCluster are the adapters behind one API server: they share the objects and the inventory of an application.
var InCluster = []Carrier{Kubernetes, KubeVirt}

// Process carries programs that run as they are on hosts without a cluster.
var Process = Carrier{Name: "process", Carried: []Kind{{"process", "linux"}}, Types: []string{"worker", "job"}}

// Wasm carries WebAssembly modules that the machine of the reconciler runs.
var Wasm = Carrier{Name: "wasm", Carried: []Kind{{"wasm", "linux"}}, Types: []string{"worker", "job"}}

// Nomad carries containers that a cluster of Nomad places.
var Nomad = Carrier{Name: "nomad", Carried: []Kind{{"nomad", "linux"}}, Types: []string{"worker", "job"}}

// External asks after what runs elsewhere.
var External = Carrier{Name: "external", Elsewhere: true}

// All are the adapters of this program.
var All = []Carrier{Kubernetes, KubeVirt, Process, Wasm, Nomad, External}

// Carries returns why the adapter does not carry a component, nil if it does.
func (a Carrier) Carries(c *model.Component) error {
	carries := true
	switch {
	case c.Elsewhere() || a.Elsewhere:
		carries = c.Elsewhere() == a.Elsewhere
	case c.Runs():
		carries = slices.Contains(a.Carried, KindOf(c)) && (a.Types == nil || slices.Contains(a.Types, c.Type))
	}
	if carries {
		return nil
	}
	return fmt.Errorf("%s carries %s", a.Name, a.list())
}

// CarriesIn returns why the adapter does not carry a component in a pool that names its runtimes, nil if it does. Without
// a pool it is Carries.
func (a Carrier) CarriesIn(c *model.Component, pool *model.PoolSpec) error {
	if err := a.Carries(c); err != nil || pool == nil || !c.Runs() {
		return err
	}
	if runtime := KindOf(c).Runtime; !slices.Contains(pool.Runtimes, runtime) {
		return fmt.Errorf("the runtimes of pool %s are without %s", pool.Name, runtime)
	}
	return nil
}

func (a Carrier) list() string {
	if a.Elsewhere {
		return "what runs elsewhere"
	}
	kinds := make([]string, len(a.Carried))
	for i, k := range a.Carried {
		kinds[i] = k.String()
	}
	what := strings.Join(kinds, ", ")
	if a.Types != nil {
		what += " (" + strings.Join(a.Types, ", ") + ")"
	}
	return what
}

// Check returns why no adapter carries a component, nil if one does.
func Check(c *model.Component, adapters []Carrier) error {
	var said []string
	for _, a := range adapters {
		switch err := a.Carries(c); {
		case err == nil:
			return nil
		case !a.Elsewhere: // else it says nothing about what is to run here
			said = append(said, err.Error())
		}
	}
	return fmt.Errorf("no runtime adapter carries a %s of %s; %s", c.Type, KindOf(c), strings.Join(said, "; "))
}
