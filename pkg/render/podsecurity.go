package render

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// restrict adds what the restricted Pod Security Standard asks of the pods of a component:
// no root, and no capabilities. Windows has none of these.
func restrict(p *pod) {
	if p.template.Spec.SecurityContext == nil {
		p.template.Spec.SecurityContext = &corev1.PodSecurityContext{}
	}
	p.template.Spec.SecurityContext.RunAsNonRoot = new(true)
	if p.main.SecurityContext != nil {
		p.main.SecurityContext.Capabilities = &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}
	}
}

// standards are those of the library with which the API server checks pods, too.
var standards = func() policy.Evaluator {
	e, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		panic("render: read the Pod Security Standards: " + err.Error())
	}
	return e
}()

// admitStandard refuses pods that the API server would refuse by the standard of the
// tenant, and names their fields. Without it the workload would be taken and its pods not.
func (a admission) admitStandard(path string, meta metav1.ObjectMeta, spec *corev1.PodSpec) error {
	if a.standard == model.PodSecurityBaseline {
		return nil // the other rules are as strict
	}
	level := api.LevelVersion{Level: api.Level(a.standard), Version: api.LatestVersion()}
	if r := policy.AggregateCheckResults(standards.EvaluatePod(level, &meta, spec)); !r.Allowed {
		return declared.Faultf(declared.CodeStandard, path, "has pods that the %s Pod Security Standard of the tenant refuses: %s", a.standard, r.ForbiddenDetail())
	}
	return nil
}
