package render

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
)

// Input is all that the objects of one application follow from.
type Input struct {
	Fleet    string           // value of LabelFleet; separates fleets that share a cluster
	Prefix   string           // put before every namespace name, "" normally
	Instance *model.Instance  // its Spec is rendered, its Components bound how much of it may run
	Tenant   *model.Tenant    // whose it is
	Pools    []model.PoolSpec // that grants refer to
	Jobs     []StepJob        // that steps of the workflow ask for

	Kustomizations Kustomizations // of Instance.Spec; nil where no component needs them
	// Previous are those of Instance.Previous. Where they are not at hand, the objects
	// that follow from them stay as they are.
	Previous Kustomizations
}

// Set has all objects that one application, or one tenant, has in a cluster.
type Set struct {
	App       model.AppID // Name is "" for the objects of a tenant
	Namespace string      // where its namespaced objects live
	Objects   []Object    // in order of stage, then of identity

	// DeleteData says that the application has ended for good and its volumes go
	// with it: those that carry AnnotationDeletion. Objects is empty then.
	DeleteData bool

	// KeepSupport says that something runs in a version that is not known any more:
	// nothing is pruned that it may refer to.
	KeepSupport bool
}

// Object is one object as it is to be in the cluster.
type Object struct {
	Component string                     // that it belongs to, "" for the objects of a tenant
	Object    *unstructured.Unstructured // as it is sent, with labels and annotations
	JSON      []byte                     // its encoding, keys sorted
	Digest    model.Digest               // of JSON
	Stage     int                        // everything of a lower stage is applied first

	// Keep says that only the identity of Object means something: the live
	// object stays as it is, and is not pruned.
	Keep bool

	older bool // of the spec before the accepted one
}

// Stages of objects.
const (
	StageScope    = iota // namespaces and definitions
	StageSupport         // objects that workloads refer to: configuration, claims, quotas, services
	StageWorkload        // workloads, and objects that refer to them
)

// Application renders an application instance, all components that a cluster
// carries. An error is an *Error: it blames the declaration, and then there is
// no set at all, because an incomplete one would prune what it lacks.
func Application(in Input) (Set, error) {
	if in.Instance.Spec == nil {
		return Set{}, fmt.Errorf("render %s: no spec was accepted", in.Instance.App)
	}
	v := newVersions(in)
	a := v[0]
	set := Set{App: in.Instance.App, Namespace: a.namespace}
	var problems []model.Problem
	if reserved(a.namespace) {
		problems = append(problems, model.Problem{
			Code: CodeNamespace, Path: "application", Tenant: a.spec.ID.Tenant, App: a.spec.ID.Name,
			Message: fmt.Sprintf("would land in namespace %s, which belongs to the cluster itself", a.namespace),
		})
	}
	set.KeepSupport = v.unknown()
	owner := map[string]string{} // of object identities
	var older []Object
	for _, name := range v.names() {
		objects, err := v.component(name)
		for _, j := range in.Jobs {
			if j.Component == name && err == nil {
				var more []Object
				more, err = v.stepJob(j)
				objects = unite(objects, more)
			}
		}
		newer := slices.DeleteFunc(slices.Clone(objects), func(o Object) bool { return o.older })
		older = append(older, slices.DeleteFunc(objects, func(o Object) bool { return !o.older })...)
		if err == nil {
			err = claim(owner, newer)
		}
		if err != nil {
			problems = append(problems, problem(a.spec, name, err))
			continue
		}
		set.Objects = append(set.Objects, newer...)
	}
	// What the spec before brings, and configuration by content, gives way: an object
	// may have gone over to another component.
	for _, o := range append(older, v.configurations()...) {
		if id := identity(o.Object); owner[id] == "" {
			owner[id] = o.Component
			set.Objects = append(set.Objects, o)
		}
	}
	for _, name := range v.names() {
		id := "Deployment.apps " + nextName(ObjectName(in.Instance.App, name))
		if other := owner[id]; a.isStaged(name) && other != "" && other != name {
			problems = append(problems, problem(a.spec, name, faultf(CodeName, "name",
				"needs %s for a newer version of it, which component %s has already", id, other)))
		}
	}
	if problems != nil {
		return Set{}, &Error{Problems: problems}
	}
	inOrder(set.Objects)
	return set, nil
}

// claim records whose the objects are. Each belongs to one component.
func claim(owner map[string]string, objects []Object) error {
	for _, o := range objects {
		id := identity(o.Object)
		if other, taken := owner[id]; taken {
			if other == o.Component {
				return faultf(CodeName, "properties", "brings %s twice", id)
			}
			return faultf(CodeName, "properties", "brings %s, which component %s has already", id, other)
		}
		owner[id] = o.Component
	}
	return nil
}
