package offline

import (
	"encoding/json"
	"maps"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/render"
)

// renderDifferences renders the objects of the applications and tenants that differ between two outcomes: as they are
// once everything granted has started. The inputs are those of the first outcome. A fleet has many objects, so each set is encoded and
// let go before the next one is made; only a caller that looks at clusters has those of the second outcome kept.
func (a *assessor) renderDifferences(was, is side, before, after *plan.Outcome, inputs map[model.AppID]model.Digest, keeps bool, n *notes) {
	differ := maps.Clone(inputs)
	for app, digest := range inputsOfObjects(after) {
		if differ[app] == digest {
			delete(differ, app)
		} else {
			differ[app] = digest
		}
	}
	a.sets = nil
	a.render(was.revision, before, differ, n, func(set render.Set) { before.Objects = append(before.Objects, objectsOf(set)...) })
	a.render(is.revision, after, differ, n, func(set render.Set) {
		after.Objects = append(after.Objects, objectsOf(set)...)
		if keeps {
			a.keep(set)
		}
	})
}

// inputsOfObjects returns a digest of the inputs of rendering for each application and tenant. Equal inputs give equal
// objects.
func inputsOfObjects(out *plan.Outcome) map[model.AppID]model.Digest {
	from := map[model.AppID]model.Digest{}
	tenants, holders := map[string]model.Digest{}, out.Ledger.WithObjects()
	for i := range out.Fleet.Tenants {
		t := &out.Fleet.Tenants[i]
		tenants[t.Name] = model.DigestOf([]any{t.Quota, t.Policy.Namespace, t.Isolation, t.PodSecurity, t.Policy.Exits})
		from[model.AppID{Tenant: t.Name}] = model.DigestOf([]any{tenants[t.Name], holders[t.Name]})
	}
	around := model.DigestOf([]any{out.Fleet.Platform.Pools, out.Fleet.Platform.Network})
	for i := range out.Ledger.Instances {
		if in := &out.Ledger.Instances[i]; in.Phase.Active() {
			from[in.App] = model.DigestOf([]any{in.Number, in.SpecDigest(), in.Grants(), tenants[in.App.Tenant], around})
		}
	}
	return from
}

// render renders the objects of some applications and tenants, and calls a function with the set of each.
func (a *assessor) render(r revision, out *plan.Outcome, which map[model.AppID]model.Digest, n *notes, made func(render.Set)) {
	holders := out.Ledger.WithObjects()
	for i := range out.Fleet.Tenants {
		t := &out.Fleet.Tenants[i]
		if _, ok := which[model.AppID{Tenant: t.Name}]; ok {
			made(render.Tenant(a.Fleet, a.Prefix, t, holders[t.Name]))
		}
	}
	for i := range out.Ledger.Instances {
		in := &out.Ledger.Instances[i]
		if _, ok := which[in.App]; ok && in.Phase.Active() {
			a.application(r, out.Fleet, in.Started(), n, made)
		}
	}
}

// keep keeps a set for the caller of the assessor.
func (a *assessor) keep(set render.Set) { a.sets = append(a.sets, set) }

// application renders the objects of an instance, and calls a function with them. Without its tenant there are none.
func (a *assessor) application(r revision, fleet model.Fleet, in *model.Instance, n *notes, made func(render.Set)) {
	tenant, ok := model.Find(fleet.Tenants, in.App.Tenant)
	if !ok {
		return
	}
	built, err := a.builds(r, in.Spec)
	if err != nil {
		n.add("the objects of %s cannot be built: %v", in.App, err)
	}
	set, err := render.Application(render.Input{
		Fleet: a.Fleet, Prefix: a.Prefix, Instance: in, Tenant: tenant,
		Pools: fleet.Platform.Pools, Network: fleet.Platform.Network, Builds: built,
	})
	if err != nil {
		n.add("the objects of %s cannot be told: %v", in.App, err)
		return
	}
	made(set)
}

// objectsOf converts rendered objects to those of a plan.
func objectsOf(set render.Set) []plan.Object {
	list := make([]plan.Object, 0, len(set.Objects))
	for i := range set.Objects {
		u := set.Objects[i].Object
		o := plan.Object{
			App: set.App, Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(),
			Disposed: u.GetAnnotations()[render.AnnotationDeletion] == render.DeletionData,
			Outlives: u.GetAnnotations()[render.AnnotationPrune] == render.PruneKeep || u.GetKind() == "PersistentVolumeClaim",
		}
		if !set.Objects[i].Keep {
			object := u.DeepCopy().Object
			dropDerived(object)
			o.JSON, _ = json.Marshal(object) // objects are decoded JSON
		}
		list = append(list, o)
		for _, name := range render.ClaimsOf(u) {
			list = append(list, plan.Object{
				App: o.App, Kind: "PersistentVolumeClaim", Namespace: o.Namespace, Name: name, Outlives: true, Disposed: o.Disposed, Made: true,
			})
		}
	}
	return list
}

// dropDerived removes the annotations that follow from the commit or from the rest of the object, also from pod
// templates.
func dropDerived(v any) {
	object, ok := v.(map[string]any)
	if !ok {
		return
	}
	for key, value := range object {
		annotations, ok := value.(map[string]any)
		if key != "annotations" || !ok {
			dropDerived(value)
			continue
		}
		for _, name := range []string{render.AnnotationCommit, render.AnnotationWorkload, render.AnnotationRelease, render.AnnotationGrant, render.AnnotationApplied} {
			delete(annotations, name)
		}
		if len(annotations) == 0 {
			delete(object, key)
		}
	}
}
