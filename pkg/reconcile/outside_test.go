package reconcile

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/test/evaluators"
)

// An application that builds on another repository waits until that is fetched, though its own commit is the same, and is
// told why. Nobody else waits. Another commit that cannot be fetched leaves what was last good.
func TestWhatIsOutsideIsTriedAgain(t *testing.T) {
	k := newKeeper(t)
	k.Write("egress.cue", "package fleet\n\nplatform: policy: egress: hosts: [\"git.example.com\"]\n")
	k.Write("tenants/acme/apps/shop/app.cue", "package fleet\n\napplication: {name: \"shop\", components: site: {type: \"kustomize\", resources: requests: {cpu: \"1\", memory: \"1Gi\"}, properties: path: \"site\"}}\n")
	k.Write("tenants/acme/apps/other/app.cue", "package fleet\n\napplication: {name: \"other\", components: c: {type: \"config\", properties: data: a: \"b\"}}\n")
	k.Write("tenants/acme/apps/shop/site/kustomization.yaml", "resources: ['https://git.example.com/acme/bases//web?ref=8f3c2a1b0d4e5f60718293a4b5c6d7e8f9012345']\n")
	k.by("bob")
	asked, there := 0, false
	k.start(func(o *Options) {
		o.Evaluator = evaluators.New(t)
		o.Outside = func(tenant string, p model.Pinned) (fs.FS, error) {
			asked++
			require.Equal(t, "acme", tenant)
			if !there {
				return nil, &build.AbsentError{Pinned: p, Why: "is not fetched yet"}
			}
			return fstest.MapFS{"web/kustomization.yaml": {Data: []byte("resources: [map.yaml]"), Mode: 0o644},
				"web/map.yaml": {Data: []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"), Mode: 0o644}}, nil
		}
	})
	_, fleet := k.pass()
	require.Len(t, fleet.Applications, 1, fleet.Problems)
	require.Equal(t, "other", fleet.Applications[0].ID.Name)
	require.Len(t, fleet.Unusable, 1)
	require.Equal(t, "DA1722", fleet.Unusable[0].Code)
	require.Contains(t, fleet.Unusable[0].Message, "is not fetched yet")

	there = true
	_, fleet = k.pass()
	require.Empty(t, fleet.Unusable, fleet.Problems)
	require.Len(t, fleet.Applications, 2)
	before := asked
	k.pass()
	require.Equal(t, before, asked, "it is settled")
}
