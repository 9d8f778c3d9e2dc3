package manifest

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// standards are those of the library with which the API server checks pods, too.
var standards = func() policy.Evaluator {
	e, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		panic("manifest: read the Pod Security Standards: " + err.Error())
	}
	return e
}()

// AdmitStandard refuses pods that the API server would refuse by the standard of the
// tenant, and names their fields. Without it the workload would be taken and its pods not.
func (a Admission) AdmitStandard(path string, meta metav1.ObjectMeta, spec *corev1.PodSpec) error {
	if a.Standard == model.PodSecurityBaseline {
		return nil // the other rules are as strict
	}
	level := api.LevelVersion{Level: api.Level(a.Standard), Version: api.LatestVersion()}
	if r := policy.AggregateCheckResults(standards.EvaluatePod(level, &meta, spec)); !r.Allowed {
		return declared.Faultf(declared.CodeStandard, path, "has pods that the %s Pod Security Standard of the tenant refuses: %s", a.Standard, r.ForbiddenDetail())
	}
	return nil
}
