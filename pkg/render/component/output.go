package component

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/trait"
)

// Output is what a component comes to.
type Output struct {
	Objects []*unstructured.Unstructured
	Keep    bool        // what runs of them stays as it is
	Sealed  string      // the encrypted file that has the values of the Secret, "" without one
	Listens []Listening // ports that its own application may call, and who connects to it
	Entries []Listening // ports that clients outside the cluster may call

	patches []trait.ObjectPatch // of the objects, by their owner
	token   bool                // its pods have the token of their account, for rights that policy allows
	class   string              // the runtime class of its pods, which policy allows
	host    bool                // its pods are processes of their node, which policy allows
}

// Listening is one port of pods.
type Listening struct {
	Port     int32
	Protocol corev1.Protocol
}

// At returns the port of pods that a declared port leads to.
func At(p declared.Port) Listening { return Listening{p.Target(), p.Transport()} }

func (o *Output) add(object runtime.Object) { o.Objects = append(o.Objects, Untyped(object)) }

// Untyped returns a typed object of Kubernetes without the fields that nobody gave a value. It
// panics for any other type.
func Untyped(object runtime.Object) *unstructured.Unstructured {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(fmt.Sprintf("render: convert %T: %v", object, err))
	}
	delete(content, "status")
	declared.Walk(content, func(object map[string]any) {
		for _, field := range unset {
			if m, isMap := object[field].(map[string]any); isMap && len(m) == 0 || object[field] == nil {
				delete(object, field)
			}
		}
	})
	return &unstructured.Unstructured{Object: content}
}

// unset are fields that the Go types of Kubernetes encode even without a value. To send
// them would claim their ownership.
var unset = []string{"creationTimestamp", "resources", "spec", "status", "strategy", "updateStrategy"}

// Outlives reports whether an object stays after its declaration is removed. Such an
// object does not count as part of the component, because it may be of an earlier one.
func Outlives(u *unstructured.Unstructured) bool {
	return u.GetKind() == "PersistentVolumeClaim" || u.GetAnnotations()[AnnotationPrune] == PruneKeep
}
