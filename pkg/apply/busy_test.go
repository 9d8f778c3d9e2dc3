package apply_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	rbac "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
)

// refusals notes when requests were refused because the API server is busy, and whether one
// came again before the time that it was told.
type refusals struct {
	http.RoundTripper
	mu    sync.Mutex
	n     int
	early bool
	wait  map[string]time.Time // until when, by path
}

func (r *refusals) RoundTrip(q *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.early = r.early || q.Method == http.MethodPatch && time.Now().Before(r.wait[q.URL.Path])
	r.mu.Unlock()
	answer, err := r.RoundTripper.RoundTrip(q)
	if err == nil && answer.StatusCode == http.StatusTooManyRequests {
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		r.mu.Lock()
		defer r.mu.Unlock()
		r.n++
		r.wait[q.URL.Path] = time.Now().Add(time.Duration(seconds) * time.Second)
	}
	return answer, err
}

func (r *refusals) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n
}

// TestBusyServerIsGivenTime: a request that the priority and fairness rules of the API server refuse is made
// again when the server says, and not sooner. Others go on meanwhile.
func TestBusyServerIsGivenTime(t *testing.T) {
	f := setup(t)
	f.apply(f.applier(), f.tenant())
	seen := &refusals{wait: map[string]time.Time{}}
	cfg := rest.CopyConfig(f.Config)
	cfg.Impersonate = rest.ImpersonationConfig{UserName: f.fleet, Groups: []string{"system:authenticated"}}
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { seen.RoundTripper = rt; return seen })
	bindings := f.Clientset.RbacV1().ClusterRoleBindings()
	_, err := bindings.Create(t.Context(), &rbac.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: f.fleet}, RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbac.Subject{{APIGroup: rbac.GroupName, Kind: rbac.UserKind, Name: f.fleet}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = bindings.Delete(context.Background(), f.fleet, metav1.DeleteOptions{}) })
	a := f.applierWith(cfg, apply.Options{Fleet: f.fleet, Patience: patience, Slice: 10 * time.Millisecond})
	set := revised(f.set("shop", configMap("c", "1")), "1")
	f.eventually(func() bool { return a.Apply(t.Context(), []render.Set{set}).Sets[0].OK() }, "the right to apply")

	h := f.slowWebhook()
	f.oneAtATime()
	require.True(t, a.Apply(t.Context(), []render.Set{f.set("slow", f.slow("slow"))}).Sets[0].UnderWay)
	f.eventually(func() bool { return h.waiting.Load() == 1 }, "a request that takes long")
	f.refused()
	set = revised(f.set("shop", configMap("c", "2")), "2")
	f.eventually(func() bool {
		require.NoError(t, a.Apply(t.Context(), []render.Set{set}).Err)
		return seen.count() >= 2
	}, "the API server refuses, and is asked again")
	h.answer <- true
	f.eventually(func() bool { return a.Apply(t.Context(), []render.Set{set}).Sets[0].OK() }, "the change")
	require.Equal(t, "2", f.get(configMaps, "c").Object["data"].(map[string]any)["key"])
	require.False(t, seen.early, "before the time that the API server gave")
}

// oneAtATime has the API server refuse changes of ConfigMaps by the user with the name of the fleet while it carries
// out another one.
func (f *fixture) oneAtATime() {
	flow := f.Clientset.FlowcontrolV1()
	_, err := flow.PriorityLevelConfigurations().Create(f.t.Context(), &flowcontrol.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: f.fleet},
		Spec: flowcontrol.PriorityLevelConfigurationSpec{Type: flowcontrol.PriorityLevelEnablementLimited, Limited: &flowcontrol.LimitedPriorityLevelConfiguration{
			NominalConcurrencyShares: ptr.To[int32](0), BorrowingLimitPercent: ptr.To[int32](0), LimitResponse: flowcontrol.LimitResponse{Type: flowcontrol.LimitResponseTypeReject},
		}},
	}, metav1.CreateOptions{})
	require.NoError(f.t, err)
	_, err = flow.FlowSchemas().Create(f.t.Context(), &flowcontrol.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: f.fleet},
		Spec: flowcontrol.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrol.PriorityLevelConfigurationReference{Name: f.fleet}, MatchingPrecedence: 10,
			Rules: []flowcontrol.PolicyRulesWithSubjects{{
				Subjects: []flowcontrol.Subject{{Kind: flowcontrol.SubjectKindUser, User: &flowcontrol.UserSubject{Name: f.fleet}}},
				ResourceRules: []flowcontrol.ResourcePolicyRule{{
					Verbs: []string{"patch"}, APIGroups: []string{""}, Resources: []string{"configmaps"}, Namespaces: []string{"*"},
				}},
			}},
		},
	}, metav1.CreateOptions{})
	require.NoError(f.t, err)
	f.t.Cleanup(func() {
		_ = flow.FlowSchemas().Delete(context.Background(), f.fleet, metav1.DeleteOptions{})
		_ = flow.PriorityLevelConfigurations().Delete(context.Background(), f.fleet, metav1.DeleteOptions{})
	})
}

// refused waits until the API server refuses changes by the user.
func (f *fixture) refused() {
	prober := rest.CopyConfig(f.Config)
	prober.Impersonate = rest.ImpersonationConfig{UserName: f.fleet, Groups: []string{"system:authenticated"}}
	hc, err := rest.HTTPClientFor(prober)
	require.NoError(f.t, err)
	f.eventually(func() bool {
		q, err := http.NewRequestWithContext(f.t.Context(), http.MethodPatch, prober.Host+"/api/v1/namespaces/"+f.fleet+"/configmaps/c?dryRun=All", strings.NewReader("{}"))
		require.NoError(f.t, err)
		q.Header.Set("Content-Type", "application/merge-patch+json")
		answer, err := hc.Do(q)
		require.NoError(f.t, err)
		defer answer.Body.Close()
		return answer.StatusCode == http.StatusTooManyRequests
	}, "the rules are in force")
}
