package component

import (
	"encoding/json"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/trait"
)

// Application is what the components of one spec have in common.
type Application struct {
	ID        model.AppID
	Spec      *model.Application
	Redacted  model.Application // Spec with digests in place of secret values
	Namespace string
	Standard  model.PodSecurity       // of the tenant
	Pools     []model.PoolSpec        // that the platform declares
	Built     map[string]build.Result // by Source.Key; nil: the files of the spec are not available
}

// ConfigName returns the name by which pods refer to the object of a config or secret
// component. Versions of an application with a workflow run side by side, so there the
// name has a digest of the data: each version keeps its own configuration until its
// last pod ends, and a rollback restores it.
func (a *Application) ConfigName(c *model.Component) string {
	name := ObjectName(a.ID, c.Name)
	if a.Spec.Workflow == nil {
		return name
	}
	return name + "-" + a.configuration([]string{c.Name}).Short()
}

// configuration digests the data of the named components, "" without names. Secrets
// count by the digests of their values: the status branch has nothing else of them,
// and a restart of the reconciler must change no pod.
func (a *Application) configuration(names []string) model.Digest {
	if len(names) == 0 {
		return ""
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	contents := map[string]any{}
	for _, name := range names {
		c, ok := a.Redacted.Component(name)
		if !ok {
			continue
		}
		var d data
		switch {
		case c.Type == "external-secret":
			contents[name] = c.Properties
		case declared.Read(c.Properties, &d) == nil:
			if d.Sops != "" {
				d.Source = c.Source
			}
			contents[name] = d
		}
	}
	return model.DigestOf(contents)
}

// Peer returns what traits may know of a component that runs pods.
func (a *Application) Peer(component string) (trait.Peer, bool) {
	c, ok := a.Spec.Component(component)
	if !ok || !c.Runs() {
		return trait.Peer{}, false
	}
	var of struct{ Ports []declared.Port }
	if json.Unmarshal(c.Properties, &of) != nil {
		of.Ports = nil // refused where it is rendered
	}
	return trait.Peer{Name: ObjectName(a.ID, component), Labels: Selector(a.ID, component), Ports: of.Ports}, true
}

// deletion returns the annotation of volumes that are deleted with their application,
// nil where they are kept. An update deletes no volume.
func (a *Application) deletion() map[string]string {
	if a.Spec.Lifecycle.Deletion != DeletionData || a.Spec.Policy.Deletion != DeletionData {
		return nil
	}
	return map[string]string{AnnotationDeletion: DeletionData}
}
