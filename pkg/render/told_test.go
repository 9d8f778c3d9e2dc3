package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// TestTold: an object says the grant and the replicas that its workload digest was made
// of, and nothing that the digest leaves out.
func TestTold(t *testing.T) {
	c := &model.Component{Name: "web", Type: "worker", Properties: []byte(`{"image":"a"}`)}
	g := model.Grant{Component: "web", Replicas: 4, Surge: 1, QoS: "burstable", Pool: "general", Domains: []string{"a"},
		Requests: model.Resources{CPU: 200, Memory: 1 << 30, Devices: map[string]int64{"nvidia.com/gpu": 1}}}
	text := Told{Grant: g.AsPlaced(c), Run: 3}.String()
	bare := g
	bare.Surge, bare.Domains = 0, nil
	require.Equal(t, Told{Grant: bare, Run: 3}.String(), text)
	told, ok := ParseTold(text)
	require.True(t, ok)
	require.Equal(t, Told{Grant: bare, Run: 3}, told)
	require.Equal(t, model.WorkloadDigest(c, g, 3), model.WorkloadDigest(c, told.Grant, told.Run))
	for _, damaged := range []string{"", "{}", "null", "3", `{"component":"web","replicas":-1}`, `{"component":"web","run":-1}`, `{"component":"` + strings.Repeat("x", maxTold) + `"}`} {
		_, ok := ParseTold(damaged)
		require.False(t, ok, damaged)
	}
}

// TestPodsAreNotAnnotated: where an object stands in the ledger is no part of its pods,
// which a change would restart.
func TestPodsAreNotAnnotated(t *testing.T) {
	for name, input := range goldens(t) {
		set, err := Application(input())
		if err != nil {
			continue
		}
		for _, o := range set.Objects {
			annotations := o.Object.GetAnnotations()
			_, told := ParseTold(annotations[AnnotationGrant])
			require.Equal(t, annotations[AnnotationWorkload] != "", told, "%s: %s", name, manifest.Identity(o.Object))
			require.Equal(t, told, annotations[AnnotationRelease] != "", "%s: %s", name, manifest.Identity(o.Object))
			o.Object.SetAnnotations(nil)
			inside, err := o.Object.MarshalJSON()
			require.NoError(t, err)
			require.NotContains(t, string(inside), AnnotationGrant, "%s: %s", name, manifest.Identity(o.Object))
			require.NotContains(t, string(inside), AnnotationRelease, "%s: %s", name, manifest.Identity(o.Object))
		}
	}
}
