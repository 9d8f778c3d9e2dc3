package apply

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/texttest"
)

// answers are what API servers and webhooks say.
var answers = []struct {
	name   string
	reason metav1.StatusReason
	said   string
	causes []metav1.StatusCause
	want   model.Reason
	says   string
}{
	{"selector", metav1.StatusReasonInvalid, `Deployment.apps "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"hunter2"}}: field is immutable`,
		[]metav1.StatusCause{{Field: "spec.selector", Message: `Invalid value: {"matchLabels":{"app":"hunter2"}}: field is immutable`}},
		model.OutcomeImmutable, "Deployment acme/web: spec.selector cannot be changed after creation; delete the object or choose another name"},
	{"stateful set", metav1.StatusReasonInvalid, `StatefulSet.apps "db" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'template' are forbidden`,
		[]metav1.StatusCause{{Field: "spec", Message: `Forbidden: updates to statefulset spec for fields other than 'replicas', 'template' are forbidden`}},
		model.OutcomeImmutable, "Deployment acme/web: spec cannot be changed after creation; delete the object or choose another name"},
	{"two causes", metav1.StatusReasonInvalid, "", []metav1.StatusCause{
		{Field: "spec.template.spec.containers[0].image", Message: "Required value"},
		{Field: "spec.selector", Message: `Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"hunter2"}}: field is immutable`}},
		model.OutcomeInvalid, "Deployment acme/web: the API server finds it invalid: spec.template.spec.containers[0].image: Required value, and 1 more problem; correct it in Git"},
	{"value", metav1.StatusReasonInvalid, "", []metav1.StatusCause{{Field: "spec.ports[0].port", Message: "Invalid value: 70000: must be between 1 and 65535, inclusive"}},
		model.OutcomeInvalid, "Deployment acme/web: the API server finds it invalid: spec.ports[0].port: Invalid value: must be between 1 and 65535, inclusive; correct it in Git"},
	{"typed patch", metav1.StatusReasonUnknown, `failed to create typed patch object (acme/web; apps/v1, Kind=Deployment): .spec.replicass: field not declared in schema`, nil,
		model.OutcomeInvalid, "Deployment acme/web: the API server finds it invalid: failed to create typed patch object (acme/web; apps/v1, Kind=… .spec.replicass: field not declared in schema; correct it in Git"},
	{"quota", metav1.StatusReasonForbidden, `pods "web" is forbidden: exceeded quota: acme, requested: requests.cpu=2,limits.cpu=500m, used: requests.cpu=1, limited: requests.cpu=2`, nil,
		model.OutcomeQuotaExceeded, "Deployment acme/web: a resource quota of the namespace is exceeded: pods … is forbidden: exceeded quota: acme, requested: requests.cpu=2,limits.cpu=500m, used: requests.cpu=1, limited: requests.cpu=2"},
	{"no right", metav1.StatusReasonForbidden, `ingresses.networking.k8s.io "web" is forbidden: User "system:serviceaccount:daros:reconciler" cannot patch resource "ingresses" in API group "networking.k8s.io" in the namespace "acme"`, nil,
		model.OutcomeForbidden, "Deployment acme/web: the API server forbids it: ingresses.networking.k8s.io … is forbidden: User … cannot patch resource … in API group … in the namespace …"},
	{"policy", metav1.StatusReasonInvalid, `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'images' with binding 'images' denied request: images come from our registry`, nil,
		model.OutcomeForbidden, "Deployment acme/web: the API server forbids it: deployments.apps … is forbidden: ValidatingAdmissionPolicy … with binding … denied request: images come from our registry"},
	{"webhook", metav1.StatusReasonForbidden, `admission webhook "policy.example.com" denied the request: don't use the tag "latest", token hunter2 password=hunter2`, nil,
		model.OutcomeWebhookRefused, "Deployment acme/web: the admission webhook policy.example.com refuses it: don't use the tag …, token … password=…"},
	{"webhook away", metav1.StatusReasonInternalError, `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.daros.svc:443/?timeout=10s": context deadline exceeded`, nil,
		model.OutcomeWebhookTimeout, "Deployment acme/web: the admission webhook policy.example.com does not answer: it has to be repaired, the object is not to blame"},
	{"conflict", metav1.StatusReasonConflict, "the object has been modified", nil, model.OutcomeConflict, "Deployment acme/web: it was changed by somebody else at the same moment"},
	{"namespace ends", metav1.StatusReasonForbidden, "unable to create new content in namespace acme because it is being terminated", nil,
		model.OutcomeConflict, "Deployment acme/web: its namespace is being deleted"},
	{"namespace missing", metav1.StatusReasonNotFound, `namespaces "acme" not found`, nil, model.OutcomeRefused, "Deployment acme/web: something it needs does not exist: namespaces … not found"},
	{"too busy", metav1.StatusReasonTooManyRequests, "too many requests", nil, "", "Deployment acme/web: the API server answers: too many requests"},
}

func TestRefusals(t *testing.T) {
	r := Ref{Group: "apps", Kind: "Deployment", Namespace: "acme", Name: "web"}
	for _, a := range answers {
		t.Run(a.name, func(t *testing.T) {
			err := &apierrors.StatusError{ErrStatus: metav1.Status{Reason: a.reason, Message: a.said, Details: &metav1.StatusDetails{Causes: a.causes}}}
			reason, _, sentence := refusal(r, nil, err)
			require.Equal(t, a.want, reason)
			require.Equal(t, a.says, sentence)
			require.NotContains(t, sentence, "hunter2")
		})
	}
	reason, _, sentence := refusal(r, nil, &unknownKind{schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}})
	require.Equal(t, model.OutcomeKindUnknown, reason)
	require.Equal(t, "Deployment acme/web: the cluster does not know the kind Widget.example.com; install its definition, or remove the object from Git", sentence)
	reason, _, sentence = refusal(r, nil, conflict("it belongs to application acme/old"))
	require.Equal(t, model.OutcomeConflict, reason)
	require.Equal(t, "Deployment acme/web: it belongs to application acme/old", sentence)
}

