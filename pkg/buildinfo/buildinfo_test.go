package buildinfo

import (
	"runtime/debug"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for name, c := range map[string]struct {
		version, revision string
		want              Info
		text              string
	}{
		"a release":                 {"v0.9.0", commit, Info{"v0.9.0", commit, "go1.26.0"}, "v0.9.0 (commit 0123456789ab)"},
		"go install of a release":   {"v0.9.0", "", Info{"v0.9.0", "", "go1.26.0"}, "v0.9.0"},
		"a checkout":                {"v0.9.1-0.20261122165400-0123456789ab", commit, Info{"v0.9.1-0.20261122165400-0123456789ab", commit, "go1.26.0"}, "v0.9.1-0.20261122165400-0123456789ab (commit 0123456789ab)"},
		"go install of a commit":    {"v0.9.1-0.20261122165400-0123456789ab", "", Info{"v0.9.1-0.20261122165400-0123456789ab", "0123456789ab", "go1.26.0"}, "v0.9.1-0.20261122165400-0123456789ab (commit 0123456789ab)"},
		"a checkout with changes":   {"v0.9.0+dirty", commit, Info{"v0.9.0+dirty", commit, "go1.26.0"}, "v0.9.0+dirty (commit 0123456789ab)"},
		"a build without a version": {"(devel)", "", Info{"devel", "", "go1.26.0"}, "devel"},
		"nothing":                   {"", "", Info{"devel", "", "go1.26.0"}, "devel"},
	} {
		b := debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Path: "github.com/d-aros/d-aros", Version: c.version}}
		if c.revision != "" {
			b.Settings = []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: c.revision}}
		}
		require.Equal(t, c.want, Of(&b), name)
		require.Equal(t, c.text, Of(&b).String(), name)
	}
}

func TestMetric(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(Info{"v0.9.0", "0123456789ab", "go1.26.0"}.Metric())
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 1)
	require.Equal(t, "daros_build_info", families[0].GetName())
	require.Equal(t, 1.0, families[0].GetMetric()[0].GetGauge().GetValue())
	labels := map[string]string{}
	for _, l := range families[0].GetMetric()[0].GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	require.Equal(t, map[string]string{"version": "v0.9.0", "commit": "0123456789ab", "goversion": "go1.26.0"}, labels)
}
