package apply

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestRefusalsRepeatNoValue: whatever an API server, a rule of a definition or a webhook
// says about an object of any kind, the field and the rule are told and no value.
func TestRefusalsRepeatNoValue(t *testing.T) {
	const canary = "correcthorse-battery.staple"
	objects := map[string]map[string]any{
		"Deployment": {"metadata": map[string]any{"name": "web", "annotations": map[string]any{"note": canary}}, "spec": map[string]any{
			"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
				"name": "web", "image": "ghcr.io/acme/web:1", "args": []any{"--password", canary}, "env": []any{map[string]any{"name": "DB", "value": canary}}}}}}}},
		"ConfigMap": {"metadata": map[string]any{"name": "web"}, "data": map[string]any{"db": canary}},
		"Widget":    {"metadata": map[string]any{"name": "web"}, "spec": map[string]any{"door": canary}},
	}
	for kind, object := range objects {
		for _, said := range []string{
			"the value %s is too simple", "spec.door %s must not be a phrase", "db=%s", "found (%s)", "found %s, which is weak", "%s is no certificate", "postgres://web:%s@db:5432 is refused",
		} {
			said = fmt.Sprintf(said, canary)
			for _, s := range []metav1.Status{
				{Reason: metav1.StatusReasonInvalid, Message: said},
				{Reason: metav1.StatusReasonForbidden, Message: `admission webhook "a.b" denied the request: ` + said},
				{Reason: metav1.StatusReasonForbidden, Message: "ValidatingAdmissionPolicy 'a' with binding 'b' denied request: " + said},
				{Reason: metav1.StatusReasonInvalid, Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: "spec.door", Message: said}}}},
				{Reason: metav1.StatusReasonInvalid, Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: "spec[" + canary + "]", Message: "Invalid value: true: " + said}}}},
				{Reason: metav1.StatusReasonInternalError, Message: `failed calling webhook "a.b": ` + said},
				{Message: said},
			} {
				r := Ref{Kind: kind, Namespace: "acme", Name: "web"}
				_, field, sentence := refusal(r, &unstructured.Unstructured{Object: object}, &apierrors.StatusError{ErrStatus: s})
				for _, part := range []string{"horse", "battery", "staple"} {
					require.NotContains(t, field+" "+sentence, part)
				}
				require.Contains(t, sentence, kind+" acme/web: ", "names and our words stay")
			}
			_, _, sentence := refusal(Ref{Kind: kind, Name: "web"}, &unstructured.Unstructured{Object: object}, fmt.Errorf("encode: %s", said))
			require.NotContains(t, sentence, "battery")
		}
	}
	s := metav1.Status{Reason: metav1.StatusReasonForbidden, Message: `admission webhook "a.b" denied the request: web uses an image of ghcr.io/acme without a digest`}
	_, _, sentence := refusal(Ref{Kind: "Deployment", Namespace: "acme", Name: "web"}, &unstructured.Unstructured{Object: objects["Deployment"]}, &apierrors.StatusError{ErrStatus: s})
	require.Equal(t, "Deployment acme/web: the admission webhook a.b refuses it: web uses an image of ghcr.io/acme without a digest", sentence)
}
