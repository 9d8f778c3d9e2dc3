package deploy

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/reconcile"
	adapter "github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/evaluators"
	"github.com/d-aros/d-aros/test/fleettest"
	"github.com/d-aros/d-aros/test/gittest"
)

func TestMain(m *testing.M) { os.Exit(evaluators.Main(m)) }

// TestLoopUnderTheRights takes a commit to Running, and an update and a removal after it, by the whole loop with the token
// of the reconciler, under the rights and policies of the manifests and with an account for the tenant. Nothing that it asks
// for is refused.
func TestLoopUnderTheRights(t *testing.T) {
	in := install(t)
	in.AddNodes(t, in.fleet, 1, "4", "16Gi")
	in.Operator(t, in.fleet+"-acme").Put("shop/db#password", "from the store")
	asked := &requests{}
	config := rest.CopyConfig(in.config)
	config.Wrap(asked.Wrap)

	repo, bare, dir := gittest.New(t), gittest.NewBare(t).Dir, t.TempDir()
	repo.Write("fleet.cue", fleettest.Root(fleettest.Nodes(in.fleet), `policy: secrets: stores: ["vault-*"]`, `allotments: acme: {}`))
	repo.Write("tenants/acme/tenant.cue", "package fleet\n\ntenant: {name: \"acme\", quota: {cpu: \"4\", memory: \"8Gi\"}}\n")
	app := func(image, more string) {
		repo.Write("tenants/acme/apps/shop/app.cue", `package fleet

application: {
	name: "shop"
	components: {
		settings: {type: "config", properties: data: level: "info"}
		password: {type: "secret", properties: data: key: "value"}
		web: {
			type: "webservice"
			properties: {image: "registry.example.com/web:`+image+`", ports: [{port: 8080}], env: KEY: secret: {name: "password", key: "key"}}
			traits: envFrom: [{config: "settings"}]
			resources: {requests: {cpu: "100m", memory: "64Mi"}, limits: {cpu: "200m", memory: "128Mi"}}
		}
		`+more+`
	}
}
`)
	}
	push := func(message string) string {
		commit := repo.Commit(message)
		repo.Git("push", "-q", bare, "HEAD:main")
		return commit
	}
	app("1", `db: {type: "external-secret", properties: {store: name: "vault-acme", data: password: {key: "shop/db", property: "password"}}}`)
	first := push("a fleet")

	from, err := source.Open(t.Context(), source.Options{URL: bare, Dir: filepath.Join(dir, "source")})
	require.NoError(t, err)
	defer from.Close()
	branch, err := status.Open(t.Context(), status.Options{URL: bare, Dir: filepath.Join(dir, "status")})
	require.NoError(t, err)
	defer branch.Close()
	carrier, err := adapter.New(config, adapter.Options{Fleet: in.fleet, Prefix: in.fleet + "-", TenantRole: in.role, Namespace: in.home})
	require.NoError(t, err)
	defer carrier.Close()
	evaluator, others := evaluators.New(t), outbound.NewDispatcher(outbound.Options{})
	defer others.Close()
	loop := reconcile.New(reconcile.Options{
		Edges: reconcile.Edges{
			Source: from, Status: branch, Runtime: carrier, Evaluator: evaluator, Commands: reconcile.NewApprovals(evaluator), Outbound: others,
		},
		Fleet: in.fleet, Prefix: in.fleet + "-", Interval: time.Second,
		Recognition: reconcile.Recognition{Anchor: carrier, Branch: "status", Signed: true},
	})
	runs := func(commit string) {
		t.Helper()
		deadline := time.Now().Add(patience)
		for {
			if _, err := loop.Pass(t.Context()); !errors.Is(err, status.ErrMoved) {
				require.NoError(t, err)
			}
			ledger, err := branch.Load(t.Context())
			require.NoError(t, err)
			inst, ok := ledger.Find(model.AppID{Tenant: "acme", Name: "shop"})
			if ok && inst.Phase == model.PhaseRunning && inst.Spec.Commit == commit && inst.Previous == nil {
				require.Empty(t, inst.Outcomes)
				return
			}
			require.True(t, time.Now().Before(deadline), "waited for Running: %+v %+v", inst, ledger.Problems)
			select {
			case <-carrier.Changed():
			case <-time.After(time.Second): // a deadline or a retry
			}
		}
	}
	runs(first)
	app("2", "")
	runs(push("another image, and one component less"))

	used := asked.uses()
	require.Empty(t, used.refused, "refused")
	for role, part := range map[string]struct{ may, needed map[right]bool }{
		"d-aros-reconciler": {granted(in.reconciler), used.needed}, "d-aros-tenant": {granted(in.tenant), used.impersonated},
	} {
		for r := range part.needed {
			if role == "d-aros-reconciler" && r.resource == "configmaps" {
				continue // the anchor, by the Role of its namespace
			}
			require.True(t, part.may[r], "%s: %v is used and not granted", role, r)
		}
	}
	require.NotEmpty(t, used.impersonated)
}
