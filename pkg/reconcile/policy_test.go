package reconcile

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/tier"
)

// TestOneHostMore: one host more in the policy of the platform is decided anew about
// every application of a fleet, in one commit. Nothing moves, no run begins, and no
// object changes.
func TestOneHostMore(t *testing.T) {
	apps := tier.Count(20, 60, 1000)
	k, runtime := newCarrying(t, 0)
	for i := range apps {
		workflow := ""
		if i%5 == 0 {
			workflow = `workflow: steps: [
		{name: "migrate", type: "job", component: "migrate"},
		{name: "release", type: "deploy", components: ["web"], dependsOn: ["migrate"]},
	]`
		}
		k.worker(fmt.Sprint("app", i), "1", workflow)
	}
	k.by("ann")
	k.settle()
	saves := func() int64 { return k.loop.saved.Identity.Sequence }
	before, objects, changed := k.loop.saved, maps.Clone(runtime.objects), runtime.changed
	require.Len(t, before.Instances, apps+1)

	k.Write("hosts.cue", "package fleet\n\nplatform: policy: egress: hosts: [\"hooks.example.com\"]\n")
	tip := k.by("root")
	r, err := k.loop.Pass(t.Context())
	require.NoError(t, err)
	require.Equal(t, tip, r.Commit)
	require.Empty(t, r.Transitions())
	require.Equal(t, before.Identity.Sequence+1, saves(), "one commit")
	k.settle()
	require.Equal(t, before.Identity.Sequence+1, saves())
	require.Equal(t, changed, runtime.changed)
	require.Equal(t, objects, runtime.objects)
	for i := range before.Instances {
		was := &before.Instances[i]
		is, _ := k.loop.saved.Find(was.App)
		require.Equal(t, []any{was.Number, was.Phase, was.Since, was.Release(), was.Run}, []any{is.Number, is.Phase, is.Since, is.Release(), is.Run}, "%s", was.App)
		require.Equal(t, []string{"hooks.example.com"}, is.Spec.Policy.Egress)
		require.Equal(t, model.ReasonAdmissionChanged, is.History[len(is.History)-1].Reason)
	}
}
