package reconcile

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/test/evaluators"
)

// crowded is an evaluator on a machine that has no time for builds.
type crowded struct {
	*evaluate.Evaluator
	builds int
	err    error
}

func (b *crowded) Build(tenant string, r build.Recipe) (build.Result, error) {
	b.builds++
	if b.err != nil {
		return build.Result{}, b.err
	}
	return b.Evaluator.Build(tenant, r)
}

// A build that could not take place is tried again in the next pass, although the
// commit is the same; one that took place is not.
func TestBuildIsTriedAgain(t *testing.T) {
	k := newKeeper(t)
	k.Write("tenants/acme/apps/shop/app.cue", "package fleet\n\napplication: {name: \"shop\", components: site: {type: \"kustomize\", resources: requests: {cpu: \"1\", memory: \"1Gi\"}, properties: path: \"site\"}}\n")
	k.Write("tenants/acme/apps/shop/site/kustomization.yaml", "resources: [map.yaml]\n")
	k.Write("tenants/acme/apps/shop/site/map.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n")
	k.by("bob")
	b := &crowded{Evaluator: evaluators.New(t), err: errors.New("the machine is too busy")}
	k.start(func(o *Options) { o.Evaluator = b })

	_, fleet := k.pass()
	require.Empty(t, fleet.Applications)
	require.Len(t, fleet.Unusable, 1)
	require.Contains(t, fleet.Unusable[0].Message, "the machine is too busy")

	b.err = nil
	_, fleet = k.pass()
	require.Empty(t, fleet.Unusable)
	require.Len(t, fleet.Applications, 1)

	built := b.builds
	k.pass()
	require.Equal(t, built, b.builds)
}
