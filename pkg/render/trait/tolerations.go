package trait

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

var _ = register(Trait{Name: "tolerations", Machines: true, Process: reading("tolerations", tolerations)})

// toleration is one taint that pods tolerate.
type toleration struct {
	Key    string             `json:"key"`
	Value  *string            `json:"value"`
	Effect corev1.TaintEffect `json:"effect"`
	Stay   string             `json:"stay"`
}

// tolerations lets pods run on nodes with taints, each by its key.
func tolerations(_ Context, all []toleration) (patch Patch, err error) {
	for i, t := range all {
		path := fmt.Sprintf("traits.tolerations.%d", i)
		if t.Key == "" {
			return patch, declared.Faultf(declared.CodeUnreadable, path+".key", "is missing: nodes are kept free for reasons")
		}
		rendered := corev1.Toleration{Key: t.Key, Operator: corev1.TolerationOpExists, Effect: t.Effect}
		if t.Value != nil {
			rendered.Operator, rendered.Value = corev1.TolerationOpEqual, *t.Value
		}
		if t.Stay != "" {
			if t.Effect != corev1.TaintEffectNoExecute {
				return patch, declared.Faultf(declared.CodeConflict, path+".stay", "is for the effect NoExecute: no other taint ends pods")
			}
			n, err := declared.Seconds(path+".stay", t.Stay)
			if err != nil {
				return patch, err
			}
			rendered.TolerationSeconds = &n
		}
		patch.Pod.Tolerations = append(patch.Pod.Tolerations, rendered)
	}
	return patch, nil
}