// TestSecretsSayOnlyWhere: of a refused Secret nothing is told but the reason and the path.
func TestSecretsSayOnlyWhere(t *testing.T) {
	err := &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonInvalid, Message: "topsecret is no certificate", Details: &metav1.StatusDetails{
		Causes: []metav1.StatusCause{{Field: "data[tls.crt]", Message: "topsecret is no certificate"}},
	}}}
	reason, field, sentence := refusal(Ref{Kind: "Secret", Namespace: "acme", Name: "key"}, nil, err)
	require.Equal(t, model.OutcomeInvalid, reason)
	require.Equal(t, "data[tls.crt]", field)
	require.Equal(t, "Secret acme/key: the API server finds it invalid: data[tls.crt]: its values are not repeated here; correct it in Git", sentence)
}

// TestLongAnswersAreShort: one sentence of what is a megabyte, with a token in it.
func TestLongAnswersAreShort(t *testing.T) {
	const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0"
	r := Ref{Kind: "Deployment", Namespace: "acme", Name: "web"}
	for _, said := range []string{
		strings.Repeat("x", 1<<20), strings.Repeat(token+" ", 1<<15), `"` + strings.Repeat(token, 1<<15), "{" + strings.Repeat("[", 1<<20),
		"spec: Invalid value: " + strings.Repeat(`{"a":"`+token+`"}`, 1<<14) + ": must be small",
		"Authorization: Bearer " + token, "ghp_0123456789abcdefghijABCDEFGHIJ012345 is not allowed", "password: hunter2", "the token=" + token,
	} {
		for _, status := range []metav1.Status{
			{Reason: metav1.StatusReasonInvalid, Message: said},
			{Reason: metav1.StatusReasonForbidden, Message: `admission webhook "a.b" denied the request: ` + said},
			{Reason: metav1.StatusReasonInvalid, Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: said, Message: "Invalid value: " + strconv.Quote(said) + ": must be small"}}}},
			{Reason: metav1.StatusReasonUnknown, Message: said},
		} {
			_, field, sentence := refusal(r, nil, &apierrors.StatusError{ErrStatus: status})
			for _, text := range []string{field, sentence} {
				require.Less(t, len(text), messageCap+fieldCap+150)
				for _, part := range []string{"eyJ", "ghp_", "hunter2", "12345678"} {
					require.NotContains(t, text, part, "%.200s", said)
				}
			}
		}
	}
}

// TestRefusalsAreLines: what an API server says is anybody's text, as it repeats what it refuses.
func TestRefusalsAreLines(t *testing.T) {
	r := Ref{Kind: "Service", Namespace: "acme", Name: "web"}
	for _, said := range texttest.Corpus() {
		for _, a := range answers {
			err := &apierrors.StatusError{ErrStatus: metav1.Status{Reason: a.reason, Message: a.said + said, Details: &metav1.StatusDetails{
				Causes: []metav1.StatusCause{{Field: said, Message: said}},
			}}}
			_, field, sentence := refusal(r, nil, err)
			texttest.Line(t, field, fieldCap)
			texttest.Line(t, sentence, messageCap+fieldCap+150)
		}
		_, _, sentence := refusal(r, nil, errors.New(said))
		texttest.Line(t, sentence, messageCap+200)
	}
}

// FuzzRefusal: nothing that stands in quotes in an answer is repeated, and what is
// repeated is short.
func FuzzRefusal(f *testing.F) {
	for _, a := range answers {
		f.Add(a.said, "spec.x", `Invalid value: {"a": "b"}: must be c`)
		for _, c := range a.causes {
			f.Add(a.said, c.Field, c.Message)
		}
	}
	f.Add(`a 'b' it's "c\"d" {"e":["f"]} x[0]`, "data[key]", `Invalid value: "\": x": y`)
	const value = "qXzJwqXzJw"
	f.Fuzz(func(t *testing.T, said, field, cause string) {
		for _, quoted := range []string{said + ` "` + value + `"`, said + ` {"a":"` + value + `"}`, said + ` token: ` + value} {
			if strings.ContainsAny(said, "\"'`{}[]\\") || strings.Contains(said+cause+field, value) {
				break // the quotes may close others
			}
			require.NotContains(t, cutValues(quoted, messageCap), value)
			require.NotContains(t, causeWithoutValue("Invalid value: "+`"`+value+`": `+said), value)
		}
		for _, reason := range []metav1.StatusReason{metav1.StatusReasonInvalid, metav1.StatusReasonForbidden, metav1.StatusReasonUnknown} {
			err := &apierrors.StatusError{ErrStatus: metav1.Status{Reason: reason, Message: said, Details: &metav1.StatusDetails{
				Causes: []metav1.StatusCause{{Field: field, Message: cause}},
			}}}
			_, where, sentence := refusal(Ref{Kind: "Deployment", Namespace: "acme", Name: "web"}, nil, err)
			texttest.Line(t, where, fieldCap)
			texttest.Line(t, sentence, messageCap+fieldCap+400)
			_, _, secret := refusal(Ref{Kind: "Secret", Namespace: "acme", Name: "key"}, nil, err)
			if len(cause) > 12 && !strings.Contains(field, cause) && !strings.Contains(said, cause) {
				require.NotContains(t, secret, cause)
			}
		}
	})
}
