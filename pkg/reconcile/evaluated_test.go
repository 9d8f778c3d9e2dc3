package reconcile

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/test/evaluators"
)

// An evaluation that no pass waited for begins a pass when it ends, and the fleet repo is not
// polled for that. While passes fail it does not.
func TestAnswersBeginAPass(t *testing.T) {
	k, _ := newCarrying(t, 0)
	evaluated := make(chan struct{}, 1)
	k.start(func(o *Options) { o.Evaluated = evaluated })
	k.loop.declared.polled = k.now
	evaluated <- struct{}{}
	require.True(t, k.loop.wait(t.Context(), time.Hour, true))
	require.Equal(t, k.now, k.loop.declared.polled)

	evaluated <- struct{}{}
	require.True(t, k.loop.wait(t.Context(), 0, false))
	require.Len(t, evaluated, 1)
}

// A build that goes on in the background has a code of its own, and the next pass asks for it.
func TestBuildInTheBackground(t *testing.T) {
	k := newKeeper(t)
	k.Write("tenants/acme/apps/shop/app.cue", "package fleet\n\napplication: {name: \"shop\", components: site: {type: \"kustomize\", resources: requests: {cpu: \"1\", memory: \"1Gi\"}, properties: path: \"site\"}}\n")
	k.Write("tenants/acme/apps/shop/site/kustomization.yaml", "resources: [map.yaml]\n")
	k.Write("tenants/acme/apps/shop/site/map.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n")
	k.by("bob")
	b := &crowded{Evaluator: evaluators.New(t), err: fmt.Errorf("build a kustomization: %w", &evaluate.Postponed{Tenant: "acme"})}
	k.start(func(o *Options) { o.Evaluator = b })
	_, fleet := k.pass()
	require.Len(t, fleet.Unusable, 1)
	require.Equal(t, "DA1020", fleet.Unusable[0].Code)
	require.Contains(t, fleet.Unusable[0].Message, "is not evaluated yet: tenant acme has used its CPU time")
	b.err = nil
	_, fleet = k.pass()
	require.Len(t, fleet.Applications, 1)
}

// A loop whose last pass is long ago is not ready, whatever that pass came to.
func TestReadinessAges(t *testing.T) {
	k, _ := newCarrying(t, 0)
	k.start(func(o *Options) { o.Interval = 15 * time.Second })
	_, err := k.loop.Pass(t.Context())
	require.NoError(t, err)
	require.NoError(t, k.loop.Ready())
	k.now = k.now.Add(3*15*time.Second + time.Minute)
	require.NoError(t, k.loop.Ready())
	k.now = k.now.Add(time.Second)
	require.ErrorContains(t, k.loop.Ready(), "no pass has ended since ")
}
