package render

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRaw: whatever an object says, it is refused or carries our labels in our
// namespace.
func FuzzRaw(f *testing.F) {
	for _, seed := range []string{
		`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`,
		`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "image": "ghcr.io/acme/a"}]}}`,
		`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": {"replicas": 1, "template": {"metadata": {}, "spec": {}}}}`,
		`{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}, "spec": {"maxReplicas": 1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		in := readScenario(t, []byte(`
kinds: [ConfigMap, Deployment, Service, DaemonSet, Pod, HorizontalPodAutoscaler, Secret, Job, CronJob, StatefulSet]
registries: [ghcr.io/acme]
components: [{name: r, type: raw, requests: {cpu: 100m, memory: 64Mi}}]`)).input(t, nil)
		in.Instance.Spec.Components[0].Properties = slices.Concat([]byte(`{"objects": [`), object, []byte(`]}`))
		in.Instance.Components[0].Spec = "" // of the accepted spec, whatever that is
		if !json.Valid(in.Instance.Spec.Components[0].Properties) {
			return // a spec is JSON that the evaluator wrote
		}
		set, err := Application(in)
		if err != nil {
			require.Empty(t, set.Objects)
			return
		}
		for _, o := range set.Objects {
			require.Equal(t, "acme", o.Object.GetNamespace())
			require.Equal(t, "r", o.Object.GetLabels()[LabelComponent])
		}
	})
}
