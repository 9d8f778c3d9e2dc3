package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/component"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// part has the objects of one component, or of a tenant.
type part struct {
	owner     string // the component, "" for the objects of a tenant
	labels    map[string]string
	commit    string
	workload  model.Digest
	release   model.Digest
	told      Told
	namespace string // of the objects without a namespace of their own
	keep      bool   // running objects stay as they are
	older     bool   // of the spec before the accepted one
	sealed    *Sealed
	objects   []*unstructured.Unstructured
}

// add adds a typed object of Kubernetes. It panics for any other type.
func (p *part) add(object runtime.Object) {
	p.objects = append(p.objects, component.Untyped(object))
}

// seal gives the objects of a part their labels, annotations, encoding and digest.
func (p *part) seal() []Object {
	sealed := make([]Object, len(p.objects))
	together := 0 // objects that count as the component
	for _, u := range p.objects {
		if !component.Outlives(u) {
			together++
		}
	}
	for i, u := range p.objects {
		if u.GetNamespace() == "" && p.namespace != "" {
			u.SetNamespace(p.namespace)
		}
		at := stage(u)
		if p.keep {
			sealed[i] = newObject(p.owner, anchor(u), at)
			sealed[i].Keep, sealed[i].older = true, p.older
			continue
		}
		u.SetLabels(component.Labelled(u.GetLabels(), p.labels))
		annotations := map[string]string{}
		if p.commit != "" {
			annotations[AnnotationCommit] = p.commit
		}
		if p.workload != "" && !component.Outlives(u) {
			annotations[AnnotationWorkload] = string(p.workload) + "." + strconv.Itoa(together)
			annotations[AnnotationRelease], annotations[AnnotationGrant] = string(p.release), p.told.String()
		}
		u.SetAnnotations(declared.Merge(u.GetAnnotations(), annotations))
		u.SetAnnotations(declared.Merge(u.GetAnnotations(), map[string]string{
			AnnotationApplied: string(model.DigestOf(u.Object)),
		}))
		sealed[i] = newObject(p.owner, u, at)
		sealed[i].Sealed, sealed[i].older = p.sealed, p.older
	}
	return sealed
}

func newObject(owner string, u *unstructured.Unstructured, stage int) Object {
	encoded, err := json.Marshal(u.Object)
	if err != nil {
		panic(fmt.Sprintf("render: encode %s: %v", manifest.Identity(u), err))
	}
	return Object{
		Component: owner, Object: u, JSON: encoded, Digest: model.DigestOfJSON(encoded), Stage: stage,
	}
}

// anchor returns the identity of u and nothing else, so that an object that is kept
// cannot be applied by mistake.
func anchor(u *unstructured.Unstructured) *unstructured.Unstructured {
	bare := &unstructured.Unstructured{}
	bare.SetGroupVersionKind(u.GroupVersionKind())
	bare.SetNamespace(u.GetNamespace())
	bare.SetName(u.GetName())
	return bare
}

// kept returns the identity of an object that stays as it is in the cluster.
func kept(owner, apiVersion, kind, namespace, name string) Object {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	u.SetNamespace(namespace)
	u.SetName(name)
	o := newObject(owner, u, stage(u))
	o.Keep = true
	return o
}

// stage returns the stage in which an object is applied. Configuration comes before
// workloads: a pod that starts too early would run the new template with old values.
func stage(u *unstructured.Unstructured) int {
	if kind := u.GetKind(); kind == "ClusterRoleBinding" || kind == "RoleBinding" && declared.Word(declared.Below(u.Object, "roleRef")["kind"]) == "Role" {
		return StageWorkload // the role comes first: the API server binds none that is not there
	}
	return StageOf(u.GroupVersionKind().GroupKind())
}

// StageOf returns the stage of the objects of a kind.
func StageOf(gk schema.GroupKind) int {
	switch kind := gk.String(); kind {
	case "Namespace", "CustomResourceDefinition.apiextensions.k8s.io":
		return StageScope
	default:
		if _, runs := manifest.Workloads[kind]; runs || kind == component.VirtualMachine || refersToWorkloads[kind] {
			return StageWorkload
		}
		return StageSupport
	}
}

// refersToWorkloads are kinds that are applied after the workloads they refer to.
var refersToWorkloads = map[string]bool{
	"HorizontalPodAutoscaler.autoscaling": true,
	"PodDisruptionBudget.policy":          true,
	"Ingress.networking.k8s.io":           true,
	"HTTPRoute.gateway.networking.k8s.io": true,
}

// inOrder sorts objects by stage, then identity.
func inOrder(objects []Object) []Object {
	slices.SortStableFunc(objects, func(a, b Object) int {
		return cmp.Or(
			cmp.Compare(a.Stage, b.Stage),
			strings.Compare(manifest.Identity(a.Object), manifest.Identity(b.Object)),
			strings.Compare(a.Object.GetNamespace(), b.Object.GetNamespace()),
		)
	})
	return objects
}
