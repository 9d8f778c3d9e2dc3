package render

import (
	"fmt"
	"io/fs"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
)

// Input is all that the objects of one application follow from.
type Input struct {
	Fleet    string           // value of LabelFleet; separates fleets that share a cluster
	Prefix   string           // put before every namespace name, "" normally
	Instance *model.Instance  // its Spec is what is rendered, its Components how much of it may run
	Tenant   *model.Tenant    // whose it is
	Pools    []model.PoolSpec // that grants refer to
	Files    fs.FS            // the application's directory at Instance.Spec.Commit; nil where no component needs it
}

// Set is the whole of what one application, or one tenant, has in a cluster.
type Set struct {
	App       model.AppID // Name is "" for the objects of a tenant
	Namespace string      // where its namespaced objects live
	Objects   []Object    // in order of stage, then of identity
}

// Object is one object as it is to be in the cluster.
type Object struct {
	Component string                     // that it belongs to, "" for the objects of a tenant
	Object    *unstructured.Unstructured // what is sent, with labels and annotations
	JSON      []byte                     // its encoding, keys sorted
	Digest    model.Digest               // of JSON
	Stage     int                        // everything of a lower stage is applied first

	// Keep says that only the identity of Object means something: the live
	// object stays as it is, and is not pruned.
	Keep bool
}

// Stages of objects.
const (
	StageScope    = iota // namespaces and definitions: what others live in
	StageSupport         // what workloads refer to: configuration, claims, quotas, services
	StageWorkload        // what runs, and what points at it
)

// Application renders an application instance, all components that a cluster
// carries. An error is an *Error: it blames the declaration, and then there is
// no set at all, because an incomplete one would prune what it lacks.
func Application(in Input) (Set, error) {
	if in.Instance.Spec == nil {
		return Set{}, fmt.Errorf("render %s: no spec was accepted", in.Instance.App)
	}
	a := newApplication(in, in.Instance.Spec)
	set := Set{App: in.Instance.App, Namespace: a.namespace}
	var problems []model.Problem
	if reserved(a.namespace) {
		problems = append(problems, model.Problem{
			Code: CodeNamespace, Path: "application", Tenant: a.spec.ID.Tenant, App: a.spec.ID.Name,
			Message: fmt.Sprintf("would land in namespace %s, which belongs to the cluster itself", a.namespace),
		})
	}
	owner := map[string]string{} // of object identities
	for i := range a.spec.Components {
		c := &a.spec.Components[i]
		objects, err := a.component(c)
		if err == nil {
			err = claim(owner, objects)
		}
		if err != nil {
			problems = append(problems, problem(a.spec, c.Name, err))
			continue
		}
		set.Objects = append(set.Objects, objects...)
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
