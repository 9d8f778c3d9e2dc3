package apply_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// slowWebhook is asked about ConfigMaps of a fixture with the label slow, and answers once
// it is let.
type slowWebhook struct {
	answer  chan bool // whether it allows what it is asked
	waiting atomic.Int64
	most    atomic.Int64 // that waited at the same time
}

func (f *fixture) slowWebhook() *slowWebhook {
	h := &slowWebhook{answer: make(chan bool)}
	over := make(chan struct{})
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if json.NewDecoder(r.Body).Decode(&review) != nil {
			return
		}
		response := &admissionv1.AdmissionResponse{UID: review.Request.UID, Result: &metav1.Status{Message: "not on a Friday"}}
		review.Response = response
		if review.Request.Name == "probe" {
			_ = json.NewEncoder(w).Encode(review)
			return
		}
		n := h.waiting.Add(1)
		for most := h.most.Load(); n > most && !h.most.CompareAndSwap(most, n); most = h.most.Load() {
		}
		defer h.waiting.Add(-1)
		select {
		case response.Allowed = <-h.answer:
		case <-over:
		case <-r.Context().Done():
		}
		_ = json.NewEncoder(w).Encode(review)
	}))
	f.t.Cleanup(server.Close)
	f.t.Cleanup(func() { close(over) })
	fail, none, seconds := admissionregistration.Fail, admissionregistration.SideEffectClassNone, int32(30)
	hooks := f.Clientset.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	_, err := hooks.Create(f.t.Context(), &admissionregistration.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: f.fleet},
		Webhooks: []admissionregistration.ValidatingWebhook{{
			Name: "slow." + f.fleet + ".example.com", FailurePolicy: &fail, SideEffects: &none, TimeoutSeconds: &seconds, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: admissionregistration.WebhookClientConfig{
				URL: &server.URL, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"slow": f.fleet}},
			Rules: []admissionregistration.RuleWithOperations{{
				Operations: []admissionregistration.OperationType{admissionregistration.Create},
				Rule:       admissionregistration.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
		}},
	}, metav1.CreateOptions{})
	require.NoError(f.t, err)
	f.t.Cleanup(func() { _ = hooks.Delete(context.Background(), f.fleet, metav1.DeleteOptions{}) })
	f.eventually(func() bool { // the API server reads the configuration in the background
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "probe", Labels: map[string]string{"slow": f.fleet}}}
		_, err := f.Clientset.CoreV1().ConfigMaps(f.fleet).Create(f.t.Context(), probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil
	}, "the API server to ask the webhook")
	return h
}

// slow is a ConfigMap that the webhook is asked about.
func (f *fixture) slow(name string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, labels: {slow: %s}}}", name, f.fleet)
}

// impatient makes the tenant, and an applier that does not wait long for an answer.
func (f *fixture) impatient() *apply.Applier {
	f.apply(f.applier(), f.tenant())
	return f.applierWith(f.Config, apply.Options{Fleet: f.fleet, Workers: 4, Patience: 3 * time.Second})
}

// TestSlowWebhookHoldsNobody: a pass does not wait for an object whose admission takes long.
// The request goes on, it is not made twice, and a later pass finds the object.
func TestSlowWebhookHoldsNobody(t *testing.T) {
	f := setup(t)
	a := f.impatient()
	h := f.slowWebhook()
	slow, fine := f.set("slow", f.slow("slow")), f.set("fine", configMap("fine", "1"))
	r := a.Apply(t.Context(), []render.Set{slow, fine})
	require.NoError(t, r.Err)
	require.True(t, r.Sets[1].OK())
	require.Equal(t, map[string]apply.Action{"ConfigMap/slow": apply.Failed}, actions(r, "slow"))
	require.Contains(t, f.result(r, "slow", "ConfigMap/slow").Message, "the request goes on")
	require.EqualValues(t, 1, h.waiting.Load(), "nobody answered")

	r = a.Apply(t.Context(), []render.Set{slow})
	require.False(t, r.Sets[0].OK())
	require.Zero(t, r.Requests.Apply, "one request at a time about an object")
	h.answer <- true
	f.settles(a, slow, fine)
	require.True(t, f.exists(configMaps, "slow"))
	require.EqualValues(t, 1, h.most.Load())
}

// TestSlowWebhookRefuses: what a webhook says of a request that nobody waited for is
// reported, and stays so while the next request has no answer.
func TestSlowWebhookRefuses(t *testing.T) {
	f := setup(t)
	a := f.impatient()
	h := f.slowWebhook()
	set := f.set("slow", f.slow("slow"))
	require.False(t, a.Apply(t.Context(), []render.Set{set}).Sets[0].OK())
	h.answer <- false
	for range 2 {
		f.eventually(func() bool {
			res := f.result(a.Apply(t.Context(), []render.Set{set}), "slow", "ConfigMap/slow")
			return res.Reason == model.OutcomeWebhookRefused && strings.Contains(res.Message, "not on a Friday") && h.waiting.Load() == 1
		}, "the words of the webhook, while it is asked again")
	}
}

// TestWithdrawnWithoutAnswer: an application that ends while a request about its object has
// no answer has not ended before the object is gone.
func TestWithdrawnWithoutAnswer(t *testing.T) {
	f := setup(t)
	a := f.impatient()
	h := f.slowWebhook()
	a.Apply(t.Context(), []render.Set{f.set("slow", f.slow("slow"))})
	require.False(t, a.Apply(t.Context(), []render.Set{f.set("slow")}).Sets[0].OK())
	h.answer <- true
	f.settles(a, f.set("slow"))
	require.False(t, f.exists(configMaps, "slow"))
	require.Empty(t, a.Live().Drifted())
}

// TestUnansweredAreFew: a tenant cannot leave many requests without an answer, however many
// objects it has.
func TestUnansweredAreFew(t *testing.T) {
	f := setup(t)
	a := f.impatient()
	h := f.slowWebhook()
	var sets []render.Set
	for i := range 12 {
		name := fmt.Sprint("slow", i)
		sets = append(sets, f.set(name, f.slow(name)))
	}
	for range 2 {
		r := a.Apply(t.Context(), sets)
		require.NoError(t, r.Err, "the API server is there")
		require.Contains(t, f.result(r, "slow11", "ConfigMap/slow11").Message, "too many requests for tenant "+f.fleet+" have no answer yet")
	}
	require.LessOrEqual(t, h.most.Load(), int64(4+2), "those that workers wait for, and the tenant's share of those that nobody waits for")
	require.Positive(t, h.most.Load())
}
