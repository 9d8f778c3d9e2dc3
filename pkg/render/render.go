package render

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// Input is all that the objects of one application depend on.
type Input struct {
	Fleet    string           // value of LabelFleet; separates fleets that share a cluster
	Prefix   string           // put before every namespace name, "" normally
	Instance *model.Instance  // its Spec is rendered; its Components limit how much of it may run
	Tenant   *model.Tenant    // that owns the application
	Pools    []model.PoolSpec // that grants refer to
	Network  model.Network    // of the platform
	Jobs     []StepJob        // of workflow steps

	Elsewhere map[string]bool // components whose objects another cluster has

	Builds Builds // of Instance.Spec; nil where no component needs them
	// Previous are those of Instance.Previous. Without them the objects of its
	// kustomizations stay as they are.
	Previous Builds
}

// Set has all objects of one application, or of one tenant, in a cluster.
type Set struct {
	App       model.AppID // Name is "" for the objects of a tenant
	Namespace string      // where its namespaced objects live
	Ledger    string      // id of the ledger that tells to carry it out; "" if that has none
	Revision  string      // of an assignment; "": nobody says
	Objects   []Object    // in order of stage, then of identity

	// DeleteData is set if the application has ended for good and its volumes with
	// AnnotationDeletion are deleted, too. Objects is empty then.
	DeleteData bool

	// Readers are the people who may read the objects of a tenant, by namespace.
	Readers map[string][]string

	// ReportConflicts is set if fields that others hold are reported and not taken back.
	ReportConflicts bool

	// Recreate is set if an object without data that cannot be changed is deleted and made anew.
	Recreate bool

	// Adopt names objects that others made and that are taken over.
	Adopt []model.Adoption

	// KeepSupport is set if a component runs a version that is not known any more.
	// Then no object that the component may refer to is pruned.
	KeepSupport bool
}

// Object is one object of the cluster, as declared.
type Object struct {
	Component string                     // that it belongs to, "" for the objects of a tenant
	Object    *unstructured.Unstructured // as it is sent, with labels and annotations; see Whole
	JSON      []byte                     // its encoding with sorted keys
	Digest    model.Digest               // of JSON as it was before Unseal
	Stage     int                        // everything of a lower stage is applied first

	// Keep is set if the live object stays as it is and is not pruned. Object has only
	// its identity then.
	Keep bool

	// Sealed is set for a Secret whose values an encrypted file has. Object lacks them.
	Sealed *Sealed

	older   bool // of the spec before the accepted one
	compact bool // see Set.Compact
}

// Sealed is a file of SOPS that has the values of a Secret.
type Sealed struct {
	File   string // its path in the application's directory
	Commit string // of the fleet repo
	Data   []byte // what it has there; nil before somebody has read it
}

// Stages of objects.
const (
	StageScope    = iota // namespaces and definitions
	StageSupport         // objects that workloads refer to: configuration, claims, quotas, services
	StageWorkload        // workloads, and objects that refer to them
)

// Application renders all components of an application instance that a cluster runs.
// An error of the declaration is an *Error. Then there is no set, because an incomplete
// one would prune objects that it lacks.
func Application(in Input) (Set, error) {
	if in.Instance.Spec == nil {
		return Set{}, fmt.Errorf("render %s: no spec was accepted", in.Instance.App)
	}
	v := newVersions(in)
	a := v[0]
	set := Set{App: in.Instance.App, Namespace: a.namespace, ReportConflicts: a.spec.Policy.Conflicts == model.ConflictsReport,
		Recreate: a.spec.Policy.Immutable == model.ImmutableRecreate, Adopt: a.spec.Adopt}
	var problems []model.Problem
	if reserved(a.namespace) {
		problems = append(problems, model.Problem{
			Code: declared.CodeNamespace, Path: "application", Tenant: a.spec.ID.Tenant, App: a.spec.ID.Name,
			Message: fmt.Sprintf("would land in namespace %s, which is reserved for the cluster and D-AROS itself", a.namespace),
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
			err = own(owner, newer)
		}
		if err != nil {
			problems = append(problems, problem(a.spec, name, err))
			continue
		}
		set.Objects = append(set.Objects, newer...)
	}
	// Objects of the spec before, and of configurations, give way to those of the
	// accepted spec: an object may have moved to another component.
	for _, o := range append(older, v.configurations()...) {
		if owner[manifest.Identity(o.Object)] != "" {
			continue
		}
		for _, id := range taken(o.Object) {
			owner[id] = o.Component
		}
		set.Objects = append(set.Objects, o)
	}
	for _, name := range v.names() {
		id := "Deployment.apps " + nextName(ObjectName(in.Instance.App, name))
		if other := owner[id]; a.spec.Workflow.Staged(name) && other != "" && other != name {
			problems = append(problems, problem(a.spec, name, declared.Faultf(declared.CodeName, "name",
				"needs %s for a newer version of it, which component %s has already", id, other)))
		}
	}
	if problems != nil {
		return Set{}, &Error{Problems: problems}
	}
	inOrder(set.Objects)
	return set, nil
}

// own records the owners of objects. Each object belongs to one component.
func own(owner map[string]string, objects []Object) error {
	for _, o := range objects {
		for _, id := range taken(o.Object) {
			if _, name, _ := strings.Cut(id, " "); strings.HasPrefix(name, declared.SystemNames) {
				return declared.Faultf(declared.CodeReserved, "name", "brings %s, a name which is reserved for the system; call the application or the component something else", id)
			}
			switch other, found := owner[id]; {
			case found && other == o.Component:
				return declared.Faultf(declared.CodeName, "properties", "brings %s twice", id)
			case found:
				return declared.Faultf(declared.CodeName, "properties", "brings %s, which component %s has already", id, other)
			}
			owner[id] = o.Component
		}
	}
	return nil
}
