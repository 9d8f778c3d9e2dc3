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
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
	"github.com/d-aros/d-aros/pkg/render/trait"
)

// part has the objects of one component, or of a tenant.
type part struct {
	component string
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
	patches   []trait.ObjectPatch // of them, by their owner
}

// add adds a typed object of Kubernetes. It panics for any other type.
func (p *part) add(object runtime.Object) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(fmt.Sprintf("render: convert %T: %v", object, err))
	}
	delete(content, "status")
	dropUnset(content)
	p.objects = append(p.objects, &unstructured.Unstructured{Object: content})
}

// unset are fields that the Go types of Kubernetes encode even without a value. To send
// them would claim their ownership.
var unset = []string{"creationTimestamp", "resources", "spec", "status", "strategy", "updateStrategy"}

func dropUnset(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, field := range unset {
			if inner, ok := v[field]; ok {
				if m, isMap := inner.(map[string]any); inner == nil || isMap && len(m) == 0 {
					delete(v, field)
				}
			}
		}
		for _, inner := range v {
			dropUnset(inner)
		}
	case []any:
		for _, inner := range v {
			dropUnset(inner)
		}
	}
}

// seal gives the objects of a part their labels, annotations, encoding and digest.
func (p *part) seal() []Object {
	sealed := make([]Object, len(p.objects))
	together := 0 // objects that count as the component
	for _, u := range p.objects {
		if !outlives(u) {
			together++
		}
	}
	for i, u := range p.objects {
		if u.GetNamespace() == "" && p.namespace != "" {
			u.SetNamespace(p.namespace)
		}
		at := stage(u)
		if p.keep {
			sealed[i] = newObject(p.component, anchor(u), at)
			sealed[i].Keep, sealed[i].older = true, p.older
			continue
		}
		u.SetLabels(labelled(u.GetLabels(), p.labels))
		annotations := map[string]string{}
		if p.commit != "" {
			annotations[AnnotationCommit] = p.commit
		}
		if p.workload != "" && !outlives(u) {
			annotations[AnnotationWorkload] = string(p.workload) + "." + strconv.Itoa(together)
			annotations[AnnotationRelease], annotations[AnnotationGrant] = string(p.release), p.told.String()
		}
		u.SetAnnotations(declared.Merge(u.GetAnnotations(), annotations))
		u.SetAnnotations(declared.Merge(u.GetAnnotations(), map[string]string{
			AnnotationApplied: string(model.DigestOf(u.Object)),
		}))
		sealed[i] = newObject(p.component, u, at)
		sealed[i].Sealed, sealed[i].older = p.sealed, p.older
	}
	return sealed
}

// outlives reports whether an object stays after its declaration is removed. Such an
// object does not count as part of the component, because it may be of an earlier one.
func outlives(u *unstructured.Unstructured) bool {
	return u.GetKind() == "PersistentVolumeClaim" || u.GetAnnotations()[AnnotationPrune] == PruneKeep
}

func newObject(component string, u *unstructured.Unstructured, stage int) Object {
	encoded, err := json.Marshal(u.Object)
	if err != nil {
		panic(fmt.Sprintf("render: encode %s: %v", manifest.Identity(u), err))
	}
	return Object{
		Component: component, Object: u, JSON: encoded, Digest: model.DigestOf(json.RawMessage(encoded)), Stage: stage,
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
func kept(component, apiVersion, kind, namespace, name string) Object {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	u.SetNamespace(namespace)
	u.SetName(name)
	o := newObject(component, u, stage(u))
	o.Keep = true
	return o
}

// labelled adds our labels to those of the owner, who may override the two name labels.
func labelled(theirs, ours map[string]string) map[string]string {
	labels := declared.Merge(theirs, ours)
	for _, key := range []string{LabelName, LabelPartOf} {
		if name, said := theirs[key]; said {
			labels[key] = name
		}
	}
	return labels
}

// stage returns the stage in which an object is applied. Configuration comes before
// workloads: a pod that starts too early would run the new template with old values.
func stage(u *unstructured.Unstructured) int {
	if u.GetKind() == "RoleBinding" && declared.Word(declared.Below(u.Object, "roleRef")["kind"]) == "Role" {
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
		if _, runs := manifest.Workloads[kind]; runs || kind == VirtualMachine || refersToWorkloads[kind] {
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
