package external

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/test/runtimetest"
)

// patience bounds each wait, on a busy machine.
const patience = time.Minute

// open opens an adapter that really connects, and is in a hurry.
func open(t testing.TB, probe Probe) *Runtime {
	if probe == nil {
		probe = outbound.NewProber(outbound.Reach{}).Probe
	}
	r := New(probe)
	r.least = time.Millisecond
	t.Cleanup(r.Close)
	return r
}

// TestConformance holds the adapter to the contract of all runtimes, as far as it applies to what
// it never starts.
func TestConformance(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(s.Close)
	at := s.Listener.Addr().String()
	host, _, err := net.SplitHostPort(at)
	require.NoError(t, err)
	// The suite writes records itself, with an empty policy.
	probe := outbound.NewProber(outbound.Reach{}).Probe
	runtimetest.Run(t, runtimetest.Subject{
		Open: func(t testing.TB) runtime.Adapter {
			return open(t, func(ctx context.Context, address string, _ []string) error {
				return probe(ctx, address, []string{host})
			})
		},
		Elsewhere: true,
		Tenant:    model.Tenant{Name: "acme"},
		Platform:  &model.Platform{Pools: []model.PoolSpec{{Name: "none"}}},
		Program: model.Component{
			Type: "external", Properties: fmt.Appendf(nil, `{"address":%q,"health":{"path":"/","interval":"10ms"}}`, at),
		},
	})
}

var shop = model.AppID{Tenant: "acme", Name: "shop"}

// assign asks after components whose policy allows a host.
func assign(app model.AppID, host string, properties ...string) runtime.Assignment {
	spec := &model.Application{ID: app, Policy: &model.Policy{Egress: []string{host}}}
	a := runtime.Assignment{
		App: app, Instance: &model.Instance{App: app, Spec: spec},
		Tenant: &model.Tenant{Name: app.Tenant, Policy: model.Policy{Egress: []string{host}}}, Platform: &model.Platform{Policy: model.Policy{Egress: []string{host}}},
	}
	for i, p := range properties {
		c := &model.Component{Name: fmt.Sprint("c", i), Type: "external", Properties: []byte(p)}
		a.Components = append(a.Components, runtime.Component{Component: c, Want: runtime.Running, State: model.ComponentState{Run: 1, Workload: model.Digest(p)}})
	}
	return a
}

// until waits until what is shown is as wanted.
func until(t *testing.T, r *Runtime, want func([]model.Workload) bool) []model.Workload {
	t.Helper()
	for limit := time.After(patience); ; {
		seen, err := r.Inspect(t.Context(), &model.Platform{})
		require.NoError(t, err)
		if want(seen.Workloads) {
			return seen.Workloads
		}
		select {
		case <-r.Changed():
		case <-limit:
			require.FailNow(t, "it never came", "%+v", seen.Workloads)
		}
	}
}

func ready(n int) func([]model.Workload) bool {
	return func(list []model.Workload) bool { return len(list) == 1 && list[0].Ready == n }
}

// TestHealth: what answers is ready, what stops to answer is not after as many questions as the
// component says, with the reason, and is again when it answers. Nothing is shown before the first answer.
func TestHealth(t *testing.T) {
	var code, asked atomic.Int32
	code.Store(http.StatusOK)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health" {
			asked.Add(1)
			w.WriteHeader(int(code.Load()))
		}
	}))
	t.Cleanup(s.Close)
	r := open(t, nil)
	seen, err := r.Inspect(t.Context(), &model.Platform{Pools: []model.PoolSpec{{Name: "general"}}})
	require.NoError(t, err)
	require.Equal(t, model.Observation{Pools: []model.Pool{{Name: "general"}}}, seen)

	a := assign(shop, "127.0.0.1", fmt.Sprintf(`{"address":%q,"health":{"path":"/health","interval":"1ms","failures":4}}`, s.Listener.Addr()))
	report := r.Act(t.Context(), []runtime.Assignment{a})
	require.True(t, report.Outcomes[0].OK())
	require.Empty(t, report.Outcomes[0].Results, "nothing is changed anywhere")
	list := until(t, r, ready(1))
	require.Equal(t, model.Workload{App: shop, Component: "c0", Digest: a.Components[0].State.Workload, Replicas: 1, Ready: 1, Current: true}, list[0])

	before := asked.Load()
	code.Store(http.StatusServiceUnavailable)
	list = until(t, r, ready(0))
	require.Equal(t, "it answers 503", list[0].Why)
	require.Nil(t, list[0].Failure, "nothing of the application failed")
	require.GreaterOrEqual(t, asked.Load(), before+4)
	code.Store(http.StatusMovedPermanently)
	until(t, r, func(list []model.Workload) bool { return list[0].Why == "it answers 301, which leads elsewhere" })
	code.Store(http.StatusNoContent)
	list = until(t, r, ready(1))
	require.Empty(t, list[0].Why)

	// What is asked already is not asked anew, and what policy allows no longer is not asked at all.
	was := r.watches[model.PartKey{App: shop, Component: "c0"}]
	r.Act(t.Context(), []runtime.Assignment{a})
	require.Same(t, was, r.watches[model.PartKey{App: shop, Component: "c0"}])
	a.Tenant.Policy.Egress = nil
	r.Act(t.Context(), []runtime.Assignment{a})
	list = until(t, r, ready(0))
	require.Equal(t, "policy does not allow calls to 127.0.0.1 (egress.hosts)", list[0].Why)
	r.Act(t.Context(), []runtime.Assignment{assign(shop, "127.0.0.1")})
	until(t, r, func(list []model.Workload) bool { return len(list) == 0 })
}

// TestOneTenantThatHangsDelaysNoOther: questions that are not answered take the places of their tenant only, and
// end with the adapter.
func TestOneTenantThatHangsDelaysNoOther(t *testing.T) {
	hung := make(chan struct{}, 1000)
	r := open(t, func(ctx context.Context, address string, _ []string) error {
		if address == "tcp://hangs.example.com:1" {
			hung <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	const many = 3 * maxTenantQuestions
	properties := make([]string, many)
	for i := range properties {
		properties[i] = `{"address":"hangs.example.com:1","health":{"timeout":"10s"}}`
	}
	other := model.AppID{Tenant: "globex", Name: "site"}
	r.Act(t.Context(), []runtime.Assignment{assign(shop, "x", properties...)})
	for range maxTenantQuestions {
		<-hung
	}
	r.Act(t.Context(), []runtime.Assignment{assign(other, "x", `{"address":"answers.example.com:1"}`)})
	until(t, r, ready(1))
	require.Empty(t, hung, "no more at a time")
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct{ address, by, path, want string }{
		{"db.example.com:5432", "", "", "tcp://db.example.com:5432"},
		{"db.example.com:8080", "http", "", "http://db.example.com:8080"},
		{"db.example.com:8080", "", "/ready", "http://db.example.com:8080/ready"},
		{"https://api.example.com", "", "", "https://api.example.com"},
		{"https://api.example.com/v1", "", "", "https://api.example.com/v1"},
		{"https://api.example.com:8443/v1", "", "/health%20y", "https://api.example.com:8443/health%20y"},
		{"https://api.example.com/v1", "tcp", "", "tcp://api.example.com:443"},
		{"https://api.example.com:8443", "tcp", "", "tcp://api.example.com:8443"},
	} {
		require.Equal(t, c.want, addressOf(c.address, c.by, c.path), "%+v", c)
	}
}
