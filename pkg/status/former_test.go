package status_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestFormerNames: what a program without releases recorded names releases when it is
// read, so that nothing that runs or has run looks like something else.
func TestFormerNames(t *testing.T) {
	ledger := load(t, format1(t))
	runs, ready := 0, 0
	for i := range ledger.Instances {
		in := &ledger.Instances[i]
		if in.Spec == nil {
			continue
		}
		require.NotEmpty(t, in.Spec.Release)
		require.NotEqual(t, in.Spec.Digest, in.Spec.Release)
		if in.Run != nil && in.Run.Instance == in.Number && in.Run.Superseded == "" {
			require.Equal(t, in.Spec.Release, in.Run.Spec, "%s: the run is that of the release", in.App)
			for _, target := range in.Run.Targets {
				of := in.Spec
				if target.Stable.Spec != of.Release {
					of = in.Previous
				}
				c, ok := of.Component(target.Component)
				require.True(t, ok)
				require.Equal(t, model.Version{Spec: of.Release, Content: c.Content(in.App)}, target.Stable)
			}
			runs++
		}
		for k := range in.Components {
			s := &in.Components[k]
			c, ok := in.Spec.Component(s.Grant.Component)
			if !ok || c.Type == "secret" { // its values are not recorded
				continue
			}
			if in.Previous != nil && c.Content(in.App) != s.Spec {
				c, _ = in.Previous.Component(c.Name) // it runs until its step comes
			}
			require.Equal(t, c.Content(in.App), s.Spec, "%s/%s", in.App, c.Name)
			require.Equal(t, model.WorkloadDigest(c, s.Grant, s.Run), s.Workload, "%s/%s", in.App, c.Name)
			if s.State == model.StateReady {
				ready++
			}
		}
	}
	require.Positive(t, runs)
	require.Positive(t, ready)
}
