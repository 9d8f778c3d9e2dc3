package e2e

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
)

// TestHangingTenantHoldsNobody: while an admission webhook hangs, or is slow, for the objects of
// one tenant, what others commit is applied, in the same pass and in those that follow, for
// however long that tenant's applications take. Where it hangs, changes of others are applied
// while requests hang and none of them ends: they wait for none. How soon is measured by make bench-tenancy.
func TestHangingTenantHoldsNobody(t *testing.T) {
	for name, takes := range map[string]time.Duration{"hangs": time.Hour, "is slow": 300 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.stop()
			commits := make(chan struct{}, 1)
			w.engine = newEngine(t, w.repo, w.name, w.cluster.Config, func(o *reconcile.Options) {
				o.Slice, o.SourceChanged = reconcile.Slice, commits
			})
			w.cluster.AddNodes(t, w.name, 2, "4", "16Gi")
			fleet := merge(platform(w.name), tenant("acme", 6, ""), tenant("globex", 6, ""), app("acme", "shop", web(1, "0")), configs("few", 1))
			w.commit("a fleet", fleet)
			w.phase("acme/shop", model.PhaseRunning)

			ctx, stop := context.WithCancel(t.Context())
			var running sync.WaitGroup
			defer running.Wait()
			defer stop()
			running.Go(func() { _ = w.loop.Run(ctx) })
			commit := func(files map[string]string) {
				w.commit("a change", files)
				commits <- struct{}{}
			}
			hook := w.slowAdmission("globex", takes)
			const most = 150
			commit(merge(configs("many", most), configs("more", 10)))
			hangs := func() bool { return hook.asked.Load() > hook.answered.Load() }
			during := 0 // changes that were applied while requests hung, and none of them ended
			for i := 1; during < 3; i++ {
				require.LessOrEqual(t, i, 15, "changes are applied only when a request that hangs has ended; %d of them were before", during)
				tag, ended := fmt.Sprint(i), hook.answered.Load()
				require.Eventually(t, hangs, patience, 10*time.Millisecond, "the webhook is asked")
				began := time.Now()
				commit(app("acme", "shop", web(1, tag)))
				require.Eventually(t, func() bool {
					live, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").Get(t.Context(), "shop-web", metav1.GetOptions{})
					require.NoError(t, err)
					return live.Spec.Template.Spec.Containers[0].Image == "registry.example.com/web:"+tag
				}, patience, 10*time.Millisecond, "the change is applied")
				t.Logf("applied after %s, with %d answers of the webhook", time.Since(began).Round(time.Millisecond), hook.answered.Load())
				require.Less(t, hook.answered.Load(), int64(most), "the slow application is not through")
				if takes < time.Hour || hook.answered.Load() == ended { // the API server itself ends a request after 30 s
					during++
				}
			}
			hook.release()
			require.Eventually(t, func() bool {
				list, err := w.cluster.Clientset.CoreV1().ConfigMaps(w.name+"-globex").List(t.Context(), metav1.ListOptions{LabelSelector: "d-aros.dev/application=many"})
				require.NoError(t, err)
				return len(list.Items) == most+1 && hook.most.Load() == 1
			}, patience, 50*time.Millisecond, "what was slow is there in the end, with its inventory, and no object was sent twice at a time")
		})
	}
}

// configs declares an application of globex with so many files.
func configs(name string, n int) map[string]string {
	var components []string
	for i := range n {
		components = append(components, fmt.Sprintf(`c%d: {type: "config", properties: data: {key: "1"}}`, i))
	}
	return app("globex", name, strings.Join(components, "\n\t\t"))
}

// admission is a webhook that takes its time for the ConfigMaps that components of a tenant are.
type admission struct {
	asked, answered, most atomic.Int64 // most requests about one object at the same time
	over                  chan struct{}
	release               func()

	mu    sync.Mutex
	about map[string]int64
}

func (a *admission) serve(w http.ResponseWriter, r *http.Request, takes time.Duration) {
	var review admissionv1.AdmissionReview
	if json.NewDecoder(r.Body).Decode(&review) != nil {
		return
	}
	name := review.Request.Name
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: name != "probe"}
	if dry := review.Request.DryRun; (dry == nil || !*dry) && !strings.HasPrefix(name, "d-aros.") && !strings.HasPrefix(name, "kube-") {
		a.asked.Add(1)
		a.count(name, 1)
		ctx, cancel := context.WithTimeout(r.Context(), takes)
		defer cancel()
		select {
		case <-a.over:
		case <-ctx.Done():
		}
		a.count(name, -1)
		a.answered.Add(1)
	}
	_ = json.NewEncoder(w).Encode(review)
}

func (a *admission) count(name string, by int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.about[name] += by
	a.most.Store(max(a.most.Load(), a.about[name]))
}

func (w *world) slowAdmission(tenant string, takes time.Duration) *admission {
	a := &admission{over: make(chan struct{}), about: map[string]int64{}}
	a.release = sync.OnceFunc(func() { close(a.over) })
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { a.serve(rw, r, takes) }))
	w.t.Cleanup(server.Close)
	w.t.Cleanup(a.release)
	namespace := w.name + "-" + tenant
	fail, none, seconds := admissionregistration.Fail, admissionregistration.SideEffectClassNone, int32(30)
	hooks := w.cluster.Clientset.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	_, err := hooks.Create(w.t.Context(), &admissionregistration.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: w.name},
		Webhooks: []admissionregistration.ValidatingWebhook{{
			Name: "slow." + w.name + ".example.com", FailurePolicy: &fail, SideEffects: &none, TimeoutSeconds: &seconds, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: admissionregistration.WebhookClientConfig{
				URL: &server.URL, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
			Rules: []admissionregistration.RuleWithOperations{{
				Operations: []admissionregistration.OperationType{admissionregistration.Create},
				Rule:       admissionregistration.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
		}},
	}, metav1.CreateOptions{})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = hooks.Delete(context.Background(), w.name, metav1.DeleteOptions{}) })
	require.Eventually(w.t, func() bool { // the API server reads the configuration in the background
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "probe"}}
		_, err := w.cluster.Clientset.CoreV1().ConfigMaps(namespace).Create(w.t.Context(), probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil
	}, patience, 50*time.Millisecond, "the API server asks the webhook")
	return a
}
