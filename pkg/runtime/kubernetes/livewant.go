package kubernetes

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// liveWant is what a ledger wants of an application.
type liveWant struct {
	namespace string
	objects   []render.Object // without those that are built from files of the fleet repo
	unknown   string          // why not all of them are known
}

// want renders what a ledger wants of an application. It opens no file of the fleet repo and runs no build of people's.
func (l *Live) want(ledger *model.Ledger, app model.AppID) (w liveWant) {
	found, ok := ledger.Find(app)
	if !ok || found.Spec == nil {
		return liveWant{unknown: "the status branch knows no accepted spec of it"}
	}
	w.namespace = render.Namespace(l.Prefix, app, found.Spec.Policy.Namespace)
	if !found.HasObjects() || ledger.Platform == nil {
		return w
	}
	tenant, known := model.Find(ledger.Tenants, app.Tenant)
	if !known {
		w.unknown = "the status branch knows no tenant of it"
		return w
	}
	inst, spec := *found, *found.Spec
	spec.Components = slices.DeleteFunc(slices.Clone(spec.Components), func(c model.Component) bool {
		built := c.Source != "" && c.Encrypted() == ""
		if built {
			w.unknown = "what components made of kustomizations and charts are to have stands in the fleet repo and is not compared"
		}
		return built
	})
	inst.Spec = &spec
	set, err := render.Application(render.Input{
		Fleet: l.Fleet, Prefix: l.Prefix, Instance: &inst, Tenant: tenant, Pools: ledger.Platform.Pools, Network: ledger.Platform.Network,
	})
	if err != nil {
		w.unknown = "what is wanted cannot be rendered: " + err.Error()
		return w
	}
	w.objects = slices.DeleteFunc(set.Objects, func(o render.Object) bool { return o.Keep })
	return w
}
