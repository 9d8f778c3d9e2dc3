package trait

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "imagePull", Process: reading("imagePull", imagePull)})

// imagePull says when nodes pull images. Never is not among it: it would run what others pulled with
// rights of their own, and nothing else.
func imagePull(_ Context, when corev1.PullPolicy) (Patch, error) {
	if when != corev1.PullAlways && when != corev1.PullIfNotPresent {
		return Patch{}, declared.Faultf(declared.CodeUnreadable, "traits.imagePull", "is Always or IfNotPresent")
	}
	return Patch{Pod: Pod{Pull: when}}, nil
}
