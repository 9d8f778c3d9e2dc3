package main

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/render"
)

// objects renders what differs between two outcomes: the objects of each
// application as its grants have them once everything has started.
func (o *offline) objects(before, after *plan.Outcome, was, is *side) {
	marks := o.marks(before)
	for app, mark := range o.marks(after) {
		if marks[app] == mark {
			delete(marks, app) // the same objects follow
		} else {
			marks[app] = "differs"
		}
	}
	before.Objects = o.render(before, was, marks)
	after.Objects = o.render(after, is, marks)
}

// marks identify what the objects of each application and tenant follow from.
func (o *offline) marks(out *plan.Outcome) map[model.AppID]model.Digest {
	marks := map[model.AppID]model.Digest{}
	tenants, holders := map[string]model.Digest{}, out.Ledger.WithObjects()
	for i := range out.Fleet.Tenants {
		t := &out.Fleet.Tenants[i]
		tenants[t.Name] = model.DigestOf([]any{t.Quota, t.Policy.Namespace})
		marks[model.AppID{Tenant: t.Name}] = model.DigestOf([]any{tenants[t.Name], holders[t.Name]})
	}
	pools := model.DigestOf(out.Fleet.Platform.Pools)
	for i := range out.Ledger.Instances {
		if in := &out.Ledger.Instances[i]; in.Phase.Active() {
			grants := make([]model.Grant, len(in.Components))
			for n := range in.Components {
				grants[n] = in.Components[n].Grant
			}
			marks[in.App] = model.DigestOf([]any{in.Number, in.SpecDigest(), grants, tenants[in.App.Tenant], pools})
		}
	}
	return marks
}

// render renders the applications and tenants of a set.
func (o *offline) render(out *plan.Outcome, s *side, which map[model.AppID]model.Digest) (objects []plan.Object) {
	tenants, holders := map[string]*model.Tenant{}, out.Ledger.WithObjects()
	for i := range out.Fleet.Tenants {
		t := &out.Fleet.Tenants[i]
		tenants[t.Name] = t
		if _, ok := which[model.AppID{Tenant: t.Name}]; ok {
			objects = append(objects, objectsOf(render.Tenant(o.assessor.fleet, o.assessor.prefix, t, holders[t.Name]))...)
		}
	}
	for i := range out.Ledger.Instances {
		in := &out.Ledger.Instances[i]
		if _, ok := which[in.App]; !ok || !in.Phase.Active() || tenants[in.App.Tenant] == nil {
			continue
		}
		set, err := render.Application(render.Input{
			Fleet: o.assessor.fleet, Prefix: o.assessor.prefix, Instance: started(in), Tenant: tenants[in.App.Tenant],
			Pools: out.Fleet.Platform.Pools, Kustomizations: o.kustomizations(s, in.Spec),
		})
		if err != nil {
			o.note("the objects of %s cannot be told: %v", in.App, err)
			continue
		}
		objects = append(objects, objectsOf(set)...)
	}
	return objects
}

// started is an instance all of which runs, in the version of its spec.
func started(in *model.Instance) *model.Instance {
	all := *in
	all.Previous = nil
	all.Components = slices.Clone(in.Components)
	for i := range all.Components {
		s := &all.Components[i]
		s.Hold, s.Run, s.Spec, s.Workload, s.Beside = false, s.Grant.Replicas, "", "", nil
	}
	return &all
}

// kustomizations builds those of an application from the commit of its spec. They are
// nil if its files cannot be read.
func (o *offline) kustomizations(s *side, spec *model.Application) render.Kustomizations {
	files, err := fs.FS(s.files), error(nil)
	if spec.Commit != s.commit {
		files, err = s.at(spec.Commit)
	}
	if err != nil {
		return nil
	}
	dir, err := fs.Sub(files, appDirectory(spec.ID))
	if err != nil {
		return nil
	}
	built, err := render.Build(spec, dir, o.assessor.evaluator.Build)
	if err != nil {
		o.note("the objects of %s cannot be built: %v", spec.ID, err)
	}
	return built
}

// objectsOf takes from a set what is worth comparing.
func objectsOf(set render.Set) []plan.Object {
	list := make([]plan.Object, 0, len(set.Objects))
	for i := range set.Objects {
		u := set.Objects[i].Object
		o := plan.Object{
			App: set.App, Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(),
			Outlives: u.GetAnnotations()[render.AnnotationPrune] == render.PruneKeep || u.GetKind() == "PersistentVolumeClaim",
		}
		if !set.Objects[i].Keep {
			o.JSON = content(u)
		}
		list = append(list, o)
	}
	return list
}

// content encodes an object without what says only which commit it comes from or
// repeats the rest of it.
func content(u *unstructured.Unstructured) []byte {
	object := u.DeepCopy().Object
	forget(object)
	b, err := json.Marshal(object)
	if err != nil {
		return nil
	}
	return b
}

// forget drops the annotations that follow from the rest, of the object and of the
// pods that it makes.
func forget(v any) {
	object, ok := v.(map[string]any)
	if !ok {
		return
	}
	for key, value := range object {
		annotations, ok := value.(map[string]any)
		if key != "annotations" || !ok {
			forget(value)
			continue
		}
		for _, name := range []string{render.AnnotationCommit, render.AnnotationWorkload, render.AnnotationApplied} {
			delete(annotations, name)
		}
		if len(annotations) == 0 {
			delete(object, key)
		}
	}
}

// hideSecrets takes the values of secrets out of changes: who reads a plan may not
// read them.
func hideSecrets(changes []plan.ObjectChange) {
	hidden := json.RawMessage(`"(hidden)"`)
	for i := range changes {
		if changes[i].Kind != "Secret" {
			continue
		}
		for n := range changes[i].Fields {
			f := &changes[i].Fields[n]
			if !strings.HasPrefix(f.Path, "data") && !strings.HasPrefix(f.Path, "stringData") {
				continue
			}
			if f.Before != nil {
				f.Before = hidden
			}
			if f.After != nil {
				f.After = hidden
			}
		}
	}
}
